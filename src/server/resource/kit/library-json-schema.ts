/**
 * Converts the JSON Schema of a schema library to a structural schema. Keywords that only annotate are dropped. For a
 * schema without a structural form it throws ConfigError, which names the field and says what to write instead.
 *
 * Objects are stored as clients send them, after defaulting, so the schema of the input counts. A schema that
 * transforms values, and so has another output, is refused.
 */
import { ConfigError, toError } from '../../../base/errors.ts';
import { equalJson, isJsonObject, type JsonObject, type JsonValue, setField } from '../../../base/json-value.ts';
import { intOrString, preserveUnknown } from './schema-helpers.ts';
import type { LibrarySchema } from './schema-source.ts';

const INT_OR_STRING = 'x-kubernetes-int-or-string';

/** Keywords that restrict nothing, or that Kubernetes has no use for. */
const DROPPED: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  'id',
  'definitions',
  '$defs',
  'readOnly',
  'writeOnly',
  'deprecated',
  'examples',
  'contentEncoding',
  'contentMediaType',
  'propertyNames',
]);

/** Keywords of a schema that accepts any value. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['description', 'title', 'default', 'example', 'nullable']);

/**
 * Returns the structural schema of a library's schema. `path` names the field in messages: `spec`. Throws ConfigError.
 */
export function libraryJsonSchema(source: LibrarySchema, path: string, kind: string): JsonObject {
  const { vendor, jsonSchema } = source['~standard'];
  const input = read(() => jsonSchema.input({ target: 'openapi-3.0' }), { vendor, path, kind });
  const converted = new Converter(input, kind).node(input, path, []);
  const output = read(() => jsonSchema.output({ target: 'openapi-3.0' }), { vendor, path, kind });
  const transformed = difference(converted, new Converter(output, kind).node(output, path, []), path);
  if (transformed !== undefined)
    throw new ConfigError(
      `${transformed} of ${kind}: the schema transforms its value, but objects are stored as clients send them. ` +
        'Remove the transformation and use the hook mutate',
    );
  return converted;
}

function read(
  convert: () => Record<string, unknown>,
  { vendor, path, kind }: { readonly vendor: string; readonly path: string; readonly kind: string },
): JsonObject {
  try {
    // The text contains no value that JSON cannot express, and the copy belongs to us.
    return JSON.parse(JSON.stringify(convert())) as JsonObject;
  } catch (caught) {
    const { message } = toError(caught);
    throw new ConfigError(`${path} of ${kind}: ${vendor} cannot express the schema as JSON Schema: ${message}`);
  }
}

class Converter {
  readonly #root: JsonObject;
  readonly #kind: string;

  constructor(root: JsonObject, kind: string) {
    this.#root = root;
    this.#kind = kind;
  }

  /** `refs`: the references that led to the node. A repeated one is a recursion. */
  node(source: JsonObject, path: string, refs: readonly string[]): JsonObject {
    const { $ref } = source;
    if (typeof $ref === 'string') return this.#referred(source, $ref, path, refs);
    const node: JsonObject = {};
    for (const name of Object.keys(source)) if (!DROPPED.has(name)) setField(node, name, source[name] as JsonValue);
    this.#logic(node, path);
    if (node['type'] === 'integer' && node['format'] === undefined) setFormat(node);
    const isAny = Object.keys(node).every(
      (name) => ANNOTATIONS.has(name) || (name.startsWith('x-') && name !== INT_OR_STRING),
    );
    if (isAny) return { ...node, ...preserveUnknown() };
    this.#children(node, path, refs);
    return node;
  }

