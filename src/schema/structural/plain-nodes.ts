/**
 * The search for plain nodes: nodes with a type, descriptions, limits, a simple default and plain parts, with which no
 * check of definitions can find fault. Most schemas consist of plain nodes, so that one search saves every check its
 * own walk.
 *
 * Invariants: every node below a plain node is plain. A node with an unknown keyword is not plain. Metadata and type
 * fields of resources are never plain, because special rules apply to them.
 */
import { isJsonObject, type JsonValue } from '../../base/json-value.ts';
import { isKnownFormat } from '../formats/format-check.ts';
import { isGoodPattern } from './pattern-problem.ts';
import { EMBEDDED_RESOURCE, type SchemaSource } from './schema-source.ts';

/** Nodes that a check of definitions may skip. */
export type PlainNodes = ReadonlySet<SchemaSource>;

export const NO_PLAIN_NODES: PlainNodes = new Set<SchemaSource>();

export interface PlainSchema {
  /** The plain nodes. The root is never one of them. */
  readonly nodes: PlainNodes;
  /** True if the root has only the usual keywords and every node below is plain: then the schema is valid. */
  readonly isWhole: boolean;
}

/** Deeper nodes are not plain. */
const MAX_DEPTH = 100;

type Check =
  | 'text'
  | 'flag'
  | 'number'
  | 'list'
  | 'type'
  | 'format'
  | 'pattern'
  | 'default'
  | 'properties'
  | 'items'
  | 'values';

const FIELDS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['description', 'text'],
  ['title', 'text'],
  ['type', 'type'],
  ['format', 'format'],
  ['pattern', 'pattern'],
  ['nullable', 'flag'],
  ['default', 'default'],
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
const ROOT_FIELDS: ReadonlySet<string> = new Set(['description', 'type', 'required', 'properties']);
const RESOURCE_FIELDS: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion']);

/** `allowsDefaults`: true if the definition may have defaults; otherwise a node with a default is not plain. */
export function plainSchema(root: SchemaSource, allowsDefaults: boolean): PlainSchema {
  const survey = new Survey(allowsDefaults);
  const isPlain = survey.isPlain(root, 0);
  survey.plain.delete(root);
  const isWhole = isPlain && root['type'] === 'object' && Object.keys(root).every((name) => ROOT_FIELDS.has(name));
  return { nodes: survey.plain, isWhole };
}

class Survey {
  readonly plain = new Set<SchemaSource>();
  readonly #allowsDefaults: boolean;

  constructor(allowsDefaults: boolean) {
    this.#allowsDefaults = allowsDefaults;
  }

  isPlain(node: SchemaSource, depth: number): boolean {
    if (depth > MAX_DEPTH) return false;
    const type = node['type'];
    let ok = TYPES.has(type) && (type !== 'array' || isJsonObject(node['items']));
    for (const name of Object.keys(node)) {
      const value = node[name] as JsonValue;
      // Parts are visited even if this node is not plain: they may be.
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
        case 'default':
          ok &&= this.#allowsDefaults && fits(node, value);
          break;
        case 'properties':
          ok = this.#arePlain(value, depth, node) && ok && type === 'object';
          break;
        case 'items':
          ok = this.#isPart(value, depth) && ok && type === 'array';
          break;
        case 'values':
          ok = this.#isPart(value, depth) && ok && type === 'object' && node['properties'] === undefined;
          break;
        default:
          ok = false;
      }
    }
    if (ok) this.plain.add(node);
    return ok;
  }

  #isPart(value: JsonValue, depth: number): boolean {
    return isJsonObject(value) && this.isPlain(value, depth + 1);
  }

  #arePlain(properties: JsonValue, depth: number, parent: SchemaSource): boolean {
    if (!isJsonObject(properties)) return false;
    const isResource = depth === 0 || parent[EMBEDDED_RESOURCE] !== undefined;
    let ok = true;
    for (const name of Object.keys(properties))
      ok = !(isResource && RESOURCE_FIELDS.has(name)) && this.#isPart(properties[name] as JsonValue, depth) && ok;
    return ok;
  }
}

const MAX_INT32 = 2 ** 31 - 1;

/**
 * True for a scalar that satisfies its type and the most common limits. False means that `validateDefaults` must
 * decide.
 */
function fits(node: SchemaSource, value: JsonValue): boolean {
  const { type } = node;
  if (typeof value === 'object') return false;
  if (type === 'integer' ? !isInt32(value) : typeof value !== type) return false;
  for (const name of Object.keys(node)) {
    const limit = node[name] as JsonValue;
    switch (name) {
      case 'type':
      case 'description':
      case 'title':
      case 'nullable':
      case 'default':
        break;
      case 'format':
        if (type !== 'integer') return false;
        break;
      case 'minimum':
        if (!isInt32(limit) || typeof value !== 'number' || value < limit) return false;
        break;
      case 'maximum':
        if (!isInt32(limit) || typeof value !== 'number' || value > limit) return false;
        break;
      case 'enum':
        if (!Array.isArray(limit) || !limit.includes(value)) return false;
        break;
      default:
        return false;
    }
  }
  return true;
}

/** True for numbers that every number format can represent. */
function isInt32(value: JsonValue): value is number {
  return Number.isSafeInteger(value) && Math.abs(value as number) <= MAX_INT32;
}
