/**
 * OpenAPI of custom resources: the schemas of their definitions, with type fields and metadata as every object has them. Invariant: nothing is kept; a document is made from the definitions
 * that a group-version had when it was published.
 */
import { createStructView, type StructView } from '../../apimachinery/type-view.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { openapiV2, openapiV3 } from '../../schema/published-schema.ts';
import { parseStructural } from '../../schema/structural/parse-structural.ts';
import type { StructuralSchema } from '../../schema/structural/structural.ts';
import type { GivenSchema, OpenApiResource } from '../../server/openapi/openapi.ts';
import { META_TYPES } from '../../server/resource/meta-types.ts';
import type { ResourceStore } from '../../server/resource/resource-store.ts';
import type { VersionDefinition } from '../../server/resource/version-definition.ts';
import { CustomVersion } from './custom-version.ts';
import { customDefinition } from './definition.ts';
import type { Documenter, Published } from './published.ts';
import { SCALE_SUBRESOURCE } from './scale.ts';

const API_VERSION_TEXT =
  'The version of the schema in which this list is written: the group and the version, with a slash between them.';
const KIND_TEXT = 'What this list is, in CamelCase.';
const LIST_METADATA_TEXT = "The list's metadata.";

/** How a list refers to types. */
interface ListDialect {
  readonly ref: string;
  readonly metadata: JsonObject;
}

const LIST_V3: ListDialect = {
  ref: '#/components/schemas/',
  metadata: { description: LIST_METADATA_TEXT, allOf: [{ $ref: `#/components/schemas/${META_TYPES}ListMeta` }] },
};
const LIST_V2: ListDialect = {
  ref: '#/definitions/',
  metadata: { description: LIST_METADATA_TEXT, $ref: `#/definitions/${META_TYPES}ListMeta` },
};

/** Which verbs there are. Watches have no paths of their own, as in the reference. */
const VERBS: ResourceStore = {
  get: never,
  list: never,
  create: never,
  update: never,
  delete: never,
  deleteCollection: never,
};
const SUBRESOURCE_VERBS: ResourceStore = { get: never, update: never };

function never(): never {
  throw new Error('documents call no store');
}

export const documentCustomResources: Documenter = (published) => {
  const names = new Map<StructView, string>();
  const schemas = new Map<string, GivenSchema>();
  const documented = published.map((one) => {
    const { kind, listKind } = one.crd.acceptedNames;
    const view = createStructView(kind, () => []);
    const name = modelName(one, kind);
    names.set(view, name);
    schemas.set(name, objectSchema(one));
    schemas.set(modelName(one, listKind), {
      v3: () => listSchema(one, LIST_V3),
      v2: () => listSchema(one, LIST_V2),
      refers: [`${META_TYPES}ListMeta`],
    });
    return { ...one, view };
  });
  return {
    resources: () => documented.flatMap(openApiResource),
    typeName: (view) => names.get(view),
    schema: (name) => schemas.get(name),
  };
};

function objectSchema(one: Published): GivenSchema {
  return {
    v3: () => withSelectableFields(one, openapiV3(structuralSchema(one))),
    v2: () => withSelectableFields(one, openapiV2(structuralSchema(one), one.crd.preserveUnknownFields)),
    refers: [`${META_TYPES}ObjectMeta`],
  };
}

/** `com.example.stable.v1.CronTab`. */
function modelName({ crd, version }: Published, kind: string): string {
  return `${crd.group.split('.').reverse().join('.')}.${version.name}.${kind}`;
}

function openApiResource({
  crd,
  version,
  view,
}: Published & { readonly view: StructView }): readonly OpenApiResource[] {
  const definition = customDefinition(crd, {
    compile: () => undefined,
    converter: () => undefined,
    exactSince: () => 0,
    isTerminating: () => false,
  });
  if (definition === undefined) return [];
  const own: VersionDefinition = Object.assign(new CustomVersion(crd, version, () => undefined), { type: () => view });
  const scale = SCALE_SUBRESOURCE.version;
  return [
    {
      definition,
      version: own,
      store: VERBS,
      subresources: [
        ...(version.scale === undefined || scale === undefined
          ? []
          : [{ name: 'scale', version: scale, store: SUBRESOURCE_VERBS }]),
        ...(version.hasStatus ? [{ name: 'status', version: own, store: SUBRESOURCE_VERBS }] : []),
      ],
    },
  ];
}

/** What does not parse is not structural, and nothing is said about it. */
function structuralSchema({ version: { schema } }: Published): StructuralSchema | undefined {
  const parsed = schema === undefined ? undefined : parseStructural(schema);
  return parsed?.ok === true ? parsed.schema : undefined;
}

function withSelectableFields({ version: { selectableFields } }: Published, schema: JsonObject): JsonObject {
  if (selectableFields.length === 0) return schema;
  const fields = selectableFields.map((path) => ({ fieldPath: path.replace(/^\./, '') }));
  return { ...schema, 'x-kubernetes-selectable-fields': fields };
}

function listSchema(published: Published, { ref, metadata }: ListDialect): JsonObject {
  const { kind, listKind, plural } = published.crd.acceptedNames;
  return {
    description: `${listKind} is a list of ${kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: { description: API_VERSION_TEXT, type: 'string' },
      items: {
        description: `List of ${plural}.`,
        type: 'array',
        items: { $ref: ref + modelName(published, kind) },
      },
      kind: { description: KIND_TEXT, type: 'string' },
      metadata,
    },
  };
}
