/** Numbers that look random and are the same at every run, so that a fit can be repeated. Called by the fits. */

/** Mulberry32: numbers in [0, 1). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** `count` of the numbers from 0 to before `end`, in order, each as likely as any other (Knuth, volume 2, 3.4.2 S). */
export function sampleOf(end: number, count: number, random: () => number): Uint32Array {
  const sample = new Uint32Array(count);
  let taken = 0;
  for (let i = 0; taken < count; i++) {
    if (random() * (end - i) < count - taken) sample[taken++] = i;
  }
  return sample;
}
