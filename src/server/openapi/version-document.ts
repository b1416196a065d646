/** The OpenAPI v3 document of a published group-version, and those of the paths around the groups. Invariant: nothing is kept; whoever asks keeps the bytes. */
import type { GroupVersion } from '../../apimachinery/meta/gvk.ts';
import type { StructView } from '../../apimachinery/type-view.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { META_TYPES, type TypeBook } from '../type-book.ts';
import {
  type DocumentInfo,
  documentOf,
  pathsOf,
  type ResolvedOperation,
  type SimplePath,
  simplePathItem,
} from './document.ts';
import type { OpenApiVersion } from './openapi.ts';
import { groupOperationId, operationId, operationTag } from './operation-names.ts';
import { type Content, operationsOf, rootPath, type Subject, subjectsOf } from './operations.ts';
import { SchemaBook } from './schemas.ts';

export interface DocumentSettings {
  readonly types: TypeBook;
  readonly info: DocumentInfo;
}

const DISCOVERY_FORMS = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

export function versionDocument(version: OpenApiVersion, { types, info }: DocumentSettings): JsonObject {
  const schemas = version.schemas?.() ?? {};
  const book = new SchemaBook({
    types,
    typeName: (view) => version.typeName(view),
    schemas: () => schemas,
    ...(version.describe === undefined ? {} : { describe: version.describe.bind(version) }),
  });
  const nameOf = (view: StructView): string | undefined => version.typeName(view) ?? types.typeName(view);
  const subjects = version.resources().flatMap(subjectsOf);
  addMetaKinds(book, version);
  for (const { kind, type, subject } of subjects.map(withType)) {
    const name = nameOf(type());
    if (name === undefined) continue;
    book.addKind(name, kind);
    if (subject.subresource !== '') continue;
    book.addKind(listName(name, subject), { ...kind, kind: subject.resource.version.listKind });
  }
  const operations: ResolvedOperation[] = subjects.flatMap((subject) => {
    const { type } = withType(subject);
    const schemaOf = (content: Content): JsonObject => contentSchema(book, content, subject, type, nameOf, schemas);
    return operationsOf(version, subject).map((operation) => ({ operation, schemaOf }));
  });
  const paths = pathsOf(operations);
  if (version.ownsGroup !== true) return documentOf(info, paths, book.components());
  const discovery = resourcesPath(version);
  const own = simplePathItem(discovery, book.shared(`${META_TYPES}APIResourceList`));
  return documentOf(info, { [discovery.path]: own, ...paths }, book.components());
}

/** A document of paths that are no resources. */
export function simpleDocument(simple: SimplePath, { types, info }: DocumentSettings): JsonObject {
  const book = new SchemaBook({ types, typeName: () => undefined, schemas: () => ({}) });
  const { typeName } = simple;
  if (typeName?.startsWith(META_TYPES) === true) {
    const kind = typeName.slice(META_TYPES.length);
    book.addKind(typeName, { group: '', version: 'v1', kind });
    if (kind === 'APIGroupList') book.addKind(`${META_TYPES}APIGroup`, { group: '', version: 'v1', kind: 'APIGroup' });
  }
  const schema = typeName === undefined ? { type: 'string' } : book.shared(typeName);
  return documentOf(info, { [simple.path]: simplePathItem(simple, schema) }, book.components());
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

/** `/apis/<group>`. */
export function groupPath(group: string): SimplePath {
  return {
    document: `apis/${group}`,
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

/** Kinds of meta/v1 belong to every group-version in which they are sent. */
function addMetaKinds(book: SchemaBook, served: GroupVersion): void {
  for (const kind of ['Status', 'APIResourceList', 'DeleteOptions', 'WatchEvent'])
    book.addKind(META_TYPES + kind, { group: '', version: 'v1', kind });
  for (const kind of ['DeleteOptions', 'WatchEvent'])
    book.addKind(META_TYPES + kind, { group: served.group, version: served.version, kind });
}

interface TypedSubject {
  readonly subject: Subject;
  readonly kind: Subject['kind'];
  type(): StructView;
}

function withType(subject: Subject): TypedSubject {
  const { resource, subresource } = subject;
  const version = resource.subresources.find(({ name }) => name === subresource)?.version ?? resource.version;
  return { subject, kind: subject.kind, type: () => version.type() };
}

/** `io.k8s.api.core.v1.ConfigMapList`. */
function listName(typeName: string, { resource }: Subject): string {
  return typeName.slice(0, typeName.lastIndexOf('.') + 1) + resource.version.listKind;
}

function contentSchema(
  book: SchemaBook,
  content: Content,
  subject: Subject,
  type: () => StructView,
  nameOf: (view: StructView) => string | undefined,
  given: Readonly<Record<string, JsonObject>>,
): JsonObject {
  switch (content) {
    case 'object':
      return book.struct(type());
    case 'list': {
      const name = nameOf(type());
      const schema = listSchema(book.struct(type()), book.shared(`${META_TYPES}ListMeta`));
      if (name === undefined) return schema;
      return book.add(listName(name, subject), given[listName(name, subject)] ?? schema);
    }
    case 'Patch':
      return book.add(`${META_TYPES}Patch`, { type: 'object' });
    case 'text':
      return { type: 'string' };
    default:
      return book.shared(META_TYPES + content);
  }
}

function listSchema(item: JsonObject, listMeta: JsonObject): JsonObject {
  const items = '$ref' in item ? { default: {}, allOf: [item] } : item;
  return {
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: { type: 'string' },
      items: { type: 'array', items },
      kind: { type: 'string' },
      metadata: { default: {}, allOf: [listMeta] },
    },
  };
}
