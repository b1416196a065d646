/** OpenAPI documents of custom resources, made from the definitions that a group-version had when it was published. */
import { createStructView, type StructView } from '../../apimachinery/type-view.ts';
import { BugError } from '../../base/errors.ts';
import { parseStructural } from '../../schema/structural/parse-structural.ts';
import type { StructuralSchema } from '../../schema/structural/structural.ts';
import type { GivenSchema, GivenVersionSchemas } from '../../server/openapi/given-schema.ts';
import type { OpenApiResource } from '../../server/openapi/openapi-publisher.ts';
import type { ResourceStore } from '../../server/resource/resource-store.ts';
import { schemaDocuments } from '../../server/resource/schema/schema-openapi.ts';
import type { VersionDefinition } from '../../server/resource/version-definition.ts';
import type { CrdVersion } from '../crd.ts';
import { customDefinition } from './custom-definition.ts';
import { CUSTOM_SCALE } from './custom-scale.ts';
import { CustomVersion } from './custom-version.ts';
import type { Documenter, Published } from './published-resources.ts';

/** The documented verbs. Watches have no paths of their own, as in kube-apiserver. */
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
  throw new BugError('a document called a store');
}

export const documentCustomResources: Documenter = (published) => {
  const names = new Map<StructView, string>();
  const schemas = new Map<string, GivenSchema>();
  const documented = published.map((one) => {
    const { typeName, listTypeName, object, list } = schemasOf(one);
    const view = createStructView(one.crd.acceptedNames.kind, () => []);
    names.set(view, typeName);
    schemas.set(typeName, object);
    schemas.set(listTypeName, list);
    return { ...one, view };
  });
  return {
    resources: () => documented.flatMap(openApiResource),
    typeName: (view) => names.get(view),
    schema: (name) => schemas.get(name),
  };
};

function schemasOf({ crd, version }: Published): GivenVersionSchemas {
  const { kind, listKind, plural } = crd.acceptedNames;
  return schemaDocuments({
    group: crd.group,
    version: version.name,
    kind,
    listKind,
    plural,
    selectableFields: version.selectableFields.map((path) => path.replace(/^\./, '')),
    preserveUnknownFields: crd.preserveUnknownFields,
    schema: () => structuralSchema(version),
  });
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
  const scale = CUSTOM_SCALE.version;
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

/** Returns undefined for a schema that is not structural: its fields are not documented. */
function structuralSchema({ schema }: CrdVersion): StructuralSchema | undefined {
  const parsed = schema === undefined ? undefined : parseStructural(schema);
  return parsed?.ok === true ? parsed.schema : undefined;
}
