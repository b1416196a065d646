/** The discovery and OpenAPI entries of installed resources, as the resource server publishes them. */
import type { GroupVersionKind } from '../apimachinery/meta/gvk.ts';
import { encodeBase64 } from '../base/base64.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import { sha256 } from '../base/sha256.ts';
import { compareUtf8 } from '../base/utf8.ts';
import type { DiscoveryResource } from './discovery/discovery-publisher.ts';
import type { RoutedResource } from './endpoints/routes.ts';
import { verbsOf } from './endpoints/verbs.ts';
import type { GivenSchema, GivenVersionSchemas } from './openapi/given-schema.ts';
import type { OpenApiResource } from './openapi/openapi-publisher.ts';
import type { OpenResource } from './resource/open-resource.ts';
import type { VersionDefinition } from './resource/version-definition.ts';

interface Installed {
  readonly open: OpenResource;
  readonly routed: RoutedResource;
}

/** Installed resources of one group-version by plural. */
export type InstalledResources = ReadonlyMap<string, Installed>;

/**
 * Returns the first OpenAPI schemas that a version declares itself and that pass the test; undefined if there are none.
 */
export function givenOf(
  resources: InstalledResources,
  test: (version: VersionDefinition, given: GivenVersionSchemas) => boolean,
): GivenVersionSchemas | undefined {
  for (const installed of resources.values())
    for (const version of versionsOf(installed))
      if (version.openapi !== undefined && test(version, version.openapi)) return version.openapi;
  return undefined;
}

/** Yields the version of a resource's objects, then the versions of the bodies and answers of its subresources. */
function* versionsOf({ open, routed }: Installed): Iterable<VersionDefinition> {
  yield routed.scope.version;
  for (const { version, answer } of open.definition.subresources) {
    if (version !== undefined) yield version;
    if (answer !== undefined) yield answer;
  }
}

export function givenSchema(resources: InstalledResources, name: string): GivenSchema | undefined {
  const given = givenOf(resources, (_, { typeName, listTypeName }) => typeName === name || listTypeName === name);
  return given?.typeName === name ? given.object : given?.list;
}

export function kindOf({ group, version, kind }: VersionDefinition): GroupVersionKind {
  return { group, version, kind };
}

export function discoveryResource(
  { definition }: OpenResource,
  { scope, subresources }: RoutedResource,
): DiscoveryResource {
  const { storageVersion } = definition;
  return {
    plural: definition.plural,
    singular: definition.singular,
    shortNames: definition.shortNames,
    categories: definition.categories,
    scope: definition.scope,
    kind: scope.kind,
    verbs: verbsOf(scope.store),
    storageVersionHash: storageVersion === undefined ? '' : storageVersionHash(kindOf(storageVersion)),
    subresources: [...subresources]
      .map(([name, { scope: own }]) => ({ name, kind: own.kind, verbs: verbsOf(own.store) }))
      .sort((a, b) => compareUtf8(a.name, b.name)),
  };
}

export function openApiResource(
  { definition, store }: OpenResource,
  { scope, subresources }: RoutedResource,
): OpenApiResource {
  return {
    definition,
    version: scope.version,
    store,
    subresources: [...subresources].map(([name, { scope: own }]) => {
      const declared = definition.subresources.find((subresource) => subresource.name === name);
      return {
        name,
        version: own.bodyVersion,
        store: own.store,
        answer: declared?.answer,
        description: declared?.description,
      };
    }),
  };
}

/**
 * Returns a hash that changes with the stored version, so that clients know when objects must be migrated. Computed as
 * in the reference.
 */
export function storageVersionHash({ group, version, kind }: GroupVersionKind): string {
  return encodeBase64(sha256(encodeUtf8(`${group}/${version}/${kind}`)).subarray(0, 8));
}
