/**
 * The conversion of a path item from OpenAPI v3 to v2. Parameters are added to a map of the caller and referenced by
 * name. A parameter that differs from a known one of its name is inlined.
 */
import { equalJson, isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { METHODS } from './operations.ts';
import { schemaV2 } from './schema-v2.ts';

/** The reference's order of media types. */
const PREFERENCE = [
  'text/plain',
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

export function pathItemV2(item: JsonObject, parameters: Map<string, JsonObject>): JsonObject {
  const result: JsonObject = {};
  for (const method of METHODS) {
    const operation = item[method];
    if (isJsonObject(operation)) result[method] = operationV2(operation, parameters);
  }
  if (item.parameters !== undefined) result.parameters = parameterList(arrayAt(item, 'parameters'), parameters);
  return result;
}

function operationV2(operation: JsonObject, known: Map<string, JsonObject>): JsonObject {
  const responses = objectAt(operation, 'responses');
  const produces = mediaTypes(objectAt(responses, '200'));
  const body = operation.requestBody === undefined ? undefined : objectAt(operation, 'requestBody');
  const isResource = operation['x-kubernetes-action'] !== undefined;
  // Operations that answer with plain text accept no body types.
  const isTyped = firstSchema(objectAt(responses, '200')).type !== 'string';
  const accepted = isResource ? ['*/*'] : isTyped ? produces : undefined;
  const consumes = body === undefined ? accepted : mediaTypes(body);
  const parameters = [
    ...(body === undefined ? [] : [bodyParameter(body)]),
    ...parameterList(arrayAt(operation, 'parameters'), known),
  ];
  const { tags, description, operationId } = operation;
  // Assigned field by field, because there are thousands of operations.
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

/** Adds each parameter to the map and references it. One that differs from a known one of its name is inlined. */
function parameterList(list: JsonArray, parameters: Map<string, JsonObject>): JsonArray {
  return list.filter(isJsonObject).map((parameter) => {
    const { name, description } = parameter;
    const { type, uniqueItems } = objectAt(parameter, 'schema');
    const { in: place, required } = parameter;
    const value = pick({ uniqueItems, type, description, name, in: place, required });
    const key = String(name);
    const known = parameters.get(key);
    if (known === undefined) parameters.set(key, value);
    return known === undefined || equalJson(known, value) ? { $ref: `#/parameters/${key}` } : value;
  });
}

/** In v2 the fields of a kind are sorted by name, unlike in v3. */
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

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

function arrayAt(object: JsonObject, key: string): JsonArray {
  const value = object[key];
  return Array.isArray(value) ? value : [];
}

/** Copies the fields that are defined. */
function pick(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const picked: JsonObject = {};
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}
