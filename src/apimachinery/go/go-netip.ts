/**
 * The parsing and formatting of IP addresses and prefixes, like Go's `net/netip`, with its messages. An address
 * consists of 4 or 16 bytes and a zone, so that different texts of one address give equal values.
 */
import { quote } from '../go-format.ts';

export interface NetAddress {
  /** 4 or 16 bytes. */
  readonly bytes: readonly number[];
  /** '' for none. */
  readonly zone: string;
}

export interface NetPrefix {
  readonly address: NetAddress;
  readonly bits: number;
}

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

/** `netip.ParseAddr`. */
export function parseAddress(text: string): Parsed<NetAddress> {
  for (const char of text) {
    if (char === '.') return parseV4(text);
    if (char === ':') return parseV6(text);
    if (char === '%') return failure(text, 'missing IPv6 address');
  }
  return failure(text, 'unable to parse IP');
}

/** `netip.ParsePrefix`. */
export function parsePrefix(text: string): Parsed<NetPrefix> {
  const fail = (message: string): Parsed<NetPrefix> => ({
    ok: false,
    message: `netip.ParsePrefix(${quote(text)}): ${message}`,
  });
  const slash = text.lastIndexOf('/');
  if (slash < 0) return fail("no '/'");
  const address = parseAddress(text.slice(0, slash));
  if (!address.ok) return fail(address.message);
  if (address.value.zone !== '') return fail('IPv6 zones cannot be present in a prefix');
  const digits = text.slice(slash + 1);
  if (!/^(?:[0-9]|[1-9][0-9]*)$/.test(digits)) return fail(`bad bits after slash: ${quote(digits)}`);
  // Go cannot parse numbers out of the range of int64.
  if (digits.length > 18 && BigInt(digits) >= 2n ** 63n) return fail(`bad bits after slash: ${quote(digits)}`);
  const bits = Number(digits);
  if (bits > address.value.bytes.length * 8) return fail('prefix length out of range');
  return { ok: true, value: { address: address.value, bits } };
}

export function isMappedV4({ bytes }: NetAddress): boolean {
  return (
    bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  );
}

/** `Addr.String`: the canonical text. */
export function formatAddress(address: NetAddress): string {
  const { bytes } = address;
  if (bytes.length === 4) return bytes.join('.');
  const zone = address.zone === '' ? '' : `%${address.zone}`;
  if (isMappedV4(address)) return `::ffff:${bytes.slice(12).join('.')}${zone}`;
  const groups: number[] = [];
  for (let i = 0; i < 16; i += 2) groups.push(((bytes[i] as number) << 8) | (bytes[i + 1] as number));
  const { start, end } = longestZeros(groups);
  const hex = (from: number, to: number): string =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(':');
  return (start < 0 ? hex(0, 8) : `${hex(0, start)}::${hex(end, 8)}`) + zone;
}

export function formatPrefix({ address, bits }: NetPrefix): string {
  return `${formatAddress(address)}/${bits}`;
}

/** Clears all bits after the length of the prefix. */
export function maskPrefix({ address, bits }: NetPrefix): NetPrefix {
  const bytes = address.bytes.map((byte, i) => byte & byteMask(bits, i));
  return { address: { bytes, zone: '' }, bits };
}

/** False for an address of the other family, or with a zone. */
export function prefixContains(prefix: NetPrefix, address: NetAddress): boolean {
  const { bytes } = prefix.address;
  if (address.bytes.length !== bytes.length || address.zone !== '') return false;
  return bytes.every((byte, i) => ((byte ^ (address.bytes[i] as number)) & byteMask(prefix.bits, i)) === 0);
}

function byteMask(bits: number, index: number): number {
  const left = Math.min(8, Math.max(0, bits - index * 8));
  return (0xff00 >> left) & 0xff;
}

/** The first longest run of at least two zero groups; `start` is -1 if there is none. */
function longestZeros(groups: readonly number[]): { start: number; end: number } {
  let best = { start: -1, end: -1 };
  for (let start = 0; start < groups.length; start++) {
    let end = start;
    while (groups[end] === 0) end++;
    if (end - start >= 2 && end - start > best.end - best.start) best = { start, end };
  }
  return best;
}

