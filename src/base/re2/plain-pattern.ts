/**
 * The parser of plain patterns: literals, ASCII classes, groups, alternatives, repetition, a leading `^` and a trailing
 * `$`. The result is the positions of the pattern and their successors (Glushkov's construction). Invariant: a pattern
 * that is parsed here means the same to RE2. A pattern that is not certain to be plain is left to RE2.
 */

/** All characters beyond ASCII are one symbol: a plain pattern does not distinguish them. */
export const SYMBOLS = 129;
export const OTHER = 128;

export interface PlainPattern {
  /** For each position, which symbols it accepts: 0 or 1 per symbol. */
  readonly takes: readonly Uint8Array[];
  /** The positions that may begin a match. */
  readonly first: readonly number[];
  /** The positions that may follow each position. */
  readonly follow: readonly (readonly number[])[];
  /** Whether a match may end at each position. */
  readonly isLast: readonly boolean[];
  readonly matchesEmpty: boolean;
  /** The pattern begins with `^`, or ends with `$`. */
  readonly atStart: boolean;
  readonly atEnd: boolean;
}

/** The most positions of a plain pattern. Larger ones would be slow to match. */
const MAX_POSITIONS = 300;
/** The limits for nested groups and for the product of nested counted repetitions. RE2's own limits are higher. */
const MAX_DEPTH = 20;
const MAX_COUNT = 500;

interface Part {
  readonly isEmpty: boolean;
  readonly first: readonly number[];
  readonly last: readonly number[];
}

type Tree =
  | { readonly kind: 'symbol'; readonly takes: Uint8Array }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Tree[] }
  | { readonly kind: 'repeat'; readonly part: Tree; readonly least: number; readonly most: number };

/** Parses a pattern. Returns undefined for one that is not plain. */
export function readPlainPattern(pattern: string): PlainPattern | undefined {
  const atStart = pattern.startsWith('^');
  const atEnd = pattern.endsWith('$') && !isEscaped(pattern, pattern.length - 1);
  const body = pattern.slice(atStart ? 1 : 0, atEnd ? -1 : undefined);
  const reader = new Reader(body);
  const tree = reader.whole();
  if (tree === undefined) return undefined;
  // In `^a|b$` each anchor binds to one alternative only.
  if ((atStart || atEnd) && tree.kind === 'choice') return undefined;
  const builder = new Builder();
  const whole = builder.build(tree);
  if (whole === undefined) return undefined;
  const isLast = builder.takes.map(() => false);
  for (const position of whole.last) isLast[position] = true;
  return {
    takes: builder.takes,
    first: whole.first,
    follow: builder.follow.map((set) => [...set]),
    isLast,
    matchesEmpty: whole.isEmpty,
    atStart,
    atEnd,
  };
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === '\\') slashes++;
  return slashes % 2 === 1;
}

