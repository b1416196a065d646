/**
 * The YAML reader: the first document becomes the JSON value that sigs.k8s.io/yaml (goyaml v2) makes of it. Size, depth
 * and alias expansion are bounded. Failures are values with the reference's messages.
 */

import { decodeUtf8Strict } from '../../../base/bytes.ts';
import { integerOf } from '../../../base/json-parse.ts';
import { readJson } from '../../../base/json-read.ts';
import { type JsonArray, type JsonObject, type JsonValue, setField } from '../../../base/json-value.ts';
import { formatGoFloat } from '../go-float.ts';
import { YamlSyntaxError } from './yaml-cursor.ts';
import { formatGoSyntax } from './yaml-go-syntax.ts';
import { isMergeKey, keyOfNode, mergedNodes, resolveNode, stringOfNode, type YamlKey } from './yaml-key.ts';
import { MAX_YAML_DEPTH } from './yaml-scanner.ts';
import { parseYamlTree, type YamlMappingNode, type YamlNode, type YamlScalarNode } from './yaml-tree.ts';

/** The reference's limit of a request body. */
const MAX_YAML_BYTES: number = 3 * 1024 * 1024;

export interface YamlReadOptions {
  /** Longer input is refused before it is parsed. Default MAX_YAML_BYTES. */
  readonly maxBytes?: number;
}

export interface YamlReadError {
  /** The reference's message where it is known: `yaml: line 2: mapping values are not allowed in this context`. */
  readonly message: string;
  /** The message without its prefix and without the number of a line. */
  readonly reason: string;
  /** The line of the failure, counted from 1; 0 if it has no position. */
  readonly line: number;
  /** The column of the failure, counted from 1; 0 if it has no position. */
  readonly column: number;
}

/** A key that was set before. `key` is printed as Go prints it (`"a"`, `1`, `true`). */
export interface YamlDuplicate {
  /** The line and the column of the later value, counted from 1. */
  readonly line: number;
  readonly column: number;
  readonly key: string;
}

export type YamlReadResult =
  | { readonly ok: true; readonly value: JsonValue; readonly duplicates: readonly YamlDuplicate[] }
  | { readonly ok: false; readonly error: YamlReadError };

/**
 * Reads the first document; null if there is none. The last of equal keys wins, and all are listed in `duplicates`.
 * Keys that are booleans, integers or floats become strings. Integers beyond 64 bits become doubles. `.inf` and `.nan`
 * are errors. Never throws.
 */
export function readYaml(input: Uint8Array | string, options: YamlReadOptions = {}): YamlReadResult {
  const maxBytes = options.maxBytes ?? MAX_YAML_BYTES;
  if (input.length > maxBytes) return failed(`document is larger than ${maxBytes} bytes`);
  const text = typeof input === 'string' ? input : decodeUtf8Strict(input);
  if (text === undefined) return failed('invalid leading UTF-8 octet');
  const json = isPlainJson(text) ? readJson(text, { duplicates: 'report', maxDepth: MAX_YAML_DEPTH }) : undefined;
  if (json?.ok === true && json.duplicates.length === 0) return { ok: true, value: json.value, duplicates: [] };
  try {
    const root = parseYamlTree(text);
    if (root === undefined) return { ok: true, value: null, duplicates: [] };
    return new YamlComposer().compose(root);
  } catch (caught) {
    if (!(caught instanceof YamlSyntaxError)) throw caught;
    const { message, reason, line, column } = caught;
    return { ok: false, error: { message: `yaml: ${message}`, reason, line: line + 1, column: column + 1 } };
  }
}

/** The single error that strict decoding makes of all duplicates. */
export function formatYamlDuplicates(duplicates: readonly YamlDuplicate[]): string {
  const lines = duplicates.map(({ line, key }) => `line ${line}: key ${key} already set in map`);
  return `yaml: unmarshal errors:\n  ${lines.join('\n  ')}`;
}

