/**
 * OpenAPI of custom resources: the schemas of their definitions, with type fields and metadata as every object has them. Invariant: nothing is kept; a document is made from the definitions
 * that a group-version had when it was published.
 */
import { createStructView, type StructView } from '../../apimachinery/type-view.ts';
import { cloneJson, isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { parseStructural } from '../../schema/parse-structural.ts';
import type { OpenApiResource } from '../../server/openapi/openapi.ts';
import type { ResourceStore } from '../../server/registry/resource-store.ts';
import type { VersionDefinition } from '../../server/registry/version-definition.ts';
import { META_TYPES } from '../../server/type-book.ts';
import { CustomVersion } from './custom-version.ts';
import { customDefinition } from './definition.ts';
import type { Documenter, Published } from './published.ts';
import { SCALE_SUBRESOURCE } from './scale.ts';

const REF = '#/components/schemas/';
const PRESERVE = 'x-kubernetes-preserve-unknown-fields';

const API_VERSION_TEXT =
  'The version of the schema in which this object is written: the group and the version, with a slash between them.';
const KIND_TEXT = 'What this object is, in CamelCase. It cannot be changed.';
const METADATA_TEXT = "The object's metadata.";
const LIST_METADATA_TEXT = "The list's metadata.";

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
  const documented = published.map((one) => {
    const view = createStructView(one.crd.acceptedNames.kind, () => []);
    names.set(view, modelName(one, one.crd.acceptedNames.kind));
    return { ...one, view };
  });
  return {
    resources: () => documented.flatMap(openApiResource),
    typeName: (view) => names.get(view),
    schemas: () => {
      const schemas: Record<string, JsonObject> = {};
      for (const one of documented) {
        schemas[modelName(one, one.crd.acceptedNames.kind)] = objectSchema(one);
        schemas[modelName(one, one.crd.acceptedNames.listKind)] = listSchema(one);
      }
      return schemas;
    },
  };
};

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

/** Without a structural schema all that is known is that it is an object. */
function objectSchema({ crd, version }: Published): JsonObject {
  const { schema } = version;
  const isShown = schema !== undefined && !crd.preserveUnknownFields && parseStructural(schema).ok;
  const shown: JsonObject = isShown ? shownSchema(schema) : { type: 'object', [PRESERVE]: true };
  return withObjectFields(shown, { metadata: reference('ObjectMeta', METADATA_TEXT) });
}

function listSchema(published: Published): JsonObject {
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
        items: { $ref: REF + modelName(published, kind) },
      },
      kind: { description: KIND_TEXT, type: 'string' },
      metadata: reference('ListMeta', LIST_METADATA_TEXT),
    },
  };
}

function reference(type: string, description: string): JsonObject {
  return { description, allOf: [{ $ref: `${REF}${META_TYPES}${type}` }] };
}

/** The schema as its author wrote it; embedded resources have the fields of any object. */
function shownSchema(schema: Readonly<JsonObject>): JsonObject {
  const shown = cloneJson(schema as JsonObject);
  addEmbeddedFields(shown);
  return shown;
}

function addEmbeddedFields(schema: JsonObject): void {
  const { properties, items, additionalProperties } = schema;
  if (isJsonObject(properties)) for (const inner of Object.values(properties)) addBelow(inner);
  addBelow(items);
  addBelow(additionalProperties);
}

function addBelow(schema: JsonValue | undefined): void {
  if (!isJsonObject(schema)) return;
  addEmbeddedFields(schema);
  if (schema['x-kubernetes-embedded-resource'] !== true) return;
  const given = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const withFields = withObjectFields(schema, { metadata: reference('ObjectMeta', METADATA_TEXT) });
  Object.assign(schema, withFields, { properties: { ...given, ...(withFields['properties'] as JsonObject) } });
}

function withObjectFields(schema: JsonObject, { metadata }: { readonly metadata: JsonObject }): JsonObject {
  const given = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const properties: JsonObject = {
    ...given,
    apiVersion: { description: API_VERSION_TEXT, type: 'string' },
    kind: { description: KIND_TEXT, type: 'string' },
    metadata,
  };
  return { ...schema, properties };
}
