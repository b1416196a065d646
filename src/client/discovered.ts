/** The groups, versions and resources of a server, as discovery publishes them, and functions that search them. */
import { formatGroupVersion, type GroupVersion } from '../apimachinery/meta/gvk.ts';
import type { Kind, Scope } from '../kinds/kind.ts';
import type { UntypedObject } from './object-types.ts';

/** A resource in discovery. It can be used as a kind token. */
export interface DiscoveredResource extends Kind<UntypedObject> {
  readonly scope: Scope;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly DiscoveredSubresource[];
}

export interface DiscoveredSubresource {
  /** The name without the resource: `status`, `scale`. */
  readonly name: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

export interface DiscoveredVersion {
  readonly version: string;
  readonly resources: readonly DiscoveredResource[];
}

export interface DiscoveredGroup {
  /** '' for the core group. */
  readonly name: string;
  /** The preferred version is the first. */
  readonly versions: readonly DiscoveredVersion[];
}

/** A version whose resources could not be read. Its last known resources are kept. */
export interface UnavailableVersion extends GroupVersion {
  readonly message: string;
}

/** The content of discovery at one moment. */
export interface DiscoverySnapshot {
  /** The core group first, then the groups in the order of the server. */
  readonly groups: readonly DiscoveredGroup[];
  readonly unavailable: readonly UnavailableVersion[];
}

/** Returns all resources, in the order of the server. */
export function resourcesOf({ groups }: DiscoverySnapshot): readonly DiscoveredResource[] {
  return groups.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources));
}

/**
 * Returns every resource once, in the first version of its group that serves it. With `verbs`, only resources that have
 * all of these verbs, in the first version in which they do.
 */
export function preferredResources(
  { groups }: DiscoverySnapshot,
  options: { readonly verbs?: readonly string[] } = {},
): readonly DiscoveredResource[] {
  const { verbs = [] } = options;
  return groups.flatMap(({ versions }) => {
    const byPlural = new Map<string, DiscoveredResource>();
    for (const { resources } of versions)
      for (const resource of resources)
        if (!byPlural.has(resource.plural) && verbs.every((verb) => resource.verbs.includes(verb)))
          byPlural.set(resource.plural, resource);
    return [...byPlural.values()];
  });
}

/** Returns the resource of a kind in exactly this version. */
export function resourceOfKind(
  snapshot: DiscoverySnapshot,
  apiVersion: string,
  kind: string,
): DiscoveredResource | undefined {
  for (const { name, versions } of snapshot.groups)
    for (const { version, resources } of versions)
      if (formatGroupVersion({ group: name, version }) === apiVersion)
        return resources.find((resource) => resource.kind === kind);
  return undefined;
}

/**
 * Finds a resource by a name as kubectl accepts it, such as `deploy`, `deployments.apps` or `Deployment.v1.apps`:
 * plural, singular, kind or short name, with or without group and version. Groups and versions are tried in the order
 * of the server. Short names are tried last.
 */
export function resourceNamed(snapshot: DiscoverySnapshot, wanted: string): DiscoveredResource | undefined {
  const [name = '', ...rest] = wanted.toLowerCase().split('.');
  const suffix = rest.join('.');
  const candidates = resourcesOf(snapshot).filter(
    ({ group, version }) =>
      suffix === '' || group === suffix || `${version}.${group}` === suffix || (group === '' && version === suffix),
  );
  const byName = candidates.find(
    ({ plural, singular, kind }) => plural === name || singular === name || kind.toLowerCase() === name,
  );
  return byName ?? candidates.find(({ shortNames }) => shortNames.includes(name));
}
