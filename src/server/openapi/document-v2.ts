/**
 * The one OpenAPI v2 document, put together from the v3 documents of all group-versions. Invariant: what v2 cannot say (defaults beside references, alternatives,
 * nullable) is left out, so that clients of v2 check less and never refuse what the server takes.
 */

import type { GroupVersion } from '../../apimachinery/meta/gvk.ts';
import { equalJson, isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import { META_TYPES } from '../type-book.ts';
import { METHODS } from './operations.ts';

/** How the reference lists media types. */
const PREFERENCE = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

const KINDS = 'x-kubernetes-group-version-kind';
const HTTPS: JsonArray = ['https'];

/** Takes v3 documents one by one; `finish` gives the whole. */
export class DocumentV2 {
  readonly #paths = new Map<string, JsonObject>();
  readonly #definitions = new Map<string, { readonly schema: JsonObject; readonly kinds: Map<string, JsonValue> }>();
  readonly #parameters = new Map<string, JsonObject>();
  readonly #versions: GroupVersion[] = [];
  #info: JsonObject = {};

  /** `version`: the group-version that the document is about, if it is one of the server's own. `given`: schemas that are in the form of v2 already, by name. */
  add(document: JsonObject, version?: GroupVersion, given: Readonly<Record<string, JsonObject>> = {}): void {
    if (version !== undefined) this.#versions.push(version);
    this.#info = objectAt(document, 'info');
    for (const [path, item] of entries(document, 'paths')) this.#paths.set(path, this.#pathItem(item));
    for (const [name, schema] of entries(objectAt(document, 'components'), 'schemas'))
      this.#define(name, schema, given[name]);
  }

  finish(): JsonObject {
    for (const type of ['DeleteOptions', 'WatchEvent']) this.#everyVersion(type);
    const definitions = [...this.#definitions].map(([name, { schema, kinds }]): [string, JsonObject] => [
      name,
      kinds.size === 0 ? schema : { ...schema, [KINDS]: [...kinds.values()] },
    ]);
    return {
      swagger: '2.0',
      info: this.#info,
      paths: sorted(this.#paths),
      definitions: sorted(definitions),
      parameters: sorted(this.#parameters),
      securityDefinitions: {
        BearerToken: { description: 'A bearer token', type: 'apiKey', name: 'authorization', in: 'header' },
      },
      security: [{ BearerToken: [] }],
    };
  }

  /** These belong to every group-version, also to those that have no use for them. */
  #everyVersion(kind: string): void {
    const known = this.#definitions.get(META_TYPES + kind);
    if (known === undefined) return;
    known.kinds.clear();
    for (const { group, version } of [{ group: '', version: 'v1' }, ...this.#versions]) {
      const value = { group, kind, version };
      known.kinds.set(writeJson(value), value);
    }
  }

  /** A type that several documents have is the same in each, but each names the kinds of its own group-version. */
  #define(name: string, schema: JsonObject, given: JsonObject | undefined): void {
    let known = this.#definitions.get(name);
    if (known === undefined) {
      const { [KINDS]: _, ...own } = given ?? schemaV2(schema);
      known = { schema: own, kinds: new Map() };
      this.#definitions.set(name, known);
    }
    for (const kind of arrayAt(schema, KINDS)) known.kinds.set(writeJson(kind), kind);
  }

  #pathItem(item: JsonObject): JsonObject {
    const result: JsonObject = {};
    for (const method of METHODS) {
      const operation = item[method];
      if (isJsonObject(operation)) result[method] = this.#operation(operation);
    }
    if (item.parameters !== undefined) result.parameters = this.#parameterList(arrayAt(item, 'parameters'));
    return result;
  }

  #operation(operation: JsonObject): JsonObject {
    const responses = objectAt(operation, 'responses');
    const produces = mediaTypes(objectAt(responses, '200'));
    const body = operation.requestBody === undefined ? undefined : objectAt(operation, 'requestBody');
    const isResource = operation['x-kubernetes-action'] !== undefined;
    // What answers plain text takes nothing.
    const isTyped = firstSchema(objectAt(responses, '200')).type !== 'string';
    const accepted = isResource ? ['*/*'] : isTyped ? produces : undefined;
    const consumes = body === undefined ? accepted : mediaTypes(body);
    const parameters = [
      ...(body === undefined ? [] : [bodyParameter(body)]),
      ...this.#parameterList(arrayAt(operation, 'parameters')),
    ];
    const { tags, description, operationId } = operation;
    // Field by field: there are thousands of operations.
    const made: JsonObject = {};
    if (description !== undefined) made.description = description;
    if (consumes !== undefined) made.consumes = consumes;
    made.produces = produces;
    made.schemes = HTTPS;
    if (tags !== undefined) made.tags = tags;
    if (operationId !== undefined) made.operationId = operationId;
    if (parameters.length > 0) made.parameters = parameters;
    const answers: JsonObject = {};
    for (const code of Object.keys(responses)) answers[code] = responseV2(responses[code]);
    made.responses = answers;
    addExtensionsV2(made, operation);
    return made;
  }

  /** Each parameter is written once and referred to; one that differs from another of its name stays where it is. */
  #parameterList(list: JsonArray): JsonArray {
    return list.filter(isJsonObject).map((parameter) => {
      const { name, description } = parameter;
      const { type, uniqueItems } = objectAt(parameter, 'schema');
      const { in: place, required } = parameter;
      const value = pick({ uniqueItems, type, description, name, in: place, required });
      const key = String(name);
      const known = this.#parameters.get(key);
      if (known === undefined) this.#parameters.set(key, value);
      return known === undefined || equalJson(known, value) ? { $ref: `#/parameters/${key}` } : value;
    });
  }
}