  #children(node: JsonObject, path: string, refs: readonly string[]): void {
    const { properties, items } = node;
    if (isJsonObject(properties)) {
      const converted: JsonObject = {};
      for (const name of Object.keys(properties))
        setField(converted, name, this.node(properties[name] as JsonObject, `${path}.${name}`, refs));
      node['properties'] = converted;
    }
    if (isJsonObject(items)) node['items'] = this.node(items, `${path}[]`, refs);
    this.#additional(node, path, refs);
  }

  /** Unknown fields are pruned, so a closed object says nothing more. An open object preserves them. */
  #additional(node: JsonObject, path: string, refs: readonly string[]): void {
    const { additionalProperties: values, properties } = node;
    if (values === undefined) return;
    const hasProperties = isJsonObject(properties) && Object.keys(properties).length > 0;
    if (values === false || hasProperties) delete node['additionalProperties'];
    if (values === false) return;
    const isOpen = values === true || (isJsonObject(values) && Object.keys(values).length === 0);
    if (hasProperties) {
      if (!isOpen)
        throw this.#refused(
          path,
          'an object has either named fields or a schema for all others',
          'z.record() in a field',
        );
      Object.assign(node, preserveUnknown());
    } else
      node['additionalProperties'] = isOpen ? preserveUnknown() : this.node(values as JsonObject, `${path}[]`, refs);
  }

  #referred(source: JsonObject, ref: string, path: string, refs: readonly string[]): JsonObject {
    if (refs.includes(ref) || ref === '#')
      throw this.#refused(path, 'a schema cannot contain itself', 'z.any().meta(preserveUnknown())');
    const [, name = ''] = /^#\/(?:definitions|\$defs)\/(.+)$/.exec(ref) ?? [];
    const all = this.#root['definitions'] ?? this.#root['$defs'];
    const target = isJsonObject(all) ? all[name] : undefined;
    if (!isJsonObject(target)) throw this.#refused(path, `the reference ${ref} leads nowhere`, 'the schema itself');
    const { $ref: _, ...own } = source;
    return { ...this.node(target, path, [...refs, ref]), ...(own as JsonObject) };
  }

  /** Replaces unions by structural forms: int-or-string, an enumeration, or alternatives of one type. */
  #logic(node: JsonObject, path: string): void {
    for (const operator of ['anyOf', 'oneOf'] as const) {
      const listed = node[operator];
      if (!Array.isArray(listed)) continue;
      delete node[operator];
      if (node[INT_OR_STRING] === true) continue;
      const all = listed.filter(isJsonObject);
      const members = all.filter((member) => !isNull(member));
      if (members.length < all.length) node['nullable'] = true;
      const [first] = members;
      if (first === undefined) throw this.#refused(path, 'the schema accepts only null', 'an optional field');
      if (members.length === 1) Object.assign(node, first);
      else if (isIntOrString(members)) Object.assign(node, intOrString());
      else if (members.every(({ type }) => type === first['type'] && isScalar(type))) merge(node, members, operator);
      else
        throw this.#refused(
          path,
          'a union of different types is not structural',
          'one object whose fields are optional, with rule() to say which belong together; intOrString() for an ' +
            'integer or a string; preserveUnknown() for any value',
        );
    }
  }

  #refused(path: string, problem: string, instead: string): ConfigError {
    return new ConfigError(`${path} of ${this.#kind}: ${problem}. Write ${instead} instead`);
  }
}

/** The bounds of `z.int()` are those of safe integers. */
function setFormat(node: JsonObject): void {
  const { minimum, maximum } = node;
  const isInt32 = Number(minimum) >= -2147483648 && Number(maximum) <= 2147483647;
  node['format'] = isInt32 ? 'int32' : 'int64';
}

function isScalar(type: JsonValue | undefined): boolean {
  return type === 'string' || type === 'integer' || type === 'number' || type === 'boolean';
}

function isNull({ nullable, enum: values }: JsonObject): boolean {
  return nullable === true && Array.isArray(values) && values.length === 1 && values[0] === null;
}

function isIntOrString(members: readonly JsonObject[]): boolean {
  const types = members.map(({ type }) => type);
  return members.length === 2 && types.includes('integer') && types.includes('string');
}

/** Merges alternatives of one scalar type: into one enumeration, or below the logic operator without the type. */
function merge(node: JsonObject, members: readonly JsonObject[], operator: string): void {
  node['type'] = members[0]?.['type'] as JsonValue;
  if (members.every((member) => Array.isArray(member['enum'])))
    node['enum'] = members.flatMap((member) => member['enum'] as JsonValue[]);
  else node[operator] = members.map(({ type: _, description: _d, default: _v, ...rest }) => rest as JsonObject);
}

/** Keywords in which the schemas of input and output may differ: a field with a default is required in the output. */
const DIRECTED: ReadonlySet<string> = new Set(['required', 'default']);

/** Returns the path of the first field whose value has another schema after parsing; undefined if there is none. */
function difference(input: JsonObject, output: JsonObject, path: string): string | undefined {
  const names = new Set([...Object.keys(input), ...Object.keys(output)]);
  for (const name of names) {
    if (DIRECTED.has(name)) continue;
    const [before, after] = [input[name], output[name]];
    if (before !== undefined && after !== undefined && equalJson(before, after)) continue;
    if (!isJsonObject(before) || !isJsonObject(after)) return path;
    const isNamed = name === 'properties';
    if (!isNamed) {
      const found = difference(before, after, name === 'items' ? `${path}[]` : path);
      if (found !== undefined) return found;
      continue;
    }
    for (const property of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const [own, other] = [before[property], after[property]];
      if (!isJsonObject(own) || !isJsonObject(other)) return `${path}.${property}`;
      const found = difference(own, other, `${path}.${property}`);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
