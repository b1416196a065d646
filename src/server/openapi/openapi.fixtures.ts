/** A small group for tests of OpenAPI: types, and stores that have verbs but no behaviour. */
import { list, map, scalar, struct } from '../../apimachinery/protobuf/core-facts.fixtures.ts';
import { createStructView, type FieldView, type StructView, type TypeView } from '../../apimachinery/type-view.ts';
import { nameIsPathSegment } from '../../apimachinery/validation/name-rules.ts';
import { BugError } from '../../base/errors.ts';
import { META_TYPES, type MetaTypes } from '../resource/meta-types.ts';
import type { ResourceDefinition } from '../resource/resource-definition.ts';
import type { ResourceStore } from '../resource/resource-store.ts';
import type { VersionDefinition } from '../resource/version-definition.ts';
import type { OpenApiResource, OpenApiVersion } from './openapi-publisher.ts';

export const GROUP = 'thing.example';
export const PREFIX = 'example.thing.v1.';

/** A field with all attributes that OpenAPI uses. */
export function field(name: string, type: TypeView, more: Partial<FieldView> = {}): FieldView {
  return {
    name,
    type,
    patchStrategies: [],
    patchMergeKey: undefined,
    required: false,
    nullable: false,
    defaultValue: undefined,
    wire: undefined,
    ...more,
  };
}

const objectMeta = struct('ObjectMeta', ['name', 1, 'string', '?'], ['labels', 11, map('string'), '?']);
const status = struct('Status', ['kind', undefined, 'string'], ['message', 3, 'string', '?']);
const apiGroup = struct('APIGroup', ['name', 1, 'string']);

const META_VIEWS: ReadonlyMap<string, StructView> = new Map([
  ['io.k8s.apimachinery.pkg.version.Info', struct('Info', ['major', undefined, 'string'])] as const,
  ...[
    objectMeta,
    status,
    apiGroup,
    struct('ListMeta', ['continue', 3, 'string', '?']),
    struct('DeleteOptions', ['dryRun', 5, list('string'), '?']),
    struct('WatchEvent', ['type', 1, 'string']),
    struct('APIResourceList', ['groupVersion', 1, 'string']),
    struct('APIVersions', ['versions', 1, list('string')]),
    struct('APIGroupList', ['groups', 1, list(apiGroup)]),
  ].map((view) => [META_TYPES + view.name, view] as const),
]);

export const types: MetaTypes = {
  view(typeName) {
    const view = META_VIEWS.get(typeName);
    if (view === undefined) throw new BugError(`no type ${typeName}`);
    return view;
  },
  typeName: (view) => [...META_VIEWS].find(([, known]) => known === view)?.[0],
};

/** A recursive type. */
export const thingSpec: StructView = createStructView('ThingSpec', () => [
  field('size', scalar('int32'), { required: true, defaultValue: 0 }),
  field('mode', { kind: 'scalar', scalar: 'string', enum: ['Fast', 'Slow'] }, { defaultValue: 'Fast' }),
  field('capacity', map('quantity')),
  field('since', scalar('time')),
  field(
    'parts',
    { kind: 'list', items: thingSpec, listType: 'map', mapKeys: ['mode'], declared: true },
    { patchStrategies: ['merge', 'retainKeys'], patchMergeKey: 'mode' },
  ),
]);

export const thing: StructView = createStructView('Thing', () => [
  field('kind', scalar('string')),
  field('apiVersion', scalar('string')),
  field('metadata', objectMeta, { defaultValue: {} }),
  field('spec', thingSpec),
]);

const names = new Map([
  [thing, `${PREFIX}Thing`],
  [thingSpec, `${PREFIX}ThingSpec`],
]);

export function thingVersion(more: Partial<VersionDefinition> = {}): VersionDefinition {
  return {
    group: GROUP,
    version: 'v1',
    kind: 'Thing',
    listKind: 'ThingList',
    type: () => thing,
    strategicMerge: true,
    normalize: (object) => ({ ok: true, object }),
    selectableFields: [],
    deprecationWarning: '',
    ...more,
  };
}

const FACTS: Partial<Record<keyof ResourceStore, unknown>> = {
  connectMethods: ['GET', 'POST'],
  connectOptions: { takesPath: true },
};

const never = (): never => {
  throw new BugError('no test of documents calls a store');
};

/** A store that has these verbs. Calling one fails the test. */
export function storeOf(...verbs: readonly (keyof ResourceStore)[]): ResourceStore {
  return Object.fromEntries(verbs.map((verb) => [verb, FACTS[verb] ?? never]));
}

export const ALL_VERBS = ['get', 'list', 'watch', 'create', 'update', 'delete', 'deleteCollection'] as const;

export function resourceOf(more: {
  readonly definition?: Partial<ResourceDefinition>;
  readonly version?: VersionDefinition;
  readonly store?: ResourceStore;
  readonly subresources?: OpenApiResource['subresources'];
}): OpenApiResource {
  const version = more.version ?? thingVersion();
  const definition: ResourceDefinition = {
    plural: 'things',
    singular: 'thing',
    shortNames: [],
    categories: [],
    scope: 'Namespaced',
    versions: [version],
    storageVersion: version,
    storagePrefix: 'things',
    generation: '1',
    strategy: {
      objectVersion: 'storage',
      nameRule: nameIsPathSegment,
      allowUnconditionalUpdate: true,
      allowCreateOnUpdate: false,
      countsGeneration: true,
    },
    subresources: [],
    ...more.definition,
  };
  return { definition, version, store: more.store ?? storeOf(...ALL_VERBS), subresources: more.subresources ?? [] };
}

export function versionOf(
  resources: readonly OpenApiResource[],
  more: Partial<Omit<OpenApiVersion, 'resources'>> = {},
): OpenApiVersion {
  return {
    group: GROUP,
    version: 'v1',
    resources: () => resources,
    typeName: (view) => names.get(view),
    ...more,
  };
}