const SPECIAL = new Set('^$.[]|()*+?{}\\');
const PUNCTUATION = /^[!-/:-@[-`{-~]$/;

/**
 * A recursive-descent parser. Each method advances past the text that it read, and returns undefined if that text is
 * not plain.
 */
class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): Tree | undefined {
    const tree = this.#choice();
    return this.#at === this.#text.length ? tree : undefined;
  }

  #choice(): Tree | undefined {
    const parts: Tree[] = [];
    do {
      const part = this.#sequence();
      if (part === undefined) return undefined;
      parts.push(part);
    } while (this.#skip('|'));
    return parts.length === 1 ? parts[0] : { kind: 'choice', parts };
  }

  #sequence(): Tree | undefined {
    const parts: Tree[] = [];
    while (this.#at < this.#text.length && this.#text[this.#at] !== '|' && this.#text[this.#at] !== ')') {
      const part = this.#repeated();
      if (part === undefined) return undefined;
      parts.push(part);
    }
    return { kind: 'sequence', parts };
  }

  #repeated(): Tree | undefined {
    const part = this.#atom();
    if (part === undefined) return undefined;
    let repeated = part;
    if (this.#skip('*')) repeated = { kind: 'repeat', part, least: 0, most: Number.POSITIVE_INFINITY };
    else if (this.#skip('+')) repeated = { kind: 'repeat', part, least: 1, most: Number.POSITIVE_INFINITY };
    else if (this.#skip('?')) repeated = { kind: 'repeat', part, least: 0, most: 1 };
    else if (this.#text[this.#at] === '{') {
      const found = /^\{(\d{1,3})(?:(,)(\d{1,3})?)?\}/.exec(this.#text.slice(this.#at, this.#at + 10));
      if (found === null) return undefined;
      const least = Number(found[1]);
      const most =
        found[2] === undefined ? least : found[3] === undefined ? Number.POSITIVE_INFINITY : Number(found[3]);
      if (most < least || countOf(part) * Math.max(1, least, Number.isFinite(most) ? most : 0) > MAX_COUNT)
        return undefined;
      this.#at += found[0].length;
      repeated = { kind: 'repeat', part, least, most };
    } else return part;
    // Two operators in a row are an error in RE2, or a lazy operator such as `*?`.
    return '*+?{'.includes(this.#text[this.#at] ?? ' ') ? undefined : repeated;
  }

  #atom(): Tree | undefined {
    const char = this.#text[this.#at] as string;
    if (char === '(') return this.#group();
    if (char === '[') return this.#class();
    if (char === '.') {
      this.#at++;
      return { kind: 'symbol', takes: inverse(symbols((code) => code === 10)) };
    }
    if (char === '\\') {
      const takes = this.#escape();
      return takes === undefined ? undefined : { kind: 'symbol', takes };
    }
    if (SPECIAL.has(char) || char.charCodeAt(0) >= OTHER) return undefined;
    this.#at++;
    return { kind: 'symbol', takes: symbols((code) => code === char.charCodeAt(0)) };
  }

  #group(): Tree | undefined {
    this.#at++;
    if (this.#text[this.#at] === '?' && !(this.#skip('?') && this.#skip(':'))) return undefined;
    if (++this.#depth > MAX_DEPTH) return undefined;
    const inner = this.#choice();
    this.#depth--;
    return inner !== undefined && this.#skip(')') ? inner : undefined;
  }

  /** Reads an escaped punctuation character, or a class such as `\d` or `\W`. Other escapes are left to RE2. */
  #escape(): Uint8Array | undefined {
    const char = this.#text[this.#at + 1] ?? '';
    this.#at += 2;
    if (PUNCTUATION.test(char)) return symbols((code) => code === char.charCodeAt(0));
    const known = ESCAPES[char.toLowerCase()];
    if (known === undefined) return undefined;
    return char === char.toLowerCase() ? known : inverse(known);
  }

  #class(): Tree | undefined {
    this.#at++;
    const isInverted = this.#skip('^');
    const takes = new Uint8Array(SYMBOLS);
    for (let isFirst = true; this.#text[this.#at] !== ']' || isFirst; isFirst = false) {
      const char = this.#text[this.#at];
      if (char === undefined || char === '[' || char === ']' || char.charCodeAt(0) >= OTHER) return undefined;
      if (char === '\\') {
        const escaped = this.#escape();
        if (escaped === undefined || this.#isRange()) return undefined;
        for (let code = 0; code < SYMBOLS; code++) takes[code] = (takes[code] as number) | (escaped[code] as number);
        continue;
      }
      this.#at++;
      let to = char;
      if (this.#isRange()) {
        to = this.#text[this.#at + 1] as string;
        if (to === '\\' || to === '[' || to.charCodeAt(0) >= OTHER || to < char) return undefined;
        this.#at += 2;
      }
      for (let code = char.charCodeAt(0); code <= to.charCodeAt(0); code++) takes[code] = 1;
    }
    this.#at++;
    return { kind: 'symbol', takes: isInverted ? inverse(takes) : takes };
  }

  /** Reports whether a hyphen follows that makes a range. A hyphen before the closing bracket is a plain character. */
  #isRange(): boolean {
    const [hyphen, to] = [this.#text[this.#at], this.#text[this.#at + 1]];
    return hyphen === '-' && to !== undefined && to !== ']';
  }

  #skip(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }
}

/** Returns the largest product of nested repetition counts in the tree. */
function countOf(tree: Tree): number {
  switch (tree.kind) {
    case 'symbol':
      return 1;
    case 'repeat':
      return countOf(tree.part) * Math.max(1, tree.least, Number.isFinite(tree.most) ? tree.most : 0);
    default:
      return tree.parts.reduce((most, part) => Math.max(most, countOf(part)), 1);
  }
}

class Builder {
  readonly takes: Uint8Array[] = [];
  readonly follow: Set<number>[] = [];

  /** Returns the part of the automaton for a tree; undefined if the pattern has more than MAX_POSITIONS positions. */
  build(tree: Tree): Part | undefined {
    switch (tree.kind) {
      case 'symbol': {
        const position = this.takes.push(tree.takes) - 1;
        this.follow.push(new Set());
        return position < MAX_POSITIONS ? { isEmpty: false, first: [position], last: [position] } : undefined;
      }
      case 'sequence': {
        let whole: Part = EMPTY;
        for (const part of tree.parts) {
          const built = this.build(part);
          if (built === undefined) return undefined;
          whole = this.#join(whole, built);
        }
        return whole;
      }
      case 'choice': {
        let whole: Part | undefined;
        for (const part of tree.parts) {
          const built = this.build(part);
          if (built === undefined) return undefined;
          whole = whole === undefined ? built : either(whole, built);
        }
        return whole;
      }
      case 'repeat':
        return this.#repeat(tree.part, tree.least, tree.most);
    }
  }

  #repeat(part: Tree, least: number, most: number): Part | undefined {
    let whole: Part = EMPTY;
    for (let i = 0; i < least; i++) {
      const built = this.build(part);
      if (built === undefined) return undefined;
      whole = this.#join(whole, built);
    }
    if (most === Number.POSITIVE_INFINITY) {
      const built = this.build(part);
      if (built === undefined) return undefined;
      this.#link(built.last, built.first);
      return this.#join(whole, either(built, EMPTY));
    }
    // Each optional repetition requires those before it, so they are nested: a(a(a)?)?.
    let rest: Part = EMPTY;
    for (let i = least; i < most; i++) {
      const built = this.build(part);
      if (built === undefined) return undefined;
      rest = either(this.#join(built, rest), EMPTY);
    }
    return this.#join(whole, rest);
  }

  #join(a: Part, b: Part): Part {
    this.#link(a.last, b.first);
    return {
      isEmpty: a.isEmpty && b.isEmpty,
      first: a.isEmpty ? [...a.first, ...b.first] : a.first,
      last: b.isEmpty ? [...a.last, ...b.last] : b.last,
    };
  }

  #link(from: readonly number[], to: readonly number[]): void {
    for (const position of from) for (const next of to) this.follow[position]?.add(next);
  }
}

const EMPTY: Part = { isEmpty: true, first: [], last: [] };

function either(a: Part, b: Part): Part {
  return { isEmpty: a.isEmpty || b.isEmpty, first: [...a.first, ...b.first], last: [...a.last, ...b.last] };
}

function symbols(takes: (code: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: SYMBOLS }, (_, code) => (code < OTHER && takes(code) ? 1 : 0));
}

function inverse(takes: Uint8Array): Uint8Array {
  return takes.map((taken) => 1 - taken);
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isLetter = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

const ESCAPES: Readonly<Record<string, Uint8Array>> = {
  d: symbols(isDigit),
  w: symbols((code) => isDigit(code) || isLetter(code) || code === 95),
  s: symbols((code) => code === 9 || code === 10 || code === 12 || code === 13 || code === 32),
};
