/**
 * The parsing and comparison of semantic versions, like Go's `blang/semver`, with its messages. Build metadata is
 * ignored in comparisons.
 */
import { quote } from '../../../apimachinery/go-format.ts';
import { compareUtf8, utf8Length } from '../../../base/utf8.ts';

export interface Semver {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  /** Numeric identifiers are bigints. */
  readonly prerelease: readonly (string | bigint)[];
  readonly build: readonly string[];
}

export type ParsedSemver =
  | { readonly ok: true; readonly value: Semver }
  | { readonly ok: false; readonly message: string };

/** Thrown inside the parser and caught by `attempt`. */
class SemverFault extends Error {}

/** Parses a version in strict form. */
export function parseSemver(text: string): ParsedSemver {
  return attempt(() => parse(text));
}

/** Parses a version after removing a leading `v` and leading zeros and adding missing minor and patch numbers. */
export function parseTolerantSemver(text: string): ParsedSemver {
  return attempt(() => parse(normalize(text)));
}

export function compareSemver(a: Semver, b: Semver): -1 | 0 | 1 {
  for (const part of ['major', 'minor', 'patch'] as const) if (a[part] !== b[part]) return a[part] > b[part] ? 1 : -1;
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return sign(b.prerelease.length - a.prerelease.length);
  for (let i = 0; i < Math.min(a.prerelease.length, b.prerelease.length); i++) {
    const order = compareIdentifiers(a.prerelease[i] as string | bigint, b.prerelease[i] as string | bigint);
    if (order !== 0) return order;
  }
  return sign(a.prerelease.length - b.prerelease.length);
}

export function formatSemver(version: Semver): string {
  const pre = version.prerelease.length === 0 ? '' : `-${version.prerelease.join('.')}`;
  const build = version.build.length === 0 ? '' : `+${version.build.join('.')}`;
  return `${version.major}.${version.minor}.${version.patch}${pre}${build}`;
}

function attempt(parser: () => Semver): ParsedSemver {
  try {
    return { ok: true, value: parser() };
  } catch (caught) {
    if (caught instanceof SemverFault) return { ok: false, message: caught.message };
    throw caught;
  }
}

function sign(value: number): -1 | 0 | 1 {
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}

/** Numeric identifiers come before others. */
function compareIdentifiers(a: string | bigint, b: string | bigint): -1 | 0 | 1 {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? (a > b ? 1 : a < b ? -1 : 0) : -1;
  return typeof b === 'bigint' ? 1 : sign(compareUtf8(a, b));
}

function splitThree(text: string): string[] {
  const parts = text.split('.');
  return parts.length <= 3 ? parts : [parts[0] as string, parts[1] as string, parts.slice(2).join('.')];
}

function normalize(text: string): string {
  const parts = splitThree(text.startsWith('v') ? text.slice(1) : text).map(withoutZeros);
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) as string))
    throw new SemverFault('short version cannot contain PreRelease/Build meta data');
  while (parts.length < 3) parts.push('0');
  return parts.join('.');
}

function withoutZeros(part: string): string {
  if (utf8Length(part) < 2) return part;
  const trimmed = part.replace(/^0+/, '');
  return /^[0-9]/.test(trimmed) ? trimmed : `0${trimmed}`;
}

function parse(text: string): Semver {
  if (text === '') throw new SemverFault('Version string empty');
  const [majorText, minorText, rest] = splitThree(text);
  if (majorText === undefined || minorText === undefined || rest === undefined)
    throw new SemverFault('No Major.Minor.Patch elements found');
  const major = parseNumber(majorText, 'Major');
  const minor = parseNumber(minorText, 'Minor');
  const plus = rest.indexOf('+');
  const build = plus < 0 ? [] : rest.slice(plus + 1).split('.');
  const beforeBuild = plus < 0 ? rest : rest.slice(0, plus);
  const dash = beforeBuild.indexOf('-');
  const prerelease = dash < 0 ? [] : beforeBuild.slice(dash + 1).split('.');
  const patch = parseNumber(dash < 0 ? beforeBuild : beforeBuild.slice(0, dash), 'Patch');
  const version = { major, minor, patch, prerelease: prerelease.map(parseIdentifier), build };
  for (const part of build) {
    if (part === '') throw new SemverFault('Build meta data is empty');
    if (!isWord(part)) throw new SemverFault(`Invalid character(s) found in build meta data ${quote(part)}`);
  }
  return version;
}

function isNumeric(text: string): boolean {
  return /^[0-9]*$/.test(text);
}

function isWord(text: string): boolean {
  return /^[0-9A-Za-z-]*$/.test(text);
}

function hasLeadingZeros(text: string): boolean {
  return text.length > 1 && text.startsWith('0');
}

function parseNumber(text: string, part: 'Major' | 'Minor' | 'Patch'): bigint {
  if (!isNumeric(text))
    throw new SemverFault(`Invalid character(s) found in ${part.toLowerCase()} number ${quote(text)}`);
  if (hasLeadingZeros(text)) throw new SemverFault(`${part} number must not contain leading zeroes ${quote(text)}`);
  return parseUint(text);
}

function parseIdentifier(text: string): string | bigint {
  if (text === '') throw new SemverFault('Prerelease is empty');
  if (isNumeric(text)) {
    if (hasLeadingZeros(text))
      throw new SemverFault(`Numeric PreRelease version must not contain leading zeroes ${quote(text)}`);
    return parseUint(text);
  }
  if (!isWord(text)) throw new SemverFault(`Invalid character(s) found in prerelease ${quote(text)}`);
  return text;
}

function parseUint(digits: string): bigint {
  if (digits === '') throw new SemverFault('strconv.ParseUint: parsing "": invalid syntax');
  if (digits.length > 20 || BigInt(digits) >= 2n ** 64n)
    throw new SemverFault(`strconv.ParseUint: parsing ${quote(digits)}: value out of range`);
  return BigInt(digits);
}
