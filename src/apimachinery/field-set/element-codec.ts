/** The text of path elements in FieldsV1: `f:name`, `k:{"name":"a"}`, `v:"x"`, `i:3`. */
import { parseJson } from '../../base/json-parse.ts';
import { isJsonObject, type JsonValue } from '../../base/json-value.ts';
import { formatJson, formatJsonString } from '../go-format.ts';
import { IndexElement, KeyElement, keyElement, type PathElement, ValueElement } from './path-element.ts';

/**
 * Values inside elements are keys of items: scalars, in practice. The bound keeps comparisons of hostile ones cheap.
 */
const MAX_VALUE_DEPTH = 64;

export type ElementReadResult =
  | { readonly ok: true; readonly element: PathElement }
  /** `unknown`: a kind of element that a later version may define; readers drop it with everything below. */
  | { readonly ok: false; readonly unknown: true }
  | { readonly ok: false; readonly unknown: false; readonly message: string };

const UNKNOWN: ElementReadResult = { ok: false, unknown: true };
const COLON = 0x3a;

/** Reads a key of FieldsV1 other than `.`. Never throws. */
export function readElement(text: string): ElementReadResult {
  if (text.length < 2) return malformed(`key must be 2 characters long: ${formatJsonString(text)}`);
  if (text.charCodeAt(1) !== COLON) return malformed(`missing colon: ${text}`);
  switch (text[0]) {
    case 'f':
      return { ok: true, element: text.slice(2) };
    case 'k':
      return readKey(text);
    case 'v': {
      const value = readValue(text);
      return value === undefined
        ? malformed(`not a JSON value: ${text}`)
        : { ok: true, element: new ValueElement(value) };
    }
    case 'i':
      return /^[+-]?\d+$/.test(text.slice(2))
        ? { ok: true, element: new IndexElement(Number(text.slice(2))) }
        : malformed(`not an index: ${text}`);
    default:
      return UNKNOWN;
  }
}

/** One string value without escapes: nearly every key. */
const PLAIN_KEY = /^k:\{"([^"\\]*)":"([^"\\\u0000-\u001f]*)"\}$/;

function readKey(text: string): ElementReadResult {
  const plain = PLAIN_KEY.exec(text);
  if (plain !== null) return { ok: true, element: new KeyElement([plain[1] as string], [plain[2] as string]) };
  const fields = readValue(text);
  return isJsonObject(fields) ? { ok: true, element: keyElement(fields) } : malformed(`not a JSON object: ${text}`);
}

function readValue(text: string): JsonValue | undefined {
  const read = parseJson(text.slice(2), { maxDepth: MAX_VALUE_DEPTH, maxDuplicates: 0 });
  return read.ok ? read.value : undefined;
}

function malformed(message: string): ElementReadResult {
  return { ok: false, unknown: false, message };
}

const PLAIN_TEXT = /^[ !#-%'-;=?-[\]-~]*$/;

/**
 * The key of an element in FieldsV1. Strings inside it are escaped as Go does for HTML; names of key fields are not.
 */
export function writeElement(element: PathElement): string {
  if (typeof element === 'string') return `f:${element}`;
  if (element instanceof KeyElement) return writeKey(element);
  return element instanceof ValueElement ? `v:${writeValue(element.value)}` : `i:${element.index}`;
}

function writeKey({ names, values }: KeyElement): string {
  let text = 'k:{';
  for (let i = 0; i < names.length; i++) {
    if (i > 0) text += ',';
    const name = names[i] as string;
    text += `${PLAIN_TEXT.test(name) ? `"${name}"` : JSON.stringify(name)}:${writeValue(values[i] as JsonValue)}`;
  }
  return `${text}}`;
}

function writeValue(value: JsonValue): string {
  return typeof value === 'string' && PLAIN_TEXT.test(value) ? `"${value}"` : formatJson(value);
}
