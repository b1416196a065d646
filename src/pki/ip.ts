/**
 * IP addresses as bytes and text. Addresses print in their canonical form (RFC 5952), so equal addresses have equal
 * texts.
 */

/**
 * Parses an address without zone and prefix into 4 or 16 bytes; undefined for any other text. `::ffff:1.2.3.4` becomes
 * 4 bytes, as in Go.
 */
export function parseIp(text: string): Uint8Array | undefined {
  if (text.length > 45) return undefined;
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): Uint8Array | undefined {
  const parts = text.split('.');
  // Rejects leading zeros: some software reads such numbers as octal.
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return undefined;
  return Uint8Array.from(parts, Number);
}

function parseIpv6(text: string): Uint8Array | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = groupsOf(halves[0] as string, halves.length === 1);
  const tail = halves.length === 2 ? groupsOf(halves[1] as string, true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...new Array<number>(missing).fill(0), ...tail];
  const bytes = Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 255]));
  const mapped = bytes.subarray(0, 10).every((byte) => byte === 0) && groups[5] === 0xffff;
  return mapped ? bytes.slice(12) : bytes;
}

/** Parses the 16-bit groups of a part. In the last part a dotted IPv4 address may replace the last two groups. */
function groupsOf(part: string, last: boolean): number[] | undefined {
  if (part === '') return [];
  const groups: number[] = [];
  const words = part.split(':');
  for (const [i, word] of words.entries()) {
    const dotted = last && i === words.length - 1 && word.includes('.') ? parseIpv4(word) : undefined;
    if (dotted !== undefined) {
      const [a, b, c, d] = dotted as unknown as [number, number, number, number];
      groups.push((a << 8) | b, (c << 8) | d);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(word)) groups.push(Number.parseInt(word, 16));
    else return undefined;
  }
  return groups;
}

/** Formats 4 or 16 bytes; undefined for any other length. */
export function formatIp(bytes: Uint8Array): string | undefined {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) return undefined;
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] as number) << 8) | (bytes[2 * i + 1] as number));
  let from = -1;
  let longest = 1;
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && groups[end] === 0) end++;
    if (end - i > longest) {
      from = i;
      longest = end - i;
    }
  }
  const hex = (part: number[]): string => part.map((group) => group.toString(16)).join(':');
  return from < 0 ? hex(groups) : `${hex(groups.slice(0, from))}::${hex(groups.slice(from + longest))}`;
}

/** Returns an IPv4-mapped IPv6 address as 4 bytes, and other addresses as they are. */
export function plainIp(bytes: Uint8Array): Uint8Array {
  const isMapped =
    bytes.length === 16 &&
    bytes.subarray(0, 10).every((byte) => byte === 0) &&
    bytes[10] === 0xff &&
    bytes[11] === 0xff;
  return isMapped ? bytes.subarray(12) : bytes;
}

/** Returns the canonical text of an address; undefined if the text is not an address. */
export function canonicalIp(text: string): string | undefined {
  const bytes = parseIp(text);
  return bytes === undefined ? undefined : formatIp(bytes);
}
