/**
 * Character classes and message parts of the name rules. A check reads each character once and never backtracks, so
 * hostile text costs linear time. Lengths are in UTF-8 bytes, as in the reference.
 */
import { utf8Length } from '../../base/utf8.ts';

export const LOWER = 1;
const UPPER = 2;
export const DIGIT = 4;
export const DASH = 8;
export const UNDERSCORE = 16;
export const DOT = 32;
export const LETTER: number = LOWER | UPPER;
export const ALNUM: number = LETTER | DIGIT;

const CLASS_OF: Uint8Array = classTable();

function classTable(): Uint8Array {
  const table = new Uint8Array(128);
  table.fill(LOWER, 0x61, 0x7b);
  table.fill(UPPER, 0x41, 0x5b);
  table.fill(DIGIT, 0x30, 0x3a);
  table[0x2d] = DASH;
  table[0x5f] = UNDERSCORE;
  table[0x2e] = DOT;
  return table;
}

/** The characters allowed at each position. Each field is a union of the classes above. */
export interface Shape {
  readonly first: number;
  readonly middle: number;
  readonly last: number;
}

/** Whether `text[from, to)` is not empty and has the shape. */
export function hasShape(text: string, shape: Shape, from = 0, to: number = text.length): boolean {
  if (from >= to) return false;
  if ((classAt(text, from) & shape.first) === 0) return false;
  if (to - from > 1 && (classAt(text, to - 1) & shape.last) === 0) return false;
  for (let i = from + 1; i < to - 1; i++) if ((classAt(text, i) & shape.middle) === 0) return false;
  return true;
}

/** Whether the text is not empty and `part` accepts every part between dots. */
export function everyDottedPart(text: string, part: (text: string, from: number, to: number) => boolean): boolean {
  let from = 0;
  for (;;) {
    const dot = text.indexOf('.', from);
    if (!part(text, from, dot < 0 ? text.length : dot)) return false;
    if (dot < 0) return true;
    from = dot + 1;
  }
}

function classAt(text: string, at: number): number {
  return CLASS_OF[text.charCodeAt(at)] ?? 0;
}

export function isLongerThan(text: string, maxBytes: number): boolean {
  return text.length > maxBytes || (text.length * 3 > maxBytes && utf8Length(text) > maxBytes);
}

/** The older message about a length. Newer rules say bytes. */
export function maxCharactersText(length: number): string {
  return `must be no more than ${length} characters`;
}

export function maxBytesText(length: number): string {
  return `must be no more than ${length} bytes`;
}

/** A message of the problem, valid examples and the pattern. */
export function patternText(problem: string, pattern: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${problem} (regex used for validation is '${pattern}')`;
  const quoted = examples.map((example) => `'${example}', `).join(' or ');
  return `${problem} (e.g. ${quoted}regex used for validation is '${pattern}')`;
}

export const EMPTY_TEXT = 'must be non-empty';

export function rangeText(low: number, high: number): string {
  return `must be between ${low} and ${high}, inclusive`;
}
