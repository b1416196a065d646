/**
 * Regular expressions from users, in RE2's syntax as Go's `regexp` reads it. Matching takes time linear in the input
 * for every pattern.
 */
import type { RE2JS } from 're2js';
import { compileRe2js } from './compile-re2js.ts';
import { patternWeight } from './pattern-weight.ts';
import { PlainMatcher } from './plain-matcher.ts';
import { readPlainPattern } from './plain-pattern.ts';

export interface Re2 {
  readonly pattern: string;
  /** Approximately the steps per character of a match in the worst case. */
  readonly weight: number;
  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean;
  /** Returns the leftmost match; undefined if there is none. */
  find(text: string): string | undefined;
  /**
   * Returns the matches that do not overlap, from the left, at most `limit`. Each match may read ahead to the end of
   * the text, so `found` is called for each and may throw to stop.
   */
  findAll(text: string, limit?: number, found?: () => void): string[];
  /**
   * Returns the leftmost match and its groups; undefined if there is none. A group that did not participate is
   * undefined.
   */
  groups(text: string): readonly (string | undefined)[] | undefined;
  /** Replaces every match by the result of `replacement` for its groups. */
  replaceAll(text: string, replacement: (groups: readonly (string | undefined)[]) => string): string;
}

export type Re2Result =
  | { readonly ok: true; readonly regexp: Re2 }
  /** Go's message, such as "error parsing regexp: missing closing ): `(`". */
  | { readonly ok: false; readonly message: string };

/** Larger programs take seconds to compile. The reference's limit is about sixty times as high. */
const MAX_WEIGHT = 50_000;

/**
 * Recently compiled plain patterns, because definitions often share patterns. At most MAX_PLAIN_PATTERNS; the oldest is
 * dropped.
 */
const plainPatterns: Map<string, Re2Result> = new Map();
const MAX_PLAIN_PATTERNS = 200;

/** Compiles a pattern. Compiling costs far more than matching: keep the result. */
export function compileRe2(pattern: string): Re2Result {
  const known = plainPatterns.get(pattern);
  if (known !== undefined) return known;
  const weight = patternWeight(pattern);
  if (weight > MAX_WEIGHT) return { ok: false, message: 'error parsing regexp: expression too large' };
  const plain = readPlainPattern(pattern);
  if (plain === undefined) return compileAny(pattern, weight);
  const result: Re2Result = { ok: true, regexp: new Compiled(pattern, weight, new PlainMatcher(plain), undefined) };
  for (const oldest of plainPatterns.keys()) {
    if (plainPatterns.size < MAX_PLAIN_PATTERNS) break;
    plainPatterns.delete(oldest);
  }
  plainPatterns.set(pattern, result);
  return result;
}

function compileAny(pattern: string, weight: number): Re2Result {
  let compiled: RE2JS;
  try {
    compiled = compileRe2js(pattern);
  } catch (caught) {
    if (caught instanceof Error && caught.message.startsWith('error parsing regexp: '))
      return { ok: false, message: caught.message };
    throw caught;
  }
  return { ok: true, regexp: new Compiled(pattern, weight, undefined, compiled) };
}

class Compiled implements Re2 {
  readonly pattern: string;
  readonly weight: number;
  readonly #plain: PlainMatcher | undefined;
  #any: RE2JS | undefined;

  constructor(pattern: string, weight: number, plain: PlainMatcher | undefined, any: RE2JS | undefined) {
    this.pattern = pattern;
    this.weight = weight;
    this.#plain = plain;
    this.#any = any;
  }

  test(text: string): boolean {
    return this.#plain?.test(text) ?? this.#compiled.test(text);
  }

  /** The RE2 program, compiled on first use for a plain pattern. */
  get #compiled(): RE2JS {
    this.#any ??= compileRe2js(this.pattern);
    return this.#any;
  }

  find(text: string): string | undefined {
    const matcher = this.#compiled.matcher(text);
    return matcher.find() ? (matcher.group() ?? '') : undefined;
  }

  findAll(text: string, limit: number = Number.POSITIVE_INFINITY, found?: () => void): string[] {
    const matches: string[] = [];
    const matcher = this.#compiled.matcher(text);
    let end = -1;
    while (matches.length < limit && matcher.find()) {
      found?.();
      if (!isEmptyAt(matcher, end)) matches.push(matcher.group() ?? '');
      end = matcher.end();
    }
    return matches;
  }

  groups(text: string): readonly (string | undefined)[] | undefined {
    const matcher = this.#compiled.matcher(text);
    return matcher.find() ? groupsOf(matcher) : undefined;
  }

  replaceAll(text: string, replacement: (groups: readonly (string | undefined)[]) => string): string {
    const matcher = this.#compiled.matcher(text);
    let replaced = '';
    let from = 0;
    let end = -1;
    while (matcher.find()) {
      if (!isEmptyAt(matcher, end)) {
        replaced += text.slice(from, matcher.start()) + replacement(groupsOf(matcher));
        from = matcher.end();
      }
      end = matcher.end();
    }
    return replaced + text.slice(from);
  }
}

/** Go skips an empty match directly after another match. */
function isEmptyAt(matcher: ReturnType<RE2JS['matcher']>, place: number): boolean {
  return matcher.start() === place && matcher.end() === place;
}

function groupsOf(matcher: ReturnType<RE2JS['matcher']>): (string | undefined)[] {
  return Array.from({ length: matcher.groupCount() + 1 }, (_, i) => matcher.group(i) ?? undefined);
}
