/**
 * The YAML writer, equal to the reference's YAML responses (sigs.k8s.io/yaml over goyaml v2): block style, sorted keys,
 * lists not indented under their key, long text folded after column 80. Invariant: `readYaml` reads the same value
 * back.
 */
import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../../../base/json-value.ts';
import { writeJson } from '../../../base/json-write.ts';
import { formatGoFloat } from '../go-float.ts';
import { compareYamlKeys } from './yaml-key-order.ts';
import { resolveScalar } from './yaml-scalar.ts';

/**
 * The text of one document, with a newline at the end. Parts deeper than 500 levels are printed as JSON, which is YAML
 * too.
 */
export function writeYaml(value: JsonValue): string {
  const writer = new YamlWriter();
  writer.document(value);
  return writer.text();
}

const BEST_WIDTH = 80;
const MAX_BLOCK_DEPTH = 500;
/** Longer keys need the explicit form (`? key`). */
const MAX_SIMPLE_KEY = 128;

class YamlWriter {
  readonly #parts: string[] = [];
  #column = 0;

  text(): string {
    return this.#parts.join('');
  }

  document(value: JsonValue): void {
    if (isFilled(value)) this.#collection(value, 0, 0);
    else this.#leaf(value, 0, '');
    this.#endLine();
  }

  #put(text: string): void {
    if (text === '') return;
    this.#parts.push(text);
    const newline = text.lastIndexOf('\n');
    this.#column = newline < 0 ? this.#column + runes(text) : runes(text.slice(newline + 1));
  }

  #endLine(): void {
    if (this.#column > 0) this.#put('\n');
  }

  /** Moves to the start of a line at `indent`. Does nothing if the position is already there, as after `- `. */
  #line(indent: number): void {
    if (this.#column === indent && (indent === 0 || this.#parts.at(-1)?.endsWith(' '))) return;
    this.#endLine();
    this.#put(' '.repeat(indent));
  }

  #collection(value: JsonArray | JsonObject, indent: number, depth: number): void {
    if (depth >= MAX_BLOCK_DEPTH) {
      this.#line(indent);
      this.#put(writeJson(value, { escapeHtml: false }));
    } else if (Array.isArray(value)) this.#sequence(value, indent, depth);
    else this.#mapping(value, indent, depth);
  }

  #sequence(items: JsonArray, indent: number, depth: number): void {
    for (const item of items) {
      this.#line(indent);
      if (isFilled(item)) {
        this.#put('- ');
        this.#collection(item, indent + 2, depth + 1);
      } else {
        this.#put('-');
        this.#leaf(item, indent + 2, ' ');
      }
    }
  }

  #mapping(object: JsonObject, indent: number, depth: number): void {
    const keys = Object.keys(object).filter((key) => object[key] !== undefined);
    for (const key of keys.sort(compareYamlKeys)) {
      const value = object[key] as JsonValue;
      this.#line(indent);
      if (isSimpleKey(key)) {
        this.#string(key, indent + 2, '', true);
        this.#put(':');
        if (isFilled(value)) this.#collection(value, Array.isArray(value) ? indent : indent + 2, depth + 1);
        else this.#leaf(value, indent + 2, ' ');
      } else {
        this.#put('?');
        this.#string(key, indent + 2, ' ', false);
        this.#line(indent);
        this.#put(isFilled(value) ? ': ' : ':');
        if (isFilled(value)) this.#collection(value, indent + 2, depth + 1);
        else this.#leaf(value, indent + 2, ' ');
      }
    }
  }

  /** Writes a scalar or an empty collection. `before` separates it from the text on the line. */
  #leaf(value: JsonValue, indent: number, before: string): void {
    if (typeof value === 'string') this.#string(value, indent, before, false);
    else this.#put(before + formatLeaf(value));
  }

  #string(text: string, indent: number, before: string, isKey: boolean): void {
    // At the root text is indented too.
    const inner = indent === 0 ? 2 : indent;
    const facts = analyze(text);
    // YAML readers disagree on an indentation indicator at the root.
    const style = chooseStyle(text, facts, isKey || (indent === 0 && /^[ \n]/.test(text)));
    if (style === 'literal') {
      this.#put(`${before}|${blockHeader(text)}\n`);
      const lines = text.split('\n');
      if (lines.at(-1) === '') lines.pop();
      for (const line of lines) this.#put(line === '' ? '\n' : `${' '.repeat(inner)}${line}\n`);
      return;
    }
    this.#put(before);
    if (style === 'double') this.#double(text, inner, !isKey);
    else if (style === 'single') this.#single(text, inner, !isKey);
    else this.#flow(text, inner, !isKey);
  }

  /** Writes plain text. A single space beyond the width becomes a line break. */
  #flow(text: string, indent: number, fold: boolean): void {
    if (!fold || this.#column + text.length <= BEST_WIDTH) {
      this.#put(text);
      return;
    }
    const words = text.split(' ');
    words.forEach((word, i) => {
      if (i > 0) this.#space(indent, words[i - 1] !== '' && word !== '');
      this.#put(word);
    });
  }

  #space(indent: number, mayBreak: boolean): void {
    if (mayBreak && this.#column > BEST_WIDTH) this.#put(`\n${' '.repeat(indent)}`);
    else this.#put(' ');
  }

  #single(text: string, indent: number, fold: boolean): void {
    this.#put("'");
    const words = text.split(' ');
    words.forEach((word, i) => {
      if (i > 0) {
        const isEdge = (i === 1 && words[0] === '') || (i === words.length - 1 && word === '');
        this.#space(indent, fold && !isEdge && words[i - 1] !== '' && word !== '');
      }
      this.#put(word.replaceAll("'", "''"));
    });
    this.#put("'");
  }

  #double(text: string, indent: number, fold: boolean): void {
    this.#put('"');
    let afterSpace = false;
    const chars = [...text];
    chars.forEach((c, i) => {
      if (c !== ' ') {
        this.#put(escapeChar(c));
        afterSpace = false;
        return;
      }
      if (fold && !afterSpace && this.#column > BEST_WIDTH && i > 0 && i < chars.length - 1)
        this.#put(`\n${' '.repeat(indent)}${chars[i + 1] === ' ' ? '\\' : ''}`);
      else this.#put(' ');
      afterSpace = true;
    });
    this.#put('"');
  }
}

