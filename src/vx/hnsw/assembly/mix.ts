/** The finaliser of SplitMix64 (Steele, Lea and Flood, 2014): spreads an id over 64 bits. Called by ids, levels and origin. */

const INCREMENT: u64 = ((<u64>0x9e3779b9) << 32) | 0x7f4a7c15;
const FIRST: u64 = ((<u64>0xbf58476d) << 32) | 0x1ce4e5b9;
const SECOND: u64 = ((<u64>0x94d049bb) << 32) | 0x133111eb;

export function mix(id: u64): u64 {
  let x = id + INCREMENT;
  x = (x ^ (x >> 30)) * FIRST;
  x = (x ^ (x >> 27)) * SECOND;
  return x ^ (x >> 31);
}
