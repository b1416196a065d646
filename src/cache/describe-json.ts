/**
 * Describes stored JSON objects for the cache: one pass over the bytes, without parsing them. Invariant: work and memory are linear in
 * the size of the value; what is answered as described has whole strings, as many brackets closed as opened and one metadata
 * object without a resourceVersion. Numbers and literals are not checked: the writer of a value parsed it.
 */
import { decodeUtf8Strict, encodeUtf8 } from '../base/bytes.ts';
import type { Describe, Description, Facts, Undescribable } from './cache.ts';
import { EMPTY_FACTS, EMPTY_STRING_MAP, makeStringMap } from './facts.ts';
import { FactsPool, hashOf } from './facts-pool.ts';

export interface DescribeJsonOptions {
  /** Paths of selectable fields, as `spec.nodeName`. Each appears in every object's facts, as `''` if the object has no such scalar. */
  readonly fields?: readonly string[];
  /** Fields that are not what their name says: the first of these paths that holds something. */
  readonly sources?: FieldSources;
}

/** By the name of the field. A source `=text` is no path: it is what the field holds if the paths before it hold nothing. */
export type FieldSources = Readonly<Record<string, readonly string[]>>;

/** A selectable field and the positions of its paths. */
interface SelectableField {
  readonly name: string;
  readonly paths: readonly number[];
  /** What it holds if nothing is at its paths. */
  readonly otherwise: string;
}

/** The members that matter below one object. */
interface Wanted {
  readonly name: Uint8Array;
  /** The position of this field's span; -1 if only something below it is wanted. */
  readonly span: number;
  readonly below: readonly Wanted[];
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

const METADATA = 'metadata';
const RESOURCE_VERSION = 'resourceVersion';
const LABELS = 'labels';

/** A describe function with a pool of facts of its own: objects with equal labels and fields share one value. */
export function describeJson(options: DescribeJsonOptions = {}): Describe {
  const paths: string[] = [];
  const fields = (options.fields ?? []).map((name): SelectableField => {
    const from = options.sources?.[name] ?? [name];
    const own = from.filter((path) => !path.startsWith('=')).map((path) => paths.push(path) - 1);
    return { name, paths: own, otherwise: from.find((path) => path.startsWith('='))?.slice(1) ?? '' };
  });
  const top = wantedTree([`${METADATA}.${LABELS}`, ...paths]);
  const pool = new FactsPool();
  const scan = new Scan(paths.length + 1);
  return (value: Uint8Array): Description | Undescribable => {
    const problem = scan.run(value, top);
    if (problem !== undefined) return { reason: problem };
    const known = pool.find(value, scan.spans);
    if (known !== undefined) return { facts: known, splice: scan.splice };
    const facts = readFacts(value, scan.spans, fields, paths);
    if (typeof facts === 'string') return { reason: facts };
    pool.add(value, scan.spans, facts);
    return { facts, splice: scan.splice };
  };
}

/** Throws away what is not wanted; finds where wanted values begin and end. Reused between values, never between calls in progress. */
class Scan {
  /** From and to of each wanted value, in pairs: the labels first. Equal where it is absent. */
  readonly spans: number[];
  splice = 0;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  #metadataSeen = false;
  #problem: string | undefined;

  constructor(wanted: number) {
    this.spans = new Array<number>(wanted * 2).fill(0);
  }

