/**
 * Converts an OpenAPI document from v2 to v3, for servers that have only v2. It follows kube-openapi/pkg/openapiconv,
 * except that references to parameters are resolved, because the converted document has no section for parameters.
 */
import { fieldAt, flagAt, objectAt, objectsAt, textAt, textsAt } from '../../apimachinery/meta/object-fields.ts';
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];
const PARAMETERS = '#/parameters/';

export function convertV2(document: JsonObject): JsonObject {
  const parameters = objectAt(document, 'parameters') ?? {};
  return {
    openapi: '3.0.0',
    info: objectAt(document, 'info') ?? {},
    paths: mapMembers(objectAt(document, 'paths'), (item) => pathItem(item, parameters)),
    components: { schemas: mapMembers(objectAt(document, 'definitions'), convertSchema) },
  };
}

function mapMembers(object: JsonObject | undefined, convert: (value: JsonObject) => JsonObject): JsonObject {
  const made: JsonObject = {};
  for (const [name, value] of Object.entries(object ?? {})) if (isJsonObject(value)) made[name] = convert(value);
  return made;
}

function pathItem(item: JsonObject, known: JsonObject): JsonObject {
  const made: JsonObject = {};
  for (const method of METHODS) {
    const operation = getField(item, method);
    if (isJsonObject(operation)) made[method] = convertOperation(operation, known);
  }
  const parameters = resolved(item, known);
  if (parameters.length > 0) made['parameters'] = parameters.map(convertParameter);
  return { ...made, ...extensionsOf(item) };
}

function convertOperation(operation: JsonObject, known: JsonObject): JsonObject {
  const parameters = resolved(operation, known);
  const body = parameters.find((parameter) => textAt(parameter, 'in') === 'body');
  const others = parameters.filter((parameter) => parameter !== body);
  const produces = textsAt(operation, 'produces');
  return {
    ...pick(operation, ['tags', 'summary', 'description', 'externalDocs', 'operationId']),
    ...(others.length > 0 && { parameters: others.map(convertParameter) }),
    ...(body !== undefined && {
      requestBody: {
        ...pick(body, ['description']),
        content: contentOf(textsAt(operation, 'consumes'), objectAt(body, 'schema') ?? {}),
        ...(flagAt(body, 'required') && { required: true }),
      },
    }),
    responses: mapMembers(objectAt(operation, 'responses'), (response) => convertResponse(response, produces)),
    ...pick(operation, ['deprecated']),
    ...extensionsOf(operation),
  };
}

/** Returns the parameters of a path item or an operation, without references. */
function resolved(holder: JsonObject, known: JsonObject): readonly JsonObject[] {
  return objectsAt(holder, 'parameters').map((parameter) => {
    const reference = textAt(parameter, '$ref');
    if (!reference.startsWith(PARAMETERS)) return parameter;
    return objectAt(known, reference.slice(PARAMETERS.length)) ?? parameter;
  });
}

function convertParameter(parameter: JsonObject): JsonObject {
  const schema = objectAt(parameter, 'schema') ?? pick(parameter, ['type', 'format', 'uniqueItems', 'items', 'enum']);
  return {
    ...pick(parameter, ['name', 'in', 'description', 'required', 'allowEmptyValue']),
    schema: convertSchema(schema),
    ...extensionsOf(parameter),
  };
}

function convertResponse(response: JsonObject, produces: readonly string[]): JsonObject {
  const schema = objectAt(response, 'schema');
  return {
    description: textAt(response, 'description'),
    ...(schema !== undefined && produces.length > 0 && { content: contentOf(produces, schema) }),
    ...extensionsOf(response),
  };
}

function contentOf(mediaTypes: readonly string[], schema: JsonObject): JsonObject {
  return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: convertSchema(schema) }]));
}

/** A reference in v3 cannot have siblings, so a reference with a description becomes the only member of `allOf`. */
function convertSchema(schema: JsonObject): JsonObject {
  const made: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) if (value !== undefined) made[key] = convertKey(key, value);
  const { $ref, ...rest } = made;
  if ($ref === undefined || Object.keys(rest).length === 0) return made;
  return { ...rest, allOf: [{ $ref }] };
}

function convertKey(key: string, value: JsonValue): JsonValue {
  if (key === '$ref' && typeof value === 'string') return value.replace('#/definitions/', '#/components/schemas/');
  if (key === 'properties' && isJsonObject(value)) return mapMembers(value, convertSchema);
  if (key === 'items' || key === 'additionalProperties' || key === 'additionalItems') return subschema(value);
  return key === 'allOf' && Array.isArray(value) ? value.map(subschema) : value;
}

function subschema(value: JsonValue): JsonValue {
  return isJsonObject(value) ? convertSchema(value) : value;
}

function pick(object: JsonObject, names: readonly string[]): JsonObject {
  const picked: JsonObject = {};
  for (const name of names) {
    const value = fieldAt(object, name);
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

function extensionsOf(object: JsonObject): JsonObject {
  return pick(
    object,
    Object.keys(object).filter((name) => name.startsWith('x-')),
  );
}
