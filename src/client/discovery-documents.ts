/**
 * Reads discovery documents: the aggregated ones, or the legacy ones if the server does not have aggregated discovery.
 * Invariant: a version that cannot be read keeps its last known resources, and does not affect other versions.
 */
import type { Transport, TransportResponse } from '../apimachinery/http/transport.ts';
import { objectsAt, textAt, textsAt } from '../apimachinery/meta/object-fields.ts';
import { isForbidden, isNotFound } from '../apimachinery/status/status.ts';
import { toError } from '../base/errors.ts';
import { getField, type JsonObject } from '../base/json-value.ts';
import type {
  DiscoveredGroup,
  DiscoveredResource,
  DiscoveredSubresource,
  DiscoveredVersion,
  UnavailableVersion,
} from './discovered.ts';
import { versionPath } from './paths.ts';
import { type Call, parseObject, readBody, sendChecked, sendForObject, unusable } from './response.ts';

export type RootPath = '/api' | '/apis';

/** The content of `/api` or `/apis`. `etag` is undefined if the server does not send one. */
export interface DiscoveryRoot {
  readonly etag: string | undefined;
  readonly groups: readonly DiscoveredGroup[];
  readonly unavailable: readonly UnavailableVersion[];
}

interface Source {
  readonly transport: Transport;
  readonly before: DiscoveryRoot | undefined;
}

const AGGREGATED =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,' +
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';
const EMPTY: DiscoveryRoot = { etag: undefined, groups: [], unavailable: [] };

/**
 * Reads a root. `before` is its content at the last read; the same object is returned if the server answers that
 * nothing has changed. A root that does not exist or is forbidden is empty. Rejects if the root cannot be read.
 */
export async function readRoot(path: RootPath, source: Source): Promise<DiscoveryRoot> {
  const { before } = source;
  // If a version was unavailable, the content must be read again, whatever its ETag.
  const etag = before?.unavailable.length === 0 ? before.etag : undefined;
  const call = callOf(path, {
    accept: AGGREGATED,
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
  });
  const response = await request(source.transport, call);
  if (response === undefined) return EMPTY;
  if (response.status === 304 && before !== undefined) return before;
  const document = parseObject(await readBody(response, call), call);
  switch (getField(document, 'kind')) {
    case 'APIGroupDiscoveryList':
      return { etag: tagOf(response), ...aggregated(document, before) };
    case 'APIVersions':
      return older([{ name: '', versions: textsAt(document, 'versions') }], source);
    case 'APIGroupList':
      return older(objectsAt(document, 'groups').map(orderedVersions), source);
    default:
      throw unusable(call, 'the response is not a discovery document');
  }
}

async function request(transport: Transport, call: Call): Promise<TransportResponse | undefined> {
  try {
    return await sendChecked(transport, call);
  } catch (caught) {
    if (isNotFound(caught) || isForbidden(caught)) return undefined;
    throw caught;
  }
}

function callOf(target: string, headers: Readonly<Record<string, string>>): Call {
  return { method: 'GET', target, headers, acceptNotModified: true };
}

function tagOf({ headers }: TransportResponse): string | undefined {
  const { etag } = headers;
  return typeof etag === 'string' && etag !== '' ? etag : undefined;
}

/** Parses an aggregated document. A Stale version is one whose server does not answer at the moment. */
function aggregated(
  document: JsonObject,
  before: DiscoveryRoot | undefined,
): Pick<DiscoveryRoot, 'groups' | 'unavailable'> {
  const unavailable: UnavailableVersion[] = [];
  const groups = objectsAt(document, 'items').map((item) => {
    const name = textAt(item, 'metadata', 'name');
    const versions = objectsAt(item, 'versions').map((entry): DiscoveredVersion => {
      const version = textAt(entry, 'version');
      const resources = objectsAt(entry, 'resources').map((resource) => aggregatedResource(name, version, resource));
      if (textAt(entry, 'freshness') !== 'Stale') return { version, resources };
      unavailable.push({ group: name, version, message: 'its server does not answer' });
      return { version, resources: resources.length > 0 ? resources : known(before, name, version) };
    });
    return { name, versions };
  });
  return { groups, unavailable };
}

