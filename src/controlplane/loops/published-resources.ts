/** Discovery for the loops, read from the discovery manager without requests. */
import { formatGroupVersion, parseGroupVersion } from '../../apimachinery/meta/gvk.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import type { ServedResource, ServedResources } from '../../loops/served-resources.ts';
import type { DiscoveryManager } from '../../server/discovery/discovery-manager.ts';
import type { DiscoveryResource, DiscoveryVersion } from '../../server/discovery/discovery-publisher.ts';

/** Listeners are called once for all changes within this time, because definitions are often created in groups. */
const CALM_MS = 50;

export class PublishedServedResources implements ServedResources {
  readonly #discovery: DiscoveryManager;
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  readonly #unsubscribe: () => void;
  /**
   * The preferred resource of each `group/kind`, in the order of discovery. Undefined: discovery has changed since it
   * was made.
   */
  #preferred: ReadonlyMap<string, ServedResource> | undefined;
  #list: readonly ServedResource[] | undefined;
  #timer: Timer | undefined;

  constructor(discovery: DiscoveryManager, clock: Clock) {
    this.#discovery = discovery;
    this.#clock = clock;
    this.#unsubscribe = discovery.onChange(() => this.#changed());
  }

  list(): readonly ServedResource[] {
    if (this.#list === undefined) {
      const available = this.#discovery.versions().filter(({ stale }) => !stale);
      this.#list = [...preferredResources(available).values()];
    }
    return this.#list;
  }

  find(apiVersion: string, kind: string): ServedResource | undefined {
    const parsed = parseGroupVersion(apiVersion);
    const version = parsed.ok ? this.#discovery.get(parsed.value) : undefined;
    const resource = version?.resources.find((published) => published.kind.kind === kind);
    return version === undefined || resource === undefined ? undefined : servedResource(version, resource);
  }

  findKind(group: string, kind: string): ServedResource | undefined {
    return this.#byKind().get(`${group}/${kind}`);
  }

  unavailable(): readonly string[] {
    return this.#discovery
      .versions()
      .filter(({ stale, resources }) => stale && resources.some(isDeletableInNamespaces))
      .map(formatGroupVersion);
  }

  onChange(listener: () => void): { stop(): void } {
    this.#listeners.add(listener);
    return { stop: () => void this.#listeners.delete(listener) };
  }

  stop(): void {
    this.#unsubscribe();
    this.#timer?.cancel();
    this.#listeners.clear();
  }

  #byKind(): ReadonlyMap<string, ServedResource> {
    this.#preferred ??= preferredResources(this.#discovery.versions());
    return this.#preferred;
  }

  #changed(): void {
    this.#preferred = undefined;
    this.#list = undefined;
    if (this.#listeners.size === 0 || this.#timer !== undefined) return;
    const tell = (): void => {
      this.#timer = undefined;
      for (const listener of [...this.#listeners]) listener();
    };
    this.#timer = this.#clock.setTimer(CALM_MS, tell, { background: true });
  }
}

/** Returns the preferred resource of each `group/kind`. */
function preferredResources(versions: readonly DiscoveryVersion[]): ReadonlyMap<string, ServedResource> {
  const preferred = new Map<string, ServedResource>();
  for (const version of versions)
    for (const resource of version.resources) {
      const key = `${version.group}/${resource.kind.kind}`;
      if (!preferred.has(key)) preferred.set(key, servedResource(version, resource));
    }
  return preferred;
}

function isDeletableInNamespaces({ scope, verbs }: DiscoveryResource): boolean {
  return scope === 'Namespaced' && verbs.includes('delete');
}

function servedResource(
  { group, version, givenResources }: DiscoveryVersion,
  { plural, scope, kind, verbs, storageVersionHash }: DiscoveryResource,
): ServedResource {
  // Resources of remote groups have hashes, too, but their objects are not stored here.
  const remote = givenResources !== undefined;
  const stored = storageVersionHash !== '' && !remote;
  return { group, version, kind: kind.kind, plural, scope, verbs, stored, remote };
}
