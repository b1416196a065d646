/**
 * The scanner of plain, quoted and block scalars. Each function leaves the cursor after the scalar or throws
 * YamlSyntaxError, and takes linear time.
 */
import { hexValue, isBlank, isBlankOrEnd, isBreak, isBreakOrEnd, isDigit, type YamlCursor } from './yaml-cursor.ts';

/**
 * The line breaks between two pieces of a scalar. One `\n` becomes a space; further breaks and Unicode line separators
 * stay.
 */
class Folding {
  #first = '';
  #rest = '';
  /** Whether a break was seen. */
  broken = false;

  add(lineBreak: string): void {
    if (this.broken) this.#rest += lineBreak;
    else this.#first = lineBreak;
    this.broken = true;
  }

  take(): string {
    const folded = this.#first !== '\n' ? this.#first + this.#rest : this.#rest === '' ? ' ' : this.#rest;
    this.#first = '';
    this.#rest = '';
    this.broken = false;
    return folded;
  }
}

/** `endedLine` is true if a line break follows the text, so that a key may begin. */
export interface PlainScalar {
  readonly text: string;
  readonly endedLine: boolean;
}

/** `indent` is that of the enclosing block. In flow collections indentation does not matter. */
export function scanPlain(cursor: YamlCursor, indent: number, inFlow: boolean): PlainScalar {
  const folding = new Folding();
  let text = '';
  let blanks = '';
  for (;;) {
    if (cursor.isMarker(0x2d) || cursor.isMarker(0x2e) || cursor.code() === 0x23) break;
    const start = cursor.position;
    passPlainRun(cursor, inFlow);
    if (cursor.position > start) {
      text += (folding.broken ? folding.take() : blanks) + cursor.text.slice(start, cursor.position);
      blanks = '';
    }
    if (!isBlank(cursor.code()) && !isBreak(cursor.code())) break;
    const blanksStart = cursor.position;
    for (let c = cursor.code(); isBlank(c) || isBreak(c); c = cursor.code()) {
      if (isBreak(c)) {
        folding.add(cursor.passBreak());
        continue;
      }
      if (folding.broken && c === 0x09 && cursor.column <= indent)
        cursor.fail('found a tab character that violates indentation');
      cursor.position++;
    }
    if (!folding.broken) blanks += cursor.text.slice(blanksStart, cursor.position);
    if (!inFlow && cursor.column <= indent) break;
  }
  return { text, endedLine: folding.broken };
}

/**
 * Reads the text without the methods of the cursor: the base64 of a kubeconfig would make V8 optimise them, whose
 * compiler takes memory and time of a start.
 */
function passPlainRun(cursor: YamlCursor, inFlow: boolean): void {
  const { text } = cursor;
  let at = cursor.position;
  for (; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if ((c >= 0x61 && c <= 0x7a) || (c >= 0x41 && c <= 0x5a) || (c >= 0x30 && c <= 0x39)) continue;
    if (isBlankOrEnd(c)) break;
    if (c === 0x3a && (at + 1 === text.length || isBlankOrEnd(text.charCodeAt(at + 1)))) break;
    if (inFlow && (c === 0x2c || c === 0x3f || c === 0x5b || c === 0x5d || c === 0x7b || c === 0x7d)) break;
  }
  cursor.position = at;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['0', '\0'],
  ['a', '\x07'],
  ['b', '\b'],
  ['t', '\t'],
  ['\t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
  ['e', '\x1b'],
  [' ', ' '],
  ['"', '"'],
  ["'", "'"],
  ['\\', '\\'],
  ['N', '\x85'],
  ['_', '\xa0'],
  ['L', '\u2028'],
  ['P', '\u2029'],
]);

const CODE_LENGTHS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** `quote` is the code of `'` or `"`. */
export function scanQuoted(cursor: YamlCursor, quote: number): string {
  const folding = new Folding();
  let text = '';
  const { line, column } = cursor;
  cursor.position++;
  for (;;) {
    if (cursor.isMarker(0x2d) || cursor.isMarker(0x2e))
      cursor.fail('found unexpected document indicator', { line, column });
    if (cursor.code() === 0) cursor.fail('found unexpected end of stream', { line, column });
    const run = scanQuotedRun(cursor, quote);
    text += run.text;
    if (cursor.code() === quote) break;
    const start = cursor.position;
    for (let c = cursor.code(); isBlank(c) || isBreak(c); c = cursor.code()) {
      if (isBlank(c)) {
        cursor.position++;
        continue;
      }
      const lineBreak = cursor.passBreak();
      // After an escaped break further breaks stay.
      if (run.escapedBreak) text += lineBreak;
      else folding.add(lineBreak);
    }
    if (folding.broken) text += folding.take();
    else if (!run.escapedBreak) text += cursor.text.slice(start, cursor.position);
  }
  cursor.position++;
  return text;
}

