/**
 * Nodes of which no rule for definitions has anything to say: a type, texts, limits, and parts that are as plain. Most schemas are made of little else, so one look at everything spares the rules theirs. Invariant:
 * what is below a plain node is plain; what is not known here is not plain; a root never is, because rules of its own hold for it.
 */
import { isJsonObject, type JsonValue } from '../base/json-value.ts';
import { isKnownFormat } from './formats/formats.ts';
import { isGoodPattern } from './pattern-problem.ts';
import type { SchemaSource } from './schema-source.ts';

/** Whoever walks a schema need not go into these. */
export type PlainNodes = ReadonlySet<SchemaSource>;

export const NO_PLAIN_NODES: PlainNodes = new Set<SchemaSource>();

/** What is deeper is left to the rules. */
const MAX_DEPTH = 100;

type Check = 'text' | 'flag' | 'number' | 'list' | 'type' | 'format' | 'pattern' | 'properties' | 'items' | 'values';

const FIELDS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['description', 'text'],
  ['title', 'text'],
  ['type', 'type'],
  ['format', 'format'],
  ['pattern', 'pattern'],
  ['nullable', 'flag'],
  ['maximum', 'number'],
  ['exclusiveMaximum', 'flag'],
  ['minimum', 'number'],
  ['exclusiveMinimum', 'flag'],
  ['multipleOf', 'number'],
  ['maxLength', 'number'],
  ['minLength', 'number'],
  ['maxItems', 'number'],
  ['minItems', 'number'],
  ['maxProperties', 'number'],
  ['minProperties', 'number'],
  ['enum', 'list'],
  ['required', 'list'],
  ['properties', 'properties'],
  ['items', 'items'],
  ['additionalProperties', 'values'],
]);

const TYPES: ReadonlySet<JsonValue | undefined> = new Set<JsonValue | undefined>([
  'array',
  'boolean',
  'integer',
  'number',
  'object',
  'string',
]);

export function plainNodes(root: SchemaSource): PlainNodes {
  const plain = new Set<SchemaSource>();
  isPlain(root, 0, plain);
  plain.delete(root);
  return plain;
}

function isPlain(node: SchemaSource, depth: number, plain: Set<SchemaSource>): boolean {
  if (depth > MAX_DEPTH) return false;
  const type = node['type'];
  let ok = TYPES.has(type) && (type !== 'array' || isJsonObject(node['items']));
  for (const name of Object.keys(node)) {
    const value = node[name] as JsonValue;
    // The rest is looked at all the same: it may have plain parts.
    switch (FIELDS.get(name)) {
      case 'type':
        break;
      case 'text':
        ok &&= typeof value === 'string';
        break;
      case 'flag':
        ok &&= typeof value === 'boolean';
        break;
      case 'number':
        ok &&= typeof value === 'number';
        break;
      case 'list':
        ok &&= Array.isArray(value);
        break;
      case 'format':
        ok &&= typeof value === 'string' && typeof type === 'string' && (value === '' || isKnownFormat(type, value));
        break;
      case 'pattern':
        ok &&= typeof value === 'string' && (value === '' || isGoodPattern(value));
        break;
      case 'properties':
        ok = arePlain(value, depth + 1, plain) && ok && type === 'object';
        break;
      case 'items':
        ok = isJsonObject(value) && isPlain(value, depth + 1, plain) && ok && type === 'array';
        break;
      case 'values':
        ok = isJsonObject(value) && isPlain(value, depth + 1, plain) && ok && isMap(node);
        break;
      default:
        ok = false;
    }
  }
  if (ok) plain.add(node);
  return ok;
}

function arePlain(properties: JsonValue, depth: number, plain: Set<SchemaSource>): boolean {
  if (!isJsonObject(properties)) return false;
  let ok = true;
  for (const name of Object.keys(properties)) {
    const property = properties[name] as JsonValue;
    ok = isJsonObject(property) && isPlain(property, depth, plain) && ok;
  }
  return ok;
}

function isMap(node: SchemaSource): boolean {
  return node['type'] === 'object' && node['properties'] === undefined;
}
