/**
 * A bounded table of path elements and their texts. The same names and keys occur in the managed fields of nearly every
 * object, so most elements are found instead of being parsed, and equal elements are mostly one object, which makes
 * comparisons cheap.
 */
import { type ElementReadResult, readElement, writeElement } from './element-codec.ts';
import type { PathElement } from './path-element.ts';

/** A table that is full is emptied. Names in use are added again when they occur next. */
const MAX_ENTRIES = 8192;

/** Longer texts are rare and would make the bound meaningless. */
const MAX_LENGTH = 128;

const elements = new Map<string, ElementReadResult>();
const texts = new Map<string, string>();

/** As `readElement`. */
export function findElementOf(text: string): ElementReadResult {
  const known = elements.get(text);
  if (known !== undefined) return known;
  const read = readElement(text);
  if (read.ok && text.length <= MAX_LENGTH) remember(elements, text, read);
  return read;
}

/** As `writeElement`. */
export function findTextOf(element: PathElement): string {
  if (typeof element !== 'string') {
    element.text ??= writeElement(element);
    return element.text;
  }
  let text = texts.get(element);
  if (text === undefined) {
    text = writeElement(element);
    if (element.length <= MAX_LENGTH) remember(texts, element, text);
  }
  return text;
}

function remember<V>(table: Map<string, V>, key: string, value: V): void {
  if (table.size >= MAX_ENTRIES) table.clear();
  table.set(key, value);
}