/**
 * Scans up to a blank, the closing quote or the end. `escapedBreak` is true if the run ended with a backslash before a
 * line break, which is consumed.
 */
function scanQuotedRun(cursor: YamlCursor, quote: number): { text: string; escapedBreak: boolean } {
  let text = '';
  let start = cursor.position;
  for (let c = cursor.code(); !isBlankOrEnd(c); c = cursor.code()) {
    if (c === quote) {
      if (quote !== 0x27 || cursor.code(1) !== 0x27) break;
      text += cursor.text.slice(start, cursor.position + 1);
      cursor.position += 2;
      start = cursor.position;
    } else if (c === 0x5c && quote === 0x22) {
      text += cursor.text.slice(start, cursor.position);
      if (isBreak(cursor.code(1))) {
        cursor.position++;
        cursor.passBreak();
        return { text, escapedBreak: true };
      }
      text += scanEscape(cursor);
      start = cursor.position;
    } else cursor.position++;
  }
  return { text: text + cursor.text.slice(start, cursor.position), escapedBreak: false };
}

function scanEscape(cursor: YamlCursor): string {
  const kind = cursor.text.charAt(cursor.position + 1);
  const known = ESCAPES.get(kind);
  const length = CODE_LENGTHS[kind];
  if (known === undefined && length === undefined) cursor.fail('found unknown escape character');
  cursor.position += 2;
  if (known !== undefined) return known;
  let value = 0;
  for (let i = 0; i < (length as number); i++) {
    const digit = hexValue(cursor.code(i));
    if (digit < 0) cursor.fail('did not find expected hexdecimal number');
    value = value * 16 + digit;
  }
  if ((value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff) cursor.fail('found invalid Unicode character code');
  cursor.position += length as number;
  return String.fromCodePoint(value);
}

/**
 * `parentIndent` is that of the enclosing block, -1 at the root. Content is indented by at least one, at the root too.
 */
export function scanBlock(cursor: YamlCursor, parentIndent: number): string {
  const literal = cursor.code() === 0x7c;
  cursor.position++;
  const { chomping, increment } = scanBlockHeader(cursor);
  const breaks = new BlockBreaks(increment > 0 ? Math.max(parentIndent, 0) + increment : 0, parentIndent);
  let text = '';
  let lineBreak = '';
  let wasBlank = false;
  let empty = breaks.scan(cursor);
  while (cursor.column === breaks.indent && cursor.code() !== 0) {
    const startsBlank = isBlank(cursor.code());
    if (!literal && lineBreak === '\n' && !wasBlank && !startsBlank) text += empty === '' ? ' ' : '';
    else text += lineBreak;
    text += empty;
    wasBlank = startsBlank;
    const start = cursor.position;
    while (!isBreakOrEnd(cursor.code())) cursor.position++;
    text += cursor.text.slice(start, cursor.position);
    lineBreak = cursor.code() === 0 ? '' : cursor.passBreak();
    empty = breaks.scan(cursor);
  }
  if (chomping === '-') return text;
  return chomping === '+' ? text + lineBreak + empty : text + lineBreak;
}

function scanBlockHeader(cursor: YamlCursor): { chomping: string; increment: number } {
  let chomping = '';
  let increment = 0;
  for (let left = 2; left > 0; left--) {
    const c = cursor.code();
    if ((c === 0x2b || c === 0x2d) && chomping === '') chomping = String.fromCharCode(c);
    else if (isDigit(c) && increment === 0) {
      if (c === 0x30) cursor.fail('found an indentation indicator equal to 0');
      increment = c - 0x30;
    } else break;
    cursor.position++;
  }
  cursor.passBlanks();
  cursor.passComment();
  if (!isBreakOrEnd(cursor.code())) cursor.fail('did not find expected comment or line break');
  if (cursor.code() !== 0) cursor.passBreak();
  return { chomping, increment };
}

/** Consumes indentation and empty lines. The first call determines the indentation if the header does not. */
class BlockBreaks {
  indent: number;
  readonly #parentIndent: number;

  constructor(indent: number, parentIndent: number) {
    this.indent = indent;
    this.#parentIndent = parentIndent;
  }

  /** Returns the breaks of the empty lines. */
  scan(cursor: YamlCursor): string {
    let breaks = '';
    let widest = 0;
    for (;;) {
      while ((this.indent === 0 || cursor.column < this.indent) && cursor.code() === 0x20) cursor.position++;
      widest = Math.max(widest, cursor.column);
      if ((this.indent === 0 || cursor.column < this.indent) && cursor.code() === 0x09)
        cursor.fail('found a tab character where an indentation space is expected');
      if (!isBreak(cursor.code())) break;
      breaks += cursor.passBreak();
    }
    if (this.indent === 0) this.indent = Math.max(widest, this.#parentIndent + 1, 1);
    return breaks;
  }
}
