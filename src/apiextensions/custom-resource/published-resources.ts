/**
 * The entries of custom resources in discovery and OpenAPI. Invariants: a change publishes only the group-versions that
 * it affects. Documents are made when they are requested, from the definitions at that time. A group-version that
 * another server has published is never modified, because that server answers its requests.
 */
import type { GroupVersion } from '../../apimachinery/meta/gvk.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import type {
  DiscoveryPublisher,
  DiscoveryResource,
  DiscoveryVersion,
} from '../../server/discovery/discovery-publisher.ts';
import { storageVersionHash } from '../../server/installed-resources.ts';
import type { OpenApiPublisher, OpenApiVersion } from '../../server/openapi/openapi-publisher.ts';
import type { Crd, CrdVersion } from '../crd.ts';
import { isConditionTrue } from '../definition/crd-conditions.ts';

/** The priorities that kube-apiserver gives groups of custom resources: after the built-in groups. */
const GROUP_PRIORITY = 1000;
const VERSION_PRIORITY = 100;

/** In the order of kube-apiserver. */
const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const TERMINATING_VERBS = ['delete', 'deletecollection', 'get', 'list', 'watch'];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

/** One served version of an established definition. */
export interface Published {
  readonly crd: Crd;
  readonly version: CrdVersion;
}

/** Makes the OpenAPI of a group-version, without its name and fingerprint. */
export type Documenter = (published: readonly Published[]) => Omit<OpenApiVersion, 'group' | 'version' | 'fingerprint'>;

interface GroupVersionState {
  /** By plural. */
  readonly resources: Map<string, Published>;
  /** The discovery entry that this server has published. */
  shown: DiscoveryVersion | undefined;
}

export class PublishedResources {
  readonly #discovery: DiscoveryPublisher;
  readonly #openapi: OpenApiPublisher;
  readonly #document: Documenter;
  /** By group, then by version. */
  readonly #groups = new Map<string, Map<string, GroupVersionState>>();

  constructor(discovery: DiscoveryPublisher, openapi: OpenApiPublisher, document: Documenter) {
    this.#discovery = discovery;
    this.#openapi = openapi;
    this.#document = document;
  }

  /**
   * Replaces the published entries of a definition. `old` is the definition that was published, `next` the one to
   * publish; undefined for none.
   */
  replace(old: Crd | undefined, next: Crd | undefined): void {
    const changed = new Set<string>();
    const { group } = (next ?? old) as Crd;
    for (const { name } of shownVersions(old)) {
      this.#state(group, name).resources.delete((old as Crd).acceptedNames.plural);
      changed.add(name);
    }
    for (const version of shownVersions(next)) {
      const crd = next as Crd;
      this.#state(group, version.name).resources.set(crd.acceptedNames.plural, { crd, version });
      changed.add(version.name);
    }
    for (const version of changed) this.#publish({ group, version });
  }

  #state(group: string, version: string): GroupVersionState {
    let versions = this.#groups.get(group);
    if (versions === undefined) {
      versions = new Map();
      this.#groups.set(group, versions);
    }
    let state = versions.get(version);
    if (state === undefined) {
      state = { resources: new Map(), shown: undefined };
      versions.set(version, state);
    }
    return state;
  }

  #publish({ group, version }: GroupVersion): void {
    const state = this.#state(group, version);
    const { resources } = state;
    const isOurs = this.#discovery.getLocal({ group, version }) === state.shown;
    if (resources.size === 0) {
      const versions = this.#groups.get(group);
      versions?.delete(version);
      if (versions?.size === 0) this.#groups.delete(group);
      if (!isOurs) return;
      this.#discovery.remove({ group, version });
      this.#openapi.remove({ group, version });
      return;
    }
    if (!isOurs) return;
    let shown: readonly DiscoveryResource[] | undefined;
    state.shown = {
      group,
      version,
      get resources() {
        shown ??= sorted(resources).map(discoveryResource);
        return shown;
      },
      groupPriority: GROUP_PRIORITY,
      versionPriority: VERSION_PRIORITY,
      stale: false,
      namesKindsInFull: true,
    };
    this.#discovery.publish(state.shown);
    let document: ReturnType<Documenter> | undefined;
    const documented = (): ReturnType<Documenter> => {
      document ??= this.#document(sorted(resources));
      return document;
    };
    this.#openapi.publish({
      group,
      version,
      resources: () => documented().resources(),
      typeName: (view) => documented().typeName(view),
      schema: (typeName) => documented().schema?.(typeName),
      get fingerprint() {
        return fingerprintOf(sorted(resources));
      },
    });
  }
}

/** A definition is published once it is established. */
function shownVersions(crd: Crd | undefined): readonly CrdVersion[] {
  if (crd === undefined || !isConditionTrue(crd, 'Established')) return [];
  return crd.versions.filter(({ served }) => served);
}

function sorted(resources: ReadonlyMap<string, Published>): readonly Published[] {
  return [...resources.values()].sort((a, b) => compareUtf8(a.crd.acceptedNames.plural, b.crd.acceptedNames.plural));
}

function discoveryResource({ crd, version }: Published): DiscoveryResource {
  const { acceptedNames: names, group } = crd;
  const kind = { group, version: version.name, kind: names.kind };
  const stored = crd.versions.find(({ storage, served }) => storage && served);
  let hash: string | undefined;
  const subresource = (name: string, of = kind) => ({ name, kind: of, verbs: SUBRESOURCE_VERBS });
  return {
    plural: names.plural,
    singular: names.singular,
    shortNames: names.shortNames,
    categories: names.categories,
    scope: crd.scope,
    kind,
    verbs: isConditionTrue(crd, 'Terminating') ? TERMINATING_VERBS : VERBS,
    // Only discovery documents need it, and kinds are looked up more often.
    get storageVersionHash() {
      hash ??= stored === undefined ? '' : storageVersionHash({ group, version: stored.name, kind: crd.names.kind });
      return hash;
    },
    subresources: [
      ...(version.hasStatus ? [subresource('status')] : []),
      ...(version.scale === undefined
        ? []
        : [subresource('scale', { group: 'autoscaling', version: 'v1', kind: 'Scale' })]),
    ],
  };
}

/** Every change of a document changes the generation of a definition, its accepted names or its verbs. */
function fingerprintOf(published: readonly Published[]): string {
  return JSON.stringify(
    published.map(({ crd }) => [crd.uid, crd.generation, crd.acceptedNames, isConditionTrue(crd, 'Terminating')]),
  );
}
