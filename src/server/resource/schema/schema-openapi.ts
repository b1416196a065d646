/** OpenAPI schemas of a version whose type is a structural schema: the object and its list. */
import { describeKindField } from '../../../apimachinery/facts/meta-descriptions.ts';
import type { GroupVersion } from '../../../apimachinery/meta/gvk.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { openapiV2, openapiV3 } from '../../../schema/published-schema.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import type { GivenSchema, GivenVersionSchemas } from '../../openapi/given-schema.ts';
import { META_TYPES } from '../meta-types.ts';

export interface SchemaDocument extends GroupVersion {
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  /** Paths without a leading dot. */
  readonly selectableFields: readonly string[];
  /** See CompileOptions. Default false. */
  readonly preserveUnknownFields?: boolean;
  /**
   * Returns undefined for a version without a structural schema: any object is then documented. Called per document.
   */
  schema(): StructuralSchema | undefined;
}

/** The description of a field that every list has. */
const described = (field: string): JsonObject => ({ description: describeKindField('List', field) ?? '' });

/** The way in which a list refers to other types. */
interface ListDialect {
  readonly ref: string;
  /** Called for each document: the first call parses the descriptions, which a start does not need. */
  readonly metadata: () => JsonObject;
}

const LIST_V3: ListDialect = {
  ref: '#/components/schemas/',
  metadata: () => ({ ...described('metadata'), allOf: [{ $ref: `#/components/schemas/${META_TYPES}ListMeta` }] }),
};
const LIST_V2: ListDialect = {
  ref: '#/definitions/',
  metadata: () => ({ ...described('metadata'), $ref: `#/definitions/${META_TYPES}ListMeta` }),
};

export function schemaDocuments(document: SchemaDocument): GivenVersionSchemas {
  return {
    typeName: modelName(document, document.kind),
    listTypeName: modelName(document, document.listKind),
    object: objectSchema(document),
    list: {
      v3: () => listSchema(document, LIST_V3),
      v2: () => listSchema(document, LIST_V2),
      refers: [`${META_TYPES}ListMeta`],
    },
  };
}

function objectSchema(document: SchemaDocument): GivenSchema {
  return {
    v3: () => withSelectableFields(document, openapiV3(document.schema())),
    v2: () => withSelectableFields(document, openapiV2(document.schema(), document.preserveUnknownFields === true)),
    refers: [`${META_TYPES}ObjectMeta`],
  };
}

/** `com.example.stable.v1.CronTab`. */
function modelName({ group, version }: GroupVersion, kind: string): string {
  return `${group.split('.').reverse().join('.')}.${version}.${kind}`;
}

function withSelectableFields({ selectableFields }: SchemaDocument, schema: JsonObject): JsonObject {
  if (selectableFields.length === 0) return schema;
  return { ...schema, 'x-kubernetes-selectable-fields': selectableFields.map((fieldPath) => ({ fieldPath })) };
}

function listSchema(document: SchemaDocument, { ref, metadata }: ListDialect): JsonObject {
  const { kind, listKind, plural } = document;
  return {
    description: `${listKind} is a list of ${kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: { ...described('apiVersion'), type: 'string' },
      items: {
        description: `List of ${plural}.`,
        type: 'array',
        items: { $ref: ref + modelName(document, kind) },
      },
      kind: { ...described('kind'), type: 'string' },
      metadata: metadata(),
    },
  };
}