function aggregatedResource(group: string, version: string, resource: JsonObject): DiscoveredResource {
  return {
    group,
    version,
    kind: textAt(resource, 'responseKind', 'kind'),
    plural: textAt(resource, 'resource'),
    scope: textAt(resource, 'scope') === 'Namespaced' ? 'Namespaced' : 'Cluster',
    singular: textAt(resource, 'singularResource'),
    shortNames: textsAt(resource, 'shortNames'),
    categories: textsAt(resource, 'categories'),
    verbs: textsAt(resource, 'verbs'),
    subresources: objectsAt(resource, 'subresources').map((subresource) => ({
      name: textAt(subresource, 'subresource'),
      kind: textAt(subresource, 'responseKind', 'kind'),
      verbs: textsAt(subresource, 'verbs'),
    })),
  };
}

interface GroupVersions {
  readonly name: string;
  readonly versions: readonly string[];
}

/** Returns the versions of a group, the preferred version first. */
function orderedVersions(group: JsonObject): GroupVersions {
  const preferred = textAt(group, 'preferredVersion', 'version');
  const versions = objectsAt(group, 'versions').map((version) => textAt(version, 'version'));
  const ordered = [preferred, ...versions.filter((version) => version !== preferred)];
  return { name: textAt(group, 'name'), versions: ordered.filter((text) => text !== '') };
}

/**
 * Reads the legacy document of each version. A version that is not found was removed after the list of groups was read.
 */
async function older(groups: readonly GroupVersions[], source: Source): Promise<DiscoveryRoot> {
  const unavailable: UnavailableVersion[] = [];
  const read = async (group: string, version: string): Promise<DiscoveredVersion> => {
    const call = callOf(versionPath(group, version), { accept: 'application/json' });
    try {
      return { version, resources: olderResources(group, version, await sendForObject(source.transport, call)) };
    } catch (caught) {
      if (isNotFound(caught)) return { version, resources: [] };
      unavailable.push({ group, version, message: toError(caught).message });
      return { version, resources: known(source.before, group, version) };
    }
  };
  const all = groups.map(async ({ name, versions }) => ({
    name,
    versions: await Promise.all(versions.map((version) => read(name, version))),
  }));
  return { etag: undefined, groups: await Promise.all(all), unavailable };
}

/** Parses a legacy document. Subresources are separate entries, such as `pods/log`, before or after their resource. */
function olderResources(group: string, version: string, list: JsonObject): readonly DiscoveredResource[] {
  const entries = objectsAt(list, 'resources');
  const subresources = new Map<string, DiscoveredSubresource[]>();
  for (const entry of entries) {
    const [plural = '', name] = textAt(entry, 'name').split('/');
    if (name === undefined) continue;
    const of = subresources.get(plural) ?? [];
    of.push({ name, kind: textAt(entry, 'kind'), verbs: textsAt(entry, 'verbs') });
    subresources.set(plural, of);
  }
  return entries
    .filter((entry) => !textAt(entry, 'name').includes('/'))
    .map((entry) => ({
      group,
      version,
      kind: textAt(entry, 'kind'),
      plural: textAt(entry, 'name'),
      scope: getField(entry, 'namespaced') === true ? 'Namespaced' : 'Cluster',
      singular: textAt(entry, 'singularName'),
      shortNames: textsAt(entry, 'shortNames'),
      categories: textsAt(entry, 'categories'),
      verbs: textsAt(entry, 'verbs'),
      subresources: subresources.get(textAt(entry, 'name')) ?? [],
    }));
}

function known(before: DiscoveryRoot | undefined, group: string, version: string): readonly DiscoveredResource[] {
  const versions = before?.groups.find(({ name }) => name === group)?.versions;
  return versions?.find((one) => one.version === version)?.resources ?? [];
}
