/**
 * Field numbers of gnostic's OpenAPIv3.proto: all fields of schemas, and of other messages those that our documents
 * use.
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
  orBoolean,
  orReference,
  repeated,
  scalarDefault,
  text,
  texts,
} from './gnostic.ts';

const schema: FieldWriter = message(
  () => ({
    nullable: [1, flag],
    readOnly: [3, flag],
    writeOnly: [4, flag],
    externalDocs: [6, message(() => ({ description: [1, text], url: [2, text] }), 3)],
    example: [7, any],
    deprecated: [8, flag],
    title: [9, text],
    multipleOf: [10, double],
    maximum: [11, double],
    exclusiveMaximum: [12, flag],
    minimum: [13, double],
    exclusiveMinimum: [14, flag],
    maxLength: [15, integer],
    minLength: [16, integer],
    pattern: [17, text],
    maxItems: [18, integer],
    minItems: [19, integer],
    uniqueItems: [20, flag],
    maxProperties: [21, integer],
    minProperties: [22, integer],
    required: [23, texts],
    enum: [24, repeated(any)],
    type: [25, text],
    allOf: [26, repeated(schemaOrReference)],
    oneOf: [27, repeated(schemaOrReference)],
    anyOf: [28, repeated(schemaOrReference)],
    not: [29, schema],
    items: [30, inside(1, schemaOrReference)],
    properties: [31, named(schemaOrReference)],
    additionalProperties: [32, orBoolean(schemaOrReference)],
    default: [33, scalarDefault],
    description: [34, text],
    format: [35, text],
  }),
  36,
);

const schemaOrReference: FieldWriter = orReference(schema);

const mediaTypes: FieldWriter = named(message(() => ({ schema: [1, schemaOrReference] }), 5));

const parameter: FieldWriter = message(
  () => ({
    name: [1, text],
    in: [2, text],
    description: [3, text],
    required: [4, flag],
    schema: [10, schemaOrReference],
    content: [13, mediaTypes],
  }),
  14,
);

const response: FieldWriter = message(() => ({ description: [1, text], content: [3, mediaTypes] }), 5);

const operation: FieldWriter = message(
  () => ({
    tags: [1, texts],
    summary: [2, text],
    description: [3, text],
    operationId: [5, text],
    parameters: [6, repeated(orReference(parameter))],
    requestBody: [
      7,
      orReference(message(() => ({ description: [1, text], content: [2, mediaTypes], required: [3, flag] }), 4)),
    ],
    responses: [8, named(orReference(response), 2)],
    deprecated: [10, flag],
  }),
  13,
);

const pathItem: FieldWriter = message(
  () => ({
    summary: [2, text],
    description: [3, text],
    get: [4, operation],
    put: [5, operation],
    post: [6, operation],
    delete: [7, operation],
    options: [8, operation],
    head: [9, operation],
    patch: [10, operation],
    trace: [11, operation],
    parameters: [13, repeated(orReference(parameter))],
  }),
  14,
);

const securityScheme: FieldWriter = message(
  () => ({ type: [1, text], description: [2, text], name: [3, text], in: [4, text], scheme: [5, text] }),
  9,
);

const document: FieldWriter = message(
  () => ({
    openapi: [1, text],
    info: [2, message(() => ({ title: [1, text], description: [2, text], version: [6, text] }), 7)],
    paths: [4, named(pathItem)],
    components: [
      5,
      message(
        () => ({ schemas: [1, named(schemaOrReference)], securitySchemes: [7, named(orReference(securityScheme))] }),
        10,
      ),
    ],
  }),
  9,
);

/** Encodes a v3 document as the message openapi.v3.Document. */
export function gnosticV3(value: JsonObject): Uint8Array {
  return encodeGnostic(document, value);
}
