// IPv4 networks as ranges of numbers.

export interface Range {
  readonly first: number;
  readonly last: number;
}

/** Returns undefined for anything but four numbers from 0 to 255. */
export function parseAddress(text: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return undefined;
  return parts.reduce((number, part) => number * 256 + part, 0);
}

/** `192.168.0.0/16`. Returns undefined if it is malformed, or has bits beyond its prefix. */
export function parseCidr(text: string): Range | undefined {
  const [address = '', prefix = ''] = text.split('/');
  const first = parseAddress(address);
  if (first === undefined || !/^\d{1,2}$/.test(prefix) || Number(prefix) > 32) return undefined;
  const size = 2 ** (32 - Number(prefix));
  return first % size === 0 ? { first, last: first + size - 1 } : undefined;
}

export function contains({ first, last }: Range, address: number): boolean {
  return first <= address && address <= last;
}

export function overlaps(a: Range, b: Range): boolean {
  return a.first <= b.last && b.first <= a.last;
}