const JSON_OBJECT = /^[ \r\n]*\{/;
/** YAML requires the colon within 1024 characters from the start of a key. */
const SAFE_DISTANCE = 1000;

/**
 * Whether a text can be read as JSON, which is much faster. Almost all bodies that begin like JSON can. JSON means the
 * same as YAML only without escapes (YAML has its own set), without characters that YAML treats as line breaks or
 * forbids, without a line break before a colon, without a tab at the start of the last line, and with short keys.
 */
function isPlainJson(text: string): boolean {
  if (!JSON_OBJECT.test(text)) return false;
  let quote = 0;
  let afterBreak = false;
  let tabAfterBreak = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x20) continue;
    if (c === 0x09) tabAfterBreak ||= afterBreak;
    else if (c === 0x0a || c === 0x0d) afterBreak = true;
    else {
      if (c === 0x5c || (c === 0x3a && afterBreak) || (c >= 0x7f && UNLIKE_JSON.test(text[i] as string))) return false;
      afterBreak = false;
      tabAfterBreak = false;
      if (c !== 0x22) continue;
      if (i - quote > SAFE_DISTANCE) return false;
      quote = i;
    }
  }
  return !tabAfterBreak;
}

const UNLIKE_JSON = /[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/;

/** A failure without a position. */
function failed(reason: string, message = `yaml: ${reason}`): YamlReadResult {
  return { ok: false, error: { message, reason, line: 0, column: 0 } };
}

/** goyaml's limits on alias expansion (`allowedAliasRatio`). */
const ALIAS_LOW = 400_000;
const ALIAS_HIGH = 4_000_000;
/**
 * The most characters that aliases may repeat. A long text that is referenced often would be far larger as JSON. The
 * reference has no such limit.
 */
const MAX_ALIASED_LENGTH = MAX_YAML_BYTES;

class YamlComposer {
  readonly #duplicates: YamlDuplicate[] = [];
  readonly #expanding: Set<YamlNode> = new Set();
  /** The types of the keys that were not strings, per object. */
  readonly #keyTypes: WeakMap<JsonObject, Map<string, YamlKey['type']>> = new WeakMap();
  #decoded = 1;
  #aliased = 0;
  #aliasedLength = 0;
  #aliasDepth = 0;
  #depth = 0;
  /**
   * The keys that JSON cannot have, per object. Only those of the final value matter: a key inside an overwritten value
   * is not an error.
   */
  readonly #badKeys: WeakMap<JsonObject, Map<string, [YamlKey, YamlNode]>> = new WeakMap();
  #hasBadKeys = false;
  #hasNonFinite = false;

  compose(root: YamlNode): YamlReadResult {
    const value = this.#value(root);
    const badKey = this.#hasBadKeys ? this.#findBadKey(value) : undefined;
    if (badKey !== undefined) return failed(badKey, badKey);
    const nonFinite = this.#hasNonFinite ? findNonFinite(value) : undefined;
    if (nonFinite !== undefined) {
      const reason = `unsupported value: ${formatGoFloat(nonFinite, 64)}`;
      return failed(reason, `json: ${reason}`);
    }
    return { ok: true, value, duplicates: this.#duplicates };
  }

  #value(node: YamlNode, into?: JsonObject): JsonValue {
    this.#count(node);
    if (node.kind === 'scalar') return this.#scalarValue(node);
    if (++this.#depth > MAX_YAML_DEPTH) this.#fail(node, `exceeded max depth of ${MAX_YAML_DEPTH}`);
    let value: JsonValue;
    if (node.kind === 'alias') {
      if (this.#expanding.has(node)) this.#fail(node, `anchor '${node.name}' value contains itself`);
      this.#expanding.add(node);
      this.#aliasDepth++;
      value = this.#value(node.target, into);
      this.#aliasDepth--;
      this.#expanding.delete(node);
    } else if (node.kind === 'sequence') {
      const items: JsonArray = [];
      for (const item of node.items) items.push(this.#value(item));
      value = items;
    } else value = this.#mapping(node, into ?? {});
    this.#depth--;
    return value;
  }

  #countAliased(node: YamlScalarNode): void {
    this.#aliasDepth++;
    this.#count(node);
    this.#aliasDepth--;
  }

  #count(node: YamlNode): void {
    this.#decoded++;
    if (this.#aliasDepth > 0) {
      this.#aliased++;
      if (node.kind === 'scalar') this.#aliasedLength += node.text.length;
      if (this.#aliasedLength > MAX_ALIASED_LENGTH) this.#fail(node, 'document contains excessive aliasing');
    }
    if (this.#aliased <= 100 || this.#decoded <= 1000) return;
    const beyond = Math.min(Math.max(this.#decoded - ALIAS_LOW, 0), ALIAS_HIGH - ALIAS_LOW);
    const allowed = 0.99 - (0.89 * beyond) / (ALIAS_HIGH - ALIAS_LOW);
    if (this.#aliased / this.#decoded > allowed) this.#fail(node, 'document contains excessive aliasing');
  }

  #mapping(node: YamlMappingNode, object: JsonObject): JsonObject {
    for (let i = 0; i < node.items.length; i += 2) {
      const keyNode = node.items[i] as YamlNode;
      const valueNode = node.items[i + 1] as YamlNode;
      if (isMergeKey(keyNode)) {
        this.#merge(valueNode, object);
        continue;
      }
      const key = this.#key(keyNode);
      const value = this.#value(valueNode);
      if (key.type === 'null' || key.type === 'uint') this.#setBad(object, key, valueNode);
      else this.#set(object, key, value, valueNode);
    }
    return object;
  }

  #setBad(object: JsonObject, key: YamlKey, node: YamlNode): void {
    let keys = this.#badKeys.get(object);
    if (keys === undefined) {
      keys = new Map();
      this.#badKeys.set(object, keys);
    } else if (keys.has(key.shown)) this.#addDuplicate(key, node);
    keys.set(key.shown, [key, node]);
    this.#hasBadKeys = true;
  }

  /** The error of the first object, from the root, that has a key that JSON cannot have. */
  #findBadKey(value: JsonValue): string | undefined {
    if (typeof value !== 'object' || value === null) return undefined;
    const isArray = Array.isArray(value);
    for (const [key, held] of (isArray ? undefined : this.#badKeys.get(value)?.values()) ?? [])
      return unsupportedKey(key, held);
    for (const item of isArray ? value : Object.values(value)) {
      const found = this.#findBadKey(item);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #set(object: JsonObject, key: YamlKey, value: JsonValue, node: YamlNode): void {
    let types = this.#keyTypes.get(object);
    // A NaN equals no other key.
    if (Object.hasOwn(object, key.text) && (types?.get(key.text) ?? 'str') === key.type && key.text !== '.nan')
      this.#addDuplicate(key, node);
    if (key.type !== 'str' && types === undefined) {
      types = new Map();
      this.#keyTypes.set(object, types);
    }
    types?.set(key.text, key.type);
    setField(object, key.text, value);
  }

  #addDuplicate(key: YamlKey, node: YamlNode): void {
    this.#duplicates.push({ line: node.line + 1, column: node.column + 1, key: key.shown });
  }

  /** Merged keys are set at the position of the merge: they override earlier keys, and later keys override them. */
  #merge(node: YamlNode, object: JsonObject): void {
    for (const merged of mergedNodes(node)) {
      if ((merged.kind === 'alias' ? merged.target : merged).kind !== 'mapping')
        this.#fail(merged, 'map merge requires map or sequence of maps as the value');
      this.#value(merged, object);
    }
  }

  #key(node: YamlNode): YamlKey {
    const target = node.kind === 'alias' ? node.target : node;
    if (target.kind !== 'scalar') {
      this.#value(node);
      return this.#fail(node, `invalid map key: ${formatGoSyntax(node)}`);
    }
    this.#count(node);
    if (target !== node) this.#countAliased(target);
    return keyOfNode(target);
  }

  #scalarValue(node: YamlScalarNode): JsonValue {
    const scalar = resolveNode(node);
    switch (scalar.type) {
      case 'null':
        return null;
      case 'bool':
        return scalar.value;
      case 'int':
        return integerOf(scalar.value.toString());
      case 'float':
        return this.#float(scalar.value);
      default:
        return stringOfNode(node);
    }
  }

  /** The reference prints the float as JSON and reads it again, so a whole number becomes an integer. */
  #float(value: number): number | bigint {
    if (!Number.isFinite(value)) this.#hasNonFinite = true;
    return Number.isInteger(value) && Math.abs(value) < 1e21 ? integerOf(String(value)) : value;
  }

  #fail(node: YamlNode, message: string): never {
    throw new YamlSyntaxError(message, node);
  }
}

/** The first number, in the order of sorted keys, that JSON cannot represent. The composer has bounded the depth. */
function findNonFinite(value: JsonValue): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : value;
  if (typeof value !== 'object' || value === null) return undefined;
  const items = Array.isArray(value)
    ? value
    : Object.keys(value)
        .sort()
        .map((key) => value[key] as JsonValue);
  for (const item of items) {
    const found = findNonFinite(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function unsupportedKey(key: YamlKey, node: YamlNode): string {
  const type = key.type === 'null' ? '%!s(<nil>)' : 'uint64';
  return `unsupported map key of type: ${type}, key: ${key.shown}, value: ${formatGoSyntax(node)}`;
}