function isFilled(value: JsonValue): value is JsonArray | JsonObject {
  if (Array.isArray(value)) return value.length > 0;
  return isJsonObject(value) && Object.keys(value).some((key) => value[key] !== undefined);
}

function formatLeaf(value: Exclude<JsonValue, string>): string {
  if (value === null) return 'null';
  if (typeof value === 'object') return Array.isArray(value) ? '[]' : '{}';
  if (typeof value !== 'number') return String(value);
  // The reference prints JSON first and reads it as YAML, where whole numbers within 64 bits are integers.
  if (Number.isInteger(value) && Math.abs(value) < 1e21) {
    const scalar = resolveScalar(String(value));
    if (scalar.type === 'int') return scalar.value.toString();
  }
  return formatGoFloat(value, 64);
}

/**
 * The characters that are escaped: those that goyaml's emitter treats as unprintable (tab, controls, everything beyond
 * the basic plane, byte order marks), and the Unicode line separators, which it prints raw but which readers fold.
 */
const SPECIAL = /[^\n\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
const FIRST_INDICATOR = /^[#,[\]{}&*!|>'"%@`]|^[?:-](?:[ \t]|$)|^---|^\.\.\./;
const INNER_INDICATOR = /.:(?:[ \t]|$)|[ \t]#/s;
const BASE60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

interface TextFacts {
  readonly plain: boolean;
  readonly single: boolean;
  readonly block: boolean;
}

/** Which styles can hold the text at all. */
function analyze(text: string): TextFacts {
  const special = SPECIAL.test(text);
  const spaceBreak = text.includes(' \n');
  const breakSpace = text.includes('\n ');
  const isPadded = text.startsWith(' ') || text.endsWith(' ');
  const single = !special && !spaceBreak && !breakSpace;
  return {
    plain: single && !text.includes('\n') && !isPadded && !FIRST_INDICATOR.test(text) && !INNER_INDICATOR.test(text),
    single,
    block: !special && !spaceBreak && !text.endsWith(' ') && text !== '',
  };
}

function chooseStyle(text: string, facts: TextFacts, isKey: boolean): 'plain' | 'single' | 'double' | 'literal' {
  if (text.includes('\n')) return facts.block && !isKey ? 'literal' : 'double';
  // The reference prints the key << plain, and nothing can read it back.
  if (resolveScalar(text).type !== 'str' || isBase60(text) || (isKey && text === '<<')) return 'double';
  if (facts.plain) return 'plain';
  return facts.single ? 'single' : 'double';
}

/** Other YAML 1.1 readers take these for numbers. */
function isBase60(text: string): boolean {
  return text.includes(':') && BASE60.test(text);
}

function isSimpleKey(key: string): boolean {
  return !/[\n\r\u0085\u2028\u2029]/.test(key) && new TextEncoder().encode(key).byteLength <= MAX_SIMPLE_KEY;
}

function blockHeader(text: string): string {
  const indent = /^[ \n]/.test(text) ? '2' : '';
  if (!text.endsWith('\n')) return `${indent}-`;
  return text === '\n' || text.endsWith('\n\n') ? `${indent}+` : indent;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\0', '\\0'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['\x1b', '\\e'],
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\u0085', '\\N'],
  ['\u2028', '\\L'],
  ['\u2029', '\\P'],
]);

function escapeChar(c: string): string {
  const named = ESCAPES.get(c);
  if (named !== undefined) return named;
  if (!SPECIAL.test(c)) return c;
  const point = c.codePointAt(0) as number;
  // A lone surrogate is not a character: print U+FFFD, as a reader would have made of it.
  if (point >= 0xd800 && point <= 0xdfff) return '\ufffd';
  const hex = point.toString(16).toUpperCase();
  if (point <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return point <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

function runes(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) count--;
  return count;
}
