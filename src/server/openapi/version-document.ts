/**
 * The parts of OpenAPI documents: those of a published group-version, and those of the paths around the groups. Nothing
 * is kept except in the caches of `settings`.
 */
import type { TypeDescriptions } from '../../apimachinery/facts/descriptions.ts';
import type { GroupVersion } from '../../apimachinery/meta/gvk.ts';
import type { StructView } from '../../apimachinery/type-view.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { META_TYPES, type MetaTypes } from '../resource/meta-types.ts';
import type { VersionDefinition } from '../resource/version-definition.ts';
import { type DocumentParts, type PathText, pathText, type SimplePath, simplePathItem } from './document-v3.ts';
import type { OpenApiResource, OpenApiVersion } from './openapi-publisher.ts';
import { groupOperationId, operationId, operationTag } from './operation-names.ts';
import { type Content, kindOf, resourceNames, rootPath, type Subject, subjectsOf, versionNames } from './operations.ts';
import type { PathTemplates, SchemaOf } from './path-templates.ts';
import { SchemaBuilder } from './schema-builder.ts';
import type { SchemaCache } from './schema-text.ts';

export interface DocumentSettings {
  readonly types: MetaTypes;
  readonly templates: PathTemplates;
  /** Types that documents share. */
  readonly schemas: SchemaCache;
  /** Descriptions of types that not all servers have. Default: none. */
  readonly describe?: TypeDescriptions['describe'] | undefined;
}

const DISCOVERY_FORMS = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

export function versionParts(
  version: OpenApiVersion,
  { types, templates, schemas: cache, describe }: DocumentSettings,
): DocumentParts {
  const builder = new SchemaBuilder({
    types,
    cache,
    typeName: (view) => version.typeName(view),
    given: (name) => version.schema?.(name),
    ...(describe === undefined ? undefined : { describe }),
  });
  const nameOf = (view: StructView): string | undefined => version.typeName(view) ?? types.typeName(view);
  const resources = version.resources();
  addMetaKinds(builder, version);
  for (const resource of resources) {
    for (const subject of subjectsOf(resource)) addKinds(builder, subject, nameOf);
  }
  const paths: PathText[] = [];
  const shared = versionNames(version);
  for (const resource of resources) {
    const type = resource.version.type();
    const model = nameOf(type) ?? '';
    const names = { ...resourceNames(shared, resource), model, list: listName(model, resource) };
    const schemaOf: SchemaOf = (subject, content) => contentSchema(builder, content, subject, nameOf);
    const { paths: own, uses } = templates.pathsOf(resource, names, schemaOf);
    paths.push(...own);
    // The template may stem from another resource, but this document must contain the types that it references.
    for (const { subject, content } of uses) schemaOf(subject, content);
  }
  if (version.ownsGroup === true) {
    const discovery = resourcesPath(version);
    const schema = builder.shared(`${META_TYPES}APIResourceList`);
    paths.push(pathText(discovery.path, simplePathItem(discovery, schema)));
  }
  return { paths, schemas: builder.written() };
}

/** Returns the parts of a document about a path that is not a resource. */
export function simpleParts(simple: SimplePath, { types, schemas: cache }: DocumentSettings): DocumentParts {
  const builder = new SchemaBuilder({ types, cache, typeName: () => undefined, given: () => undefined });
  const { typeName } = simple;
  if (typeName?.startsWith(META_TYPES) === true) {
    const kind = typeName.slice(META_TYPES.length);
    builder.addKind(typeName, { group: '', version: 'v1', kind });
    if (kind === 'APIGroupList')
      builder.addKind(`${META_TYPES}APIGroup`, { group: '', version: 'v1', kind: 'APIGroup' });
  }
  const schema = typeName === undefined ? { type: 'string' } : builder.shared(typeName);
  return { paths: [pathText(simple.path, simplePathItem(simple, schema))], schemas: builder.written() };
}

/** `/api`. */
export const LEGACY_ROOT: SimplePath = {
  document: 'api',
  path: '/api/',
  id: 'getCoreAPIVersions',
  tag: 'core',
  description: 'get the versions of the core group',
  produces: DISCOVERY_FORMS,
  typeName: `${META_TYPES}APIVersions`,
};

/** `/apis`. */
export const GROUPS_ROOT: SimplePath = {
  document: 'apis',
  path: '/apis/',
  id: 'getAPIVersions',
  tag: 'apis',
  description: 'get all groups',
  produces: DISCOVERY_FORMS,
  typeName: `${META_TYPES}APIGroupList`,
};

