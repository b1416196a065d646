/**
 * Field numbers of gnostic's OpenAPIv2.proto: all fields of schemas, and of other messages those that our document
 * uses.
 */
import type { JsonObject } from '../../../base/json-value.ts';
import {
  any,
  double,
  encodeGnostic,
  type FieldWriter,
  flag,
  inside,
  integer,
  message,
  named,
  oneOf,
  orBoolean,
  repeated,
  text,
  texts,
} from './gnostic.ts';

/** `type` may be a list in v2. */
const typeItem: FieldWriter = (writer, number, value) =>
  inside(1, texts)(writer, number, Array.isArray(value) ? value : [value]);

const schema: FieldWriter = message(
  () => ({
    $ref: [1, text],
    format: [2, text],
    title: [3, text],
    description: [4, text],
    default: [5, any],
    multipleOf: [6, double],
    maximum: [7, double],
    exclusiveMaximum: [8, flag],
    minimum: [9, double],
    exclusiveMinimum: [10, flag],
    maxLength: [11, integer],
    minLength: [12, integer],
    pattern: [13, text],
    maxItems: [14, integer],
    minItems: [15, integer],
    uniqueItems: [16, flag],
    maxProperties: [17, integer],
    minProperties: [18, integer],
    required: [19, texts],
    enum: [20, repeated(any)],
    additionalProperties: [21, orBoolean(schema)],
    type: [22, typeItem],
    items: [23, inside(1, schema)],
    allOf: [24, repeated(schema)],
    properties: [25, named(schema)],
    readOnly: [27, flag],
    externalDocs: [29, message(() => ({ description: [1, text], url: [2, text] }), 3)],
    example: [30, any],
  }),
  31,
);

const bodyParameter: FieldWriter = message(
  () => ({ description: [1, text], name: [2, text], in: [3, text], required: [4, flag], schema: [5, schema] }),
  6,
);

const queryParameter: FieldWriter = message(
  () => ({
    required: [1, flag],
    in: [2, text],
    description: [3, text],
    name: [4, text],
    type: [6, text],
    format: [7, text],
    uniqueItems: [20, flag],
  }),
  23,
);

const pathParameter: FieldWriter = message(
  () => ({
    required: [1, flag],
    in: [2, text],
    description: [3, text],
    name: [4, text],
    type: [5, text],
    format: [6, text],
    uniqueItems: [19, flag],
  }),
  22,
);

const nonBodyParameter: FieldWriter = oneOf((value) =>
  value.in === 'path' ? [4, pathParameter] : [3, queryParameter],
);

const parameter: FieldWriter = oneOf((value) => (value.in === 'body' ? [1, bodyParameter] : [2, nonBodyParameter]));

const reference: FieldWriter = message(() => ({ $ref: [1, text], description: [2, text] }));

const parameters: FieldWriter = repeated(oneOf((value) => ('$ref' in value ? [2, reference] : [1, parameter])));

const response: FieldWriter = message(() => ({ description: [1, text], schema: [2, inside(1, schema)] }), 5);

const operation: FieldWriter = message(
  () => ({
    tags: [1, texts],
    summary: [2, text],
    description: [3, text],
    operationId: [5, text],
    produces: [6, texts],
    consumes: [7, texts],
    parameters: [8, parameters],
    responses: [9, named(oneOf((value) => ('$ref' in value ? [2, reference] : [1, response])))],
    schemes: [10, texts],
    deprecated: [11, flag],
  }),
  13,
);

const pathItem: FieldWriter = message(
  () => ({
    get: [2, operation],
    put: [3, operation],
    post: [4, operation],
    delete: [5, operation],
    options: [6, operation],
    head: [7, operation],
    patch: [8, operation],
    parameters: [9, parameters],
  }),
  10,
);

const apiKey: FieldWriter = message(
  () => ({ type: [1, text], name: [2, text], in: [3, text], description: [4, text] }),
  5,
);

const document: FieldWriter = message(
  () => ({
    swagger: [1, text],
    info: [2, message(() => ({ title: [1, text], version: [2, text], description: [3, text] }), 7)],
    paths: [8, named(pathItem, 2)],
    definitions: [9, named(schema)],
    parameters: [10, named(parameter)],
    security: [12, repeated(named(inside(1, texts)))],
    securityDefinitions: [13, named(inside(2, apiKey))],
  }),
  16,
);

/** Encodes a v2 document as the message openapi.v2.Document. */
export function gnosticV2(value: JsonObject): Uint8Array {
  return encodeGnostic(document, value);
}
