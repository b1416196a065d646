/**
 * The search for a resource by the words that people use for it: plural, singular, kind or short name, with or without
 * its group and version, as kubectl takes them. Invariant: groups and versions are tried in the order in which the
 * server publishes them, the core group first.
 */

import type { Transport } from '../apimachinery/http/transport.ts';
import { listAt, textAt, textsAt } from '../apimachinery/meta/object-fields.ts';
import { getField, isJsonObject, type JsonObject } from '../base/json-value.ts';
import { collectionPath, pathSegment, versionPath } from './paths.ts';
import { readObject } from './read-object.ts';

export interface FoundResource {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
}

interface PublishedResource extends FoundResource {
  readonly singular: string;
  readonly shortNames: readonly string[];
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

/** `wanted` is `deploy`, `deployments.apps`, `Deployment.v1.apps` and the like. Returns undefined if there is none. */
export async function findResource(transport: Transport, wanted: string): Promise<FoundResource | undefined> {
  const published = [...(await resourcesAt(transport, '/api')), ...(await resourcesAt(transport, '/apis'))];
  const [name = '', ...rest] = wanted.toLowerCase().split('.');
  const suffix = rest.join('.');
  const candidates = published.filter(
    ({ group, version }) =>
      suffix === '' || group === suffix || `${version}.${group}` === suffix || (group === '' && version === suffix),
  );
  const byName = candidates.find(
    ({ plural, singular, kind }) => plural === name || singular === name || kind.toLowerCase() === name,
  );
  return byName ?? candidates.find(({ shortNames }) => shortNames.includes(name));
}

/** Returns the path of an object. `namespace` is ignored for a cluster-scoped resource. */
export function objectPath(resource: FoundResource, namespace: string, name: string): string {
  const collection = collectionPath(resource, resource.isNamespaced ? namespace : undefined);
  return `${collection}/${pathSegment(name, 'name')}`;
}

/** Asks for the aggregated document. A server that does not know it answers with the older ones. */
async function resourcesAt(transport: Transport, path: '/api' | '/apis'): Promise<readonly PublishedResource[]> {
  const document = await readObject(transport, path, AGGREGATED);
  switch (getField(document, 'kind')) {
    case 'APIGroupDiscoveryList':
      return objectsOf(document, 'items').flatMap(aggregatedGroup);
    case 'APIVersions':
      return flat(textsAt(document, 'versions').map((version) => legacyVersion(transport, '', version)));
    default:
      return flat(objectsOf(document, 'groups').map((group) => legacyGroup(transport, group)));
  }
}

function aggregatedGroup(group: JsonObject): readonly PublishedResource[] {
  return objectsOf(group, 'versions').flatMap((version) =>
    objectsOf(version, 'resources').map((resource) => ({
      group: textAt(group, 'metadata', 'name'),
      version: textAt(version, 'version'),
      plural: textAt(resource, 'resource'),
      kind: textAt(resource, 'responseKind', 'kind'),
      isNamespaced: textAt(resource, 'scope') === 'Namespaced',
      singular: textAt(resource, 'singularResource'),
      shortNames: textsAt(resource, 'shortNames'),
    })),
  );
}

/** The preferred version comes first. */
function legacyGroup(transport: Transport, group: JsonObject): Promise<readonly PublishedResource[]> {
  const preferred = textAt(group, 'preferredVersion', 'version');
  const versions = objectsOf(group, 'versions').map((version) => textAt(version, 'version'));
  const ordered = [preferred, ...versions.filter((version) => version !== preferred)].filter((text) => text !== '');
  return flat(ordered.map((version) => legacyVersion(transport, textAt(group, 'name'), version)));
}

async function legacyVersion(
  transport: Transport,
  group: string,
  version: string,
): Promise<readonly PublishedResource[]> {
  const list = await readObject(transport, versionPath(group, version));
  return objectsOf(list, 'resources')
    .filter((resource) => !textAt(resource, 'name').includes('/'))
    .map((resource) => ({
      group,
      version,
      plural: textAt(resource, 'name'),
      kind: textAt(resource, 'kind'),
      isNamespaced: getField(resource, 'namespaced') === true,
      singular: textAt(resource, 'singularName'),
      shortNames: textsAt(resource, 'shortNames'),
    }));
}

function objectsOf(object: JsonObject, name: string): readonly JsonObject[] {
  return listAt(object, name).filter(isJsonObject);
}

async function flat<T>(parts: readonly Promise<readonly T[]>[]): Promise<readonly T[]> {
  return (await Promise.all(parts)).flat();
}