/** `/version`. */
export const VERSION_PATH: SimplePath = {
  document: 'version',
  path: '/version/',
  id: 'getCodeVersion',
  tag: 'version',
  description: 'get the version of this server',
  produces: ['application/json'],
  typeName: 'io.k8s.apimachinery.pkg.version.Info',
};

export function groupDocument(group: string): string {
  return `apis/${group}`;
}

/** `/apis/<group>`. */
export function groupPath(group: string): SimplePath {
  return {
    document: groupDocument(group),
    path: `/apis/${group}/`,
    id: groupOperationId('get', group, 'APIGroup'),
    tag: operationTag(group),
    description: 'get the versions of a group',
    produces: DISCOVERY_FORMS,
    typeName: `${META_TYPES}APIGroup`,
  };
}

function resourcesPath(version: GroupVersion): SimplePath {
  return {
    document: '',
    path: `${rootPath(version)}/`,
    id: operationId('get', version, 'APIResources'),
    tag: operationTag(version.group, version.version),
    description: 'get the resources of a version',
    produces: DISCOVERY_FORMS,
  };
}

/** Kinds of meta/v1 belong to every group-version that sends them. */
function addMetaKinds(builder: SchemaBuilder, served: GroupVersion): void {
  for (const kind of ['Status', 'APIResourceList', 'DeleteOptions', 'WatchEvent'])
    builder.addKind(META_TYPES + kind, { group: '', version: 'v1', kind });
  for (const kind of ['DeleteOptions', 'WatchEvent'])
    builder.addKind(META_TYPES + kind, { group: served.group, version: served.version, kind });
}

function addKinds(builder: SchemaBuilder, subject: Subject, nameOf: (view: StructView) => string | undefined): void {
  const { resource, subresource, ownKind } = subject;
  const name = nameOf(typeOf(subject));
  if (name === undefined) return;
  const kind = ownKind ?? kindOf(resource.version);
  builder.addKind(name, kind);
  const answer = answerOf(subject);
  if (answer?.openapi !== undefined) builder.addKind(answer.openapi.typeName, kindOf(answer));
  if (subresource === '') builder.addKind(listName(name, resource), { ...kind, kind: resource.version.listKind });
}

function typeOf({ resource, subresource }: Subject): StructView {
  const version = resource.subresources.find(({ name }) => name === subresource)?.version ?? resource.version;
  return version.type();
}

function answerOf({ resource, subresource }: Subject): VersionDefinition | undefined {
  return resource.subresources.find(({ name }) => name === subresource)?.answer;
}

/** `io.k8s.api.core.v1.ConfigMapList`. */
function listName(typeName: string, { version }: OpenApiResource): string {
  return typeName.slice(0, typeName.lastIndexOf('.') + 1) + version.listKind;
}

function contentSchema(
  builder: SchemaBuilder,
  content: Content,
  subject: Subject,
  nameOf: (view: StructView) => string | undefined,
): JsonObject {
  switch (content) {
    case 'object':
      return builder.struct(typeOf(subject));
    case 'answer':
      return builder.struct(answerOf(subject)?.type() ?? typeOf(subject));
    case 'list': {
      const type = typeOf(subject);
      const name = nameOf(type);
      const list = name === undefined ? '' : listName(name, subject.resource);
      const schema = (): JsonObject => listSchema(builder, list, builder.struct(type));
      return name === undefined ? schema() : builder.add(list, schema);
    }
    case 'Patch':
      return builder.add(`${META_TYPES}Patch`, () => ({ type: 'object' }));
    case 'text':
      return { type: 'string' };
    default:
      return builder.shared(META_TYPES + content);
  }
}

function listSchema(builder: SchemaBuilder, typeName: string, item: JsonObject): JsonObject {
  const described = (field: string, schema: JsonObject): JsonObject => {
    const description = builder.describe(typeName, field);
    return description === undefined ? schema : { description, ...schema };
  };
  const items = '$ref' in item ? { default: {}, allOf: [item] } : item;
  return {
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: described('apiVersion', { type: 'string' }),
      items: described('items', { type: 'array', items }),
      kind: described('kind', { type: 'string' }),
      metadata: described('metadata', { default: {}, allOf: [builder.shared(`${META_TYPES}ListMeta`)] }),
    },
  };
}