function failure<T>(text: string, message: string, at = ''): Parsed<T> {
  return { ok: false, message: `ParseAddr(${quote(text)}): ${message}${at === '' ? '' : ` (at ${quote(at)})`}` };
}

function parseV4(text: string): Parsed<NetAddress> {
  const fields = parseV4Fields(text, text);
  return fields.ok ? { ok: true, value: { bytes: fields.value, zone: '' } } : fields;
}

/** Parses four numbers with dots. `part` is parsed; `text` is the whole text, for messages. */
function parseV4Fields(text: string, part: string): Parsed<number[]> {
  const fields: number[] = [];
  let value = 0;
  let digits = 0;
  for (let i = 0; i < part.length; i++) {
    const char = part[i] as string;
    if (char >= '0' && char <= '9') {
      if (digits === 1 && value === 0) return failure(text, 'IPv4 field has octet with leading zero');
      value = value * 10 + Number(char);
      digits++;
      if (value > 255) return failure(text, 'IPv4 field has value >255');
    } else if (char === '.') {
      if (i === 0 || i === part.length - 1 || part[i - 1] === '.')
        return failure(text, 'IPv4 field must have at least one digit', part.slice(i));
      if (fields.length === 3) return failure(text, 'IPv4 address too long');
      fields.push(value);
      value = 0;
      digits = 0;
    } else return failure(text, 'unexpected character', part.slice(i));
  }
  if (fields.length < 3) return failure(text, 'IPv4 address too short');
  fields.push(value);
  return { ok: true, value: fields };
}

function parseV6(text: string): Parsed<NetAddress> {
  const percent = text.indexOf('%');
  const zone = percent < 0 ? '' : text.slice(percent + 1);
  if (percent >= 0 && zone === '') return failure(text, 'zone must be a non-empty string');
  const bytes = parseV6Bytes(text, percent < 0 ? text : text.slice(0, percent));
  return bytes.ok ? { ok: true, value: { bytes: bytes.value, zone } } : bytes;
}

function parseV6Bytes(text: string, address: string): Parsed<number[]> {
  const bytes: number[] = [];
  let rest = address;
  // The number of bytes before `::`; -1 if there is none.
  let gap = -1;
  if (rest.startsWith('::')) {
    gap = 0;
    rest = rest.slice(2);
    if (rest === '') return { ok: true, value: new Array<number>(16).fill(0) };
  }
  while (bytes.length < 16) {
    const digits = (/^[0-9a-fA-F]*/.exec(rest) as RegExpExecArray)[0];
    if (digits.length > 4) return failure(text, 'each group must have 4 or less digits', rest);
    if (digits === '') return failure(text, 'each colon-separated field must have at least one digit', rest);
    if (rest[digits.length] === '.') {
      if (gap < 0 && bytes.length !== 12)
        return failure(text, 'embedded IPv4 address must replace the final 2 fields of the address', rest);
      if (bytes.length + 4 > 16)
        return failure(text, 'too many hex fields to fit an embedded IPv4 at the end of the address', rest);
      const fields = parseV4Fields(text, rest);
      if (!fields.ok) return fields;
      bytes.push(...fields.value);
      rest = '';
      break;
    }
    const group = Number.parseInt(digits, 16);
    bytes.push(group >> 8, group & 0xff);
    rest = rest.slice(digits.length);
    if (rest === '') break;
    if (rest[0] !== ':') return failure(text, 'unexpected character, want colon', rest);
    if (rest.length === 1) return failure(text, 'colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (rest[0] === ':') {
      if (gap >= 0) return failure(text, 'multiple :: in address', rest);
      gap = bytes.length;
      rest = rest.slice(1);
      if (rest === '') break;
    }
  }
  if (rest !== '') return failure(text, 'trailing garbage after address', rest);
  if (bytes.length === 16)
    return gap < 0 ? { ok: true, value: bytes } : failure(text, 'the :: must expand to at least one field of zeros');
  if (gap < 0) return failure(text, 'address string too short');
  bytes.splice(gap, 0, ...new Array<number>(16 - bytes.length).fill(0));
  return { ok: true, value: bytes };
}
