/**
 * IP addresses as bytes, so that one address has one spelling, and out of URLs. Called by the Host check, the rate limit, the
 * check of webhook targets and whoever counts what comes from one address. Sources: RFC 4291 (section 2.2), RFC 4007
 * (zones); IPv4 is four plain decimals.
 */

/** 4 bytes for IPv4 and IPv4-mapped IPv6, 16 for IPv6, undefined for anything else. A zone is dropped. */
export function parseIpAddress(text: string): Uint8Array | undefined {
  const bytes = parseIpv4(text) ?? parseIpv6(text);
  if (bytes === undefined) return undefined;
  return isMapped(bytes) ? bytes.subarray(12) : bytes;
}

/** The host of a URL, where IPv6 stands in brackets, as all else writes it. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}

/** Four decimals of one to three digits, none with a leading zero: octal and short forms are refused. */
function parseIpv4(text: string): Uint8Array | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (match === null) return undefined;
  const parts = match.slice(1);
  if (parts.some((part) => Number(part) > 255 || (part.length > 1 && part.startsWith("0")))) return undefined;
  return Uint8Array.from(parts, Number);
}

function parseIpv6(text: string): Uint8Array | undefined {
  const address = text.split("%", 1)[0] ?? "";
  const halves = address.split("::");
  if (halves.length > 2 || !address.includes(":")) return undefined;
  const head = groupBytes(halves[0] ?? "", halves.length === 1);
  const tail = halves.length === 2 ? groupBytes(halves[1] ?? "", true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const given = head.length + tail.length;
  if (halves.length === 1 ? given !== 16 : given > 14) return undefined;
  const bytes = new Uint8Array(16);
  bytes.set(head, 0);
  bytes.set(tail, 16 - tail.length);
  return bytes;
}

/** Groups of up to four hex digits; the last may be an IPv4 address where the half ends the address. */
function groupBytes(half: string, endsAddress: boolean): number[] | undefined {
  if (half === "") return [];
  const bytes: number[] = [];
  const groups = half.split(":");
  for (const [index, group] of groups.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
      continue;
    }
    const embedded = endsAddress && index === groups.length - 1 ? parseIpv4(group) : undefined;
    if (embedded === undefined) return undefined;
    bytes.push(...embedded);
  }
  return bytes;
}

function isMapped(bytes: Uint8Array): boolean {
  return (
    bytes.length === 16 &&
    bytes.subarray(0, 10).every((byte) => byte === 0) &&
    bytes[10] === 0xff &&
    bytes[11] === 0xff
  );
}