  run(bytes: Uint8Array, top: readonly Wanted[]): string | undefined {
    this.#bytes = bytes;
    this.#at = 0;
    this.#problem = undefined;
    this.splice = 0;
    this.#metadataSeen = false;
    this.spans.fill(0);
    this.#skipSpace();
    if (bytes[this.#at] !== OPEN_BRACE) return 'it is not a JSON object';
    this.#object(top, 0, false);
    this.#skipSpace();
    if (this.#problem === undefined && this.#at !== bytes.byteLength) this.#problem = 'something follows the object';
    if (this.#problem === undefined && this.splice === 0) this.#problem = 'it has no metadata object';
    this.#bytes = EMPTY;
    return this.#problem;
  }

  /**
   * At `{`; ends behind `}`. `level` 0 is the object itself, 1 its members. Recursion is as deep as the wanted paths, not as the value.
   * False, here and below, once there is a problem.
   */
  #object(wanted: readonly Wanted[], level: number, inMetadata: boolean): boolean {
    const bytes = this.#bytes;
    this.#at++;
    this.#skipSpace();
    if (inMetadata) this.splice = this.#at;
    if (bytes[this.#at] === CLOSE_BRACE) {
      this.#at++;
      return true;
    }
    for (;;) {
      if (bytes[this.#at] !== QUOTE) return this.#fail('a member has no name');
      const from = this.#at + 1;
      if (!this.#skipString()) return false;
      const to = this.#at - 1;
      this.#skipSpace();
      if (bytes[this.#at] !== COLON) return this.#fail('a member has no value');
      this.#at++;
      this.#skipSpace();
      if (inMetadata && isName(bytes, from, to, NAME_RESOURCE_VERSION)) return this.#fail('it holds a resourceVersion');
      if (!this.#member(find(wanted, bytes, from, to), level)) return false;
      this.#skipSpace();
      const next = bytes[this.#at++];
      if (next === CLOSE_BRACE) return true;
      if (next !== COMMA) return this.#fail('an object does not end');
      this.#skipSpace();
    }
  }

  #member(wanted: Wanted | undefined, level: number): boolean {
    const from = this.#at;
    if (wanted === undefined) return this.#skipValue();
    const metadata = level === 0 && wanted.name === NAME_METADATA;
    if (metadata && this.#metadataSeen) return this.#fail('it has two members named metadata');
    this.#metadataSeen ||= metadata;
    const walked =
      wanted.below.length > 0 && this.#bytes[from] === OPEN_BRACE
        ? this.#object(wanted.below, level + 1, metadata)
        : this.#skipValue();
    if (wanted.span >= 0) {
      this.spans[wanted.span * 2] = from;
      this.spans[wanted.span * 2 + 1] = this.#at;
    }
    return walked;
  }

  #skipValue(): boolean {
    const bytes = this.#bytes;
    const size = bytes.byteLength;
    let depth = 0;
    const from = this.#at;
    while (this.#at < size) {
      const byte = bytes[this.#at];
      if (byte === QUOTE) {
        if (!this.#skipString()) return false;
        if (depth === 0) return true;
        continue;
      }
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (depth === 0) break;
        this.#at++;
        if (--depth === 0) return true;
        continue;
      } else if (byte === COMMA && depth === 0) break;
      this.#at++;
    }
    if (depth > 0) return this.#fail('a bracket is not closed');
    while (this.#at > from && isSpace(bytes[this.#at - 1])) this.#at--;
    return this.#at > from || this.#fail('a member has no value');
  }

  /** At the opening quote; ends behind the closing one. */
  #skipString(): boolean {
    const bytes = this.#bytes;
    const size = bytes.byteLength;
    let at = this.#at + 1;
    while (at < size) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        this.#at = at + 1;
        return true;
      }
      at += byte === BACKSLASH ? 2 : 1;
    }
    return this.#fail('a string does not end');
  }

  #skipSpace(): void {
    while (isSpace(this.#bytes[this.#at])) this.#at++;
  }

  #fail(problem: string): false {
    this.#problem ??= problem;
    return false;
  }
}

const EMPTY = new Uint8Array(0);
const NAME_METADATA = encodeUtf8(METADATA);
const NAME_RESOURCE_VERSION = encodeUtf8(RESOURCE_VERSION);

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function find(wanted: readonly Wanted[], bytes: Uint8Array, from: number, to: number): Wanted | undefined {
  for (let i = 0; i < wanted.length; i++) if (isName(bytes, from, to, wanted[i]!.name)) return wanted[i];
  return undefined;
}

/** Whether a member's name, as written between its quotes, is this one. Escaped names are rare and go through the parser. */
function isName(bytes: Uint8Array, from: number, to: number, name: Uint8Array): boolean {
  const length = to - from;
  if (length === name.byteLength) {
    let i = 0;
    while (i < length && bytes[from + i] === name[i]) i++;
    if (i === length) return true;
  }
  // An escape takes at most six bytes for one.
  if (length <= name.byteLength || length > name.byteLength * 6) return false;
  for (let i = from; i < to; i++) {
    if (bytes[i] === BACKSLASH) return parse(bytes, from - 1, to + 1) === decodeUtf8Strict(name);
  }
  return false;
}

function parse(bytes: Uint8Array, from: number, to: number): unknown {
  const text = decodeUtf8Strict(bytes.subarray(from, to));
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the caller takes undefined, which is no JSON value, as "malformed"
  }
}

/** The facts, or what is wrong with the value. */
function readFacts(
  value: Uint8Array,
  spans: readonly number[],
  selectable: readonly SelectableField[],
  paths: readonly string[],
): Facts | string {
  let labels = EMPTY_STRING_MAP;
  if (spans[1]! > 0) {
    const parsed = parse(value, spans[0]!, spans[1]!);
    if (typeof parsed !== 'object' || Array.isArray(parsed)) return 'its labels are not an object';
    const pairs = Object.entries(parsed ?? {});
    for (const [key, label] of pairs) {
      if (typeof label !== 'string') return `its label ${JSON.stringify(key.slice(0, 80))} is not a string`;
    }
    if (pairs.length > 0) labels = makeStringMap(pairs as [string, string][]);
  }
  const hash = hashOf(value, spans);
  if (paths.length === 0) return labels === EMPTY_STRING_MAP ? EMPTY_FACTS : { labels, fields: EMPTY_STRING_MAP, hash };
  const texts: string[] = [];
  for (let i = 0; i < paths.length; i++) {
    const from = spans[i * 2 + 2]!;
    const to = spans[i * 2 + 3]!;
    const field = to === 0 ? '' : parse(value, from, to);
    if (field === undefined) return `its field ${paths[i]} is malformed`;
    // The text as written: a double would corrupt long integers.
    const text = typeof field === 'number' ? (decodeUtf8Strict(value.subarray(from, to)) ?? '') : field;
    texts.push(typeof text === 'string' || typeof text === 'boolean' ? String(text) : '');
  }
  const fields = selectable.map(({ name, paths: own, otherwise }): [string, string] => [
    name,
    own.map((i) => texts[i]!).find((text) => text !== '') ?? otherwise,
  ]);
  return { labels, fields: makeStringMap(fields), hash };
}

interface Making extends Wanted {
  readonly text: string;
  span: number;
  readonly below: Making[];
}

/** `paths[i]` gets span i. In loops: every custom resource has such a tree, made before anything is warm. */
function wantedTree(paths: readonly string[]): readonly Wanted[] {
  const top: Making[] = [];
  for (let i = 0; i < paths.length; i++) {
    const segments = paths[i]!.split('.');
    let level = top;
    for (let depth = 0; depth < segments.length; depth++) {
      const node = nodeOf(level, segments[depth]!);
      if (depth === segments.length - 1 && node.span < 0) node.span = i;
      level = node.below;
    }
  }
  return top;
}

function nodeOf(level: Making[], text: string): Making {
  for (let i = 0; i < level.length; i++) if (level[i]!.text === text) return level[i]!;
  const made: Making = { text, name: text === METADATA ? NAME_METADATA : encodeUtf8(text), span: -1, below: [] };
  level.push(made);
  return made;
}
