/**
 * What discovery and OpenAPI say about custom resources. Invariant: a change publishes the group-versions it touches and no other, at the cost of that one call; what is shown is made when somebody
 * asks, from the handlers there are then. A group-version that another server has published is never touched: it is that server who answers its requests.
 */
import type { GroupVersion } from '../../apimachinery/meta/gvk.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import type {
  DiscoveryPublisher,
  DiscoveryResource,
  DiscoveryVersion,
} from '../../server/discovery/discovery-publisher.ts';
import type { OpenApiPublisher, OpenApiVersion } from '../../server/openapi/openapi-publisher.ts';
import { storageVersionHash } from '../../server/resource-server.ts';
import type { Crd, CrdVersion } from '../crd.ts';
import { isConditionTrue } from '../definition/crd-conditions.ts';

/** As the reference registers groups of custom resources: behind the built-in ones. */
const GROUP_PRIORITY = 1000;
const VERSION_PRIORITY = 100;

/** In the order in which the reference lists them. */
const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const TERMINATING_VERBS = ['delete', 'deletecollection', 'get', 'list', 'watch'];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

/** One served version of an established definition. */
export interface Published {
  readonly crd: Crd;
  readonly version: CrdVersion;
}

/** The OpenAPI of a group-version, apart from its name and fingerprint. */
export type Documenter = (published: readonly Published[]) => Omit<OpenApiVersion, 'group' | 'version' | 'fingerprint'>;

interface GroupVersionState {
  /** By plural. */
  readonly resources: Map<string, Published>;
  /** What discovery has of ours. */
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

  /** A definition was shown as `old` says and is to be shown as `next` says; undefined: not at all. */
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
    const isOurs = this.#discovery.get({ group, version }) === state.shown;
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

/** Nothing is shown before it is established. */
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
    // Asked for by documents alone, and a kind is looked up more often than that.
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

/** Whatever changes a document changes the generation of a definition, its accepted names, or what may be done with it. */
function fingerprintOf(published: readonly Published[]): string {
  return JSON.stringify(
    published.map(({ crd }) => [crd.uid, crd.generation, crd.acceptedNames, isConditionTrue(crd, 'Terminating')]),
  );
}
