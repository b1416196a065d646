/**
 * Describes stored JSON objects for the cache, in one pass over the bytes and without parsing them.
 * Invariants: work and memory are linear in the size of the value; a described value has terminated strings, as many
 * closing brackets as opening ones, and exactly one metadata object, without a resourceVersion. Numbers and literals
 * are not checked, because the writer has parsed the value. If this process has encoded the value, the bytes after the
 * last wanted member are not read.
 */
import { decodeUtf8Strict, encodeUtf8 } from '../base/bytes.ts';
import { endOfString } from '../base/json-scan.ts';
import type { Describe, Facts } from './cache.ts';
import { EMPTY_FACTS, EMPTY_STRING_MAP, makeStringMap } from './facts.ts';
import { FactsPool, hashOf } from './facts-pool.ts';

export interface DescribeJsonOptions {
  /**
   * Selectable fields by path, such as `spec.nodeName`. The facts of every object have all of these fields; a field is
   * `''` if the object has no scalar at the path.
   */
  readonly fields?: readonly string[];
  /** The sources of fields whose name is not their path. */
  readonly sources?: FieldSources;
}

/**
 * The paths of a field, by the name of the field. The first path with a nonempty value is used. A path `=text` is a
 * default value.
 */
export type FieldSources = Readonly<Record<string, readonly string[]>>;

/** A selectable field and the indexes of its paths. */
interface SelectableField {
  readonly name: string;
  readonly paths: readonly number[];
  /** The value if no path has one. */
  readonly otherwise: string;
}

/** A member that the scan looks for in an object. */
interface Wanted {
  readonly name: Uint8Array;
  /** The index of the member's span in `Scan.spans`; -1 if only nested members are wanted. */
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

/** Returns a `Describe` with its own pool of facts: objects with equal labels and fields share one value. */
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
  return (value, _key, isOwn = false) => {
    const problem = scan.run(value, top, isOwn);
    if (problem !== undefined) return { reason: problem };
    const known = pool.find(value, scan.spans);
    if (known !== undefined) return { facts: known, splice: scan.splice };
    const facts = readFacts(value, scan.spans, fields, paths);
    if (typeof facts === 'string') return { reason: facts };
    pool.add(value, scan.spans, facts);
    return { facts, splice: scan.splice };
  };
}

/**
 * Finds the offsets of the wanted values and skips all others. One scan is reused for all values, one after the other.
 */
class Scan {
  /** Start and end offsets of the wanted values, in pairs, the labels first. Both are 0 for an absent value. */
  readonly spans: number[];
  splice = 0;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  #metadataSeen = false;
  /** How many wanted top-level members are not found yet; -1 if the scan reads all bytes. */
  #left = -1;
  #problem: string | undefined;

  constructor(wanted: number) {
    this.spans = new Array<number>(wanted * 2).fill(0);
  }

  /**
   * Scans a value and sets `spans`. Returns the problem of a malformed value. `isOwn`: the value is well-formed, so the
   * bytes after the last wanted member are not read.
   */
  run(bytes: Uint8Array, top: readonly Wanted[], isOwn: boolean): string | undefined {
    this.#bytes = bytes;
    this.#left = isOwn ? top.length : -1;
    this.#at = 0;
    this.#problem = undefined;
    this.splice = 0;
    this.#metadataSeen = false;
    this.spans.fill(0);
    this.#skipSpace();
    if (bytes[this.#at] !== OPEN_BRACE) return 'it is not a JSON object';
    this.#object(top, 0, false);
    if (this.#left !== 0) {
      this.#skipSpace();
      if (this.#problem === undefined && this.#at !== bytes.length) this.#problem = 'something follows the object';
    }
    if (this.#problem === undefined && this.splice === 0) this.#problem = 'it has no metadata object';
    this.#bytes = EMPTY;
    return this.#problem;
  }

  /**
   * Reads an object, from `{` to after `}`. `level` 0 is the value itself, 1 its members. The recursion is as deep as
   * the wanted paths, however deep the value is. Like the methods below, returns false once a problem was found.
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
      const found = find(wanted, bytes, from, to);
      if (!this.#member(found, level)) return false;
      if (level === 0 && found !== undefined && --this.#left === 0) return true;
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
    const first = bytes[this.#at];
    if (first === QUOTE) return this.#skipString();
    if (first === OPEN_BRACE || first === OPEN_BRACKET) return this.#skipBrackets();
    const size = bytes.length;
    const from = this.#at;
    let at = from;
    while (at < size && !isEnd(bytes[at])) at++;
    while (at > from && isSpace(bytes[at - 1])) at--;
    this.#at = at;
    return at > from || this.#fail('a member has no value');
  }

  /** Skips from an opening bracket to after its closing bracket. Most bytes of a large object are read here. */
  #skipBrackets(): boolean {
    const bytes = this.#bytes;
    const size = bytes.length;
    let depth = 0;
    let at = this.#at;
    while (at < size) {
      const byte = bytes[at++];
      if (byte === QUOTE) {
        at = endOfString(bytes, at - 1);
        if (at < 0) return this.#fail('a string does not end');
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) {
        this.#at = at;
        return true;
      }
    }
    return this.#fail('a bracket is not closed');
  }

  /** Skips from an opening quote to after its closing quote. */
  #skipString(): boolean {
    const end = endOfString(this.#bytes, this.#at);
    if (end < 0) return this.#fail('a string does not end');
    this.#at = end;
    return true;
  }

  #skipSpace(): void {
    const bytes = this.#bytes;
    let at = this.#at;
    while (isSpace(bytes[at])) at++;
    this.#at = at;
  }

  #fail(problem: string): false {
    this.#problem ??= problem;
    return false;
  }
}

const EMPTY = new Uint8Array(0);
const NAME_METADATA = encodeUtf8(METADATA);
const NAME_RESOURCE_VERSION = encodeUtf8(RESOURCE_VERSION);

/** Whether a byte ends a number or a literal. */
function isEnd(byte: number | undefined): boolean {
  return byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function find(wanted: readonly Wanted[], bytes: Uint8Array, from: number, to: number): Wanted | undefined {
  for (let i = 0; i < wanted.length; i++) if (isName(bytes, from, to, wanted[i]!.name)) return wanted[i];
  return undefined;
}

/**
 * Whether the bytes between the quotes of a member's name are `name`. Names with escapes are rare, so they are parsed.
 */
function isName(bytes: Uint8Array, from: number, to: number, name: Uint8Array): boolean {
  const length = to - from;
  if (length === name.length) {
    let i = 0;
    while (i < length && bytes[from + i] === name[i]) i++;
    if (i === length) return true;
  }
  // An escape sequence takes at most six bytes for one character.
  if (length <= name.length || length > name.length * 6) return false;
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
    return undefined; // not a JSON value: the caller treats it as malformed
  }
}

/** Returns the facts, or the problem with the value. */
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
    // Take the text of the number, because a double would round long integers.
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

/**
 * Returns the wanted members of `paths` as a tree. Span i belongs to `paths[i]`. Plain loops, because each custom
 * resource builds a tree, often before V8 has optimized this code.
 */
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
