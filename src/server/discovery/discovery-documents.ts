/**
 * The discovery documents as JSON values, with fields in the reference's order. These functions do not sort: the
 * manager passes versions in the order in which they are shown.
 */
import { formatGroupVersion, type GroupVersion, type GroupVersionKind } from '../../apimachinery/meta/gvk.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { DiscoveryResource, DiscoverySubresource, DiscoveryVersion } from './discovery-publisher.ts';

/** The address of the server for clients in one network. */
export interface ServerAddress {
  readonly clientCIDR: string;
  readonly serverAddress: string;
}

/** Returns the document of `/api`. It has no apiVersion, as all answers of the core group's root in the reference. */
export function apiVersions(versions: readonly GroupVersion[], addresses: readonly ServerAddress[]): JsonObject {
  return {
    kind: 'APIVersions',
    versions: versions.map(({ version }) => version),
    serverAddressByClientCIDRs: addresses.map(({ clientCIDR, serverAddress }) => ({ clientCIDR, serverAddress })),
  };
}

/** Returns the document of `/apis`: the groups, each with its versions. */
export function apiGroupList(groups: readonly (readonly GroupVersion[])[]): JsonObject {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupFields) };
}

/** Returns the document of `/apis/<group>`. */
export function apiGroup(versions: readonly GroupVersion[]): JsonObject {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupFields(versions) };
}

function groupFields(versions: readonly GroupVersion[]): JsonObject {
  const shown = versions.map((version) => ({ groupVersion: formatGroupVersion(version), version: version.version }));
  return { name: versions[0]?.group ?? '', versions: shown, preferredVersion: { ...shown[0] } };
}

/**
 * Returns the document of `/api/<version>` and `/apis/<group>/<version>`: resources, each followed by its subresources.
 */
export function apiResourceList(version: DiscoveryVersion): JsonObject {
  return {
    kind: 'APIResourceList',
    ...(version.group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: formatGroupVersion(version),
    resources: version.resources.flatMap((resource) => [
      legacyResource(version, resource),
      ...shownSubresources(version, resource).map((subresource) => legacySubresource(version, resource, subresource)),
    ]),
  };
}

function legacyResource(version: GroupVersion, resource: DiscoveryResource): JsonObject {
  return {
    name: resource.plural,
    singularName: resource.singular,
    namespaced: resource.scope === 'Namespaced',
    ...foreignKind(version, resource.kind),
    kind: resource.kind.kind,
    verbs: [...resource.verbs],
    ...unlessEmpty('shortNames', resource.shortNames),
    ...unlessEmpty('categories', resource.categories),
    ...(resource.storageVersionHash === '' ? {} : { storageVersionHash: resource.storageVersionHash }),
  };
}

function legacySubresource(
  version: GroupVersion,
  parent: DiscoveryResource,
  { name, kind, verbs }: DiscoverySubresource,
): JsonObject {
  return {
    name: `${parent.plural}/${name}`,
    singularName: '',
    namespaced: parent.scope === 'Namespaced',
    ...foreignKind(version, kind),
    kind: kind.kind,
    verbs: [...verbs],
  };
}

/** Returns one version of a group in the aggregated form. */
export function aggregatedVersion(version: DiscoveryVersion): JsonObject {
  const { givenResources, resources } = version;
  const shown = givenResources ?? resources.map((resource) => aggregatedResource(version, resource));
  return {
    version: version.version,
    ...(shown.length === 0 ? {} : { resources: [...shown] }),
    freshness: version.stale ? 'Stale' : 'Current',
  };
}

function aggregatedResource(version: DiscoveryVersion, resource: DiscoveryResource): JsonObject {
  const subresources = shownSubresources(version, resource).map(({ name, kind, verbs }) => ({
    subresource: name,
    responseKind: responseKind(version, kind),
    verbs: [...verbs],
  }));
  return {
    resource: resource.plural,
    responseKind: responseKind(version, resource.kind),
    scope: resource.scope,
    singularResource: resource.singular,
    verbs: [...resource.verbs],
    ...unlessEmpty('shortNames', resource.shortNames),
    ...unlessEmpty('categories', resource.categories),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

/**
 * Returns the kind of a resource's objects. An empty group and version stand for those of the list; kube-apiserver
 * writes them out only for custom resources and for kinds of another group-version.
 */
function responseKind(version: DiscoveryVersion, kind: GroupVersionKind): JsonObject {
  const isOwn = version.namesKindsInFull !== true && isOf(version, kind);
  return { group: isOwn ? '' : kind.group, version: isOwn ? '' : kind.version, kind: kind.kind };
}

function foreignKind(version: GroupVersion, kind: GroupVersionKind): JsonObject {
  if (isOf(version, kind)) return {};
  return { ...(kind.group === '' ? {} : { group: kind.group }), version: kind.version };
}

function isOf(version: GroupVersion, kind: GroupVersionKind): boolean {
  return kind.group === version.group && kind.version === version.version;
}

/** Returns the subresources sorted by name. Those of custom resources keep the given order, as in the reference. */
function shownSubresources(
  { namesKindsInFull }: DiscoveryVersion,
  { subresources }: DiscoveryResource,
): readonly DiscoverySubresource[] {
  return namesKindsInFull === true ? subresources : [...subresources].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function unlessEmpty(name: string, values: readonly string[]): JsonObject {
  return values.length === 0 ? {} : { [name]: [...values] };
}