/** The kind of an operation is written in the order of names here, unlike in v3. */
function addExtensionsV2(made: JsonObject, operation: JsonObject): void {
  for (const key of Object.keys(operation)) if (key.startsWith('x-')) made[key] = operation[key] as JsonValue;
  const { group, kind, version } = objectAt(operation, KINDS);
  if (kind !== undefined) made[KINDS] = pick({ group, kind, version });
}

function bodyParameter(body: JsonObject): JsonObject {
  const { required } = body;
  return { name: 'body', in: 'body', ...pick({ required }), schema: firstSchema(body) };
}

function responseV2(response: JsonValue | undefined): JsonObject {
  if (!isJsonObject(response)) return {};
  const { description } = response;
  return response.content === undefined
    ? pick({ description })
    : { ...pick({ description }), schema: firstSchema(response) };
}

function firstSchema(holder: JsonObject): JsonObject {
  const [first] = Object.values(objectAt(holder, 'content'));
  return isJsonObject(first) ? schemaV2(objectAt(first, 'schema')) : {};
}

function mediaTypes(holder: JsonObject): string[] {
  const rank = (type: string): number => (PREFERENCE.indexOf(type) + PREFERENCE.length) % PREFERENCE.length;
  return Object.keys(objectAt(holder, 'content')).sort((a, b) => rank(a) - rank(b));
}

const LEFT_OUT = new Set(['default', 'nullable', 'oneOf', 'anyOf', 'not', 'deprecated', 'writeOnly', 'example']);
/** What means nothing without a type. */
const WITH_TYPE = new Set(['type', 'items', 'properties', 'additionalProperties', 'required']);

function schemaV2(schema: JsonObject): JsonObject {
  const [only] = arrayAt(schema, 'allOf');
  const ref = isJsonObject(only) ? only.$ref : schema.$ref;
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined || LEFT_OUT.has(key) || (key === 'allOf' && ref !== undefined)) continue;
    if (schema.nullable === true && WITH_TYPE.has(key)) continue;
    result[key] = convertKey(key, value);
  }
  if (typeof ref === 'string') result.$ref = ref.replace('#/components/schemas/', '#/definitions/');
  // Alternatives of scalars (quantities, numbers or names) are texts to clients of v2.
  if (schema.oneOf !== undefined && schema.type === undefined && schema.properties === undefined)
    result.type = 'string';
  return result;
}

function convertKey(key: string, value: JsonValue): JsonValue {
  if (key === 'properties' && isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, subschema(schema)]));
  if (key === 'items' || key === 'additionalProperties') return subschema(value);
  if (key === 'allOf' && Array.isArray(value)) return value.map(subschema);
  return value;
}

function subschema(schema: JsonValue | undefined): JsonValue {
  return isJsonObject(schema) ? schemaV2(schema) : (schema ?? {});
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

function arrayAt(object: JsonObject, key: string): JsonArray {
  const value = object[key];
  return Array.isArray(value) ? value : [];
}

function entries(object: JsonObject, key: string): [string, JsonObject][] {
  return Object.entries(objectAt(object, key)).filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]));
}

function sorted(map: Iterable<[string, JsonObject]>): JsonObject {
  return Object.fromEntries([...map].sort(([a], [b]) => compareUtf8(a, b)));
}

/** Without what is undefined. */
function pick(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const picked: JsonObject = {};
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}
