/**
 * Groups remote versions by their Service. One server often serves several group-versions, and its documents are
 * fetched once for all of them.
 */
import type { RemoteVersion } from './remote-version.ts';
import type { RemoteVersionChange } from './remote-versions.ts';

/** The documents of one service. */
export interface ServiceDocuments {
  /**
   * Called with all versions of the service after each change of one of them. Unchanged versions are the same objects
   * as before. Called with an empty list when the service has no version any more.
   */
  update(versions: readonly RemoteVersion[]): void;
  /** Resolves when the fetch that is running now has ended, with success or failure; at once if no fetch is running. */
  settled(): Promise<void>;
  /** Called once, as the last call. Resolves when no request is running. Published documents stay published. */
  stop(): Promise<void>;
}

interface Group {
  readonly documents: ServiceDocuments;
  readonly versions: Map<string, RemoteVersion>;
}

export class ServiceGroups {
  readonly #create: () => ServiceDocuments;
  /** Groups by `serviceKey`. */
  readonly #groups = new Map<string, Group>();
  /** The service of each version, by the name of its APIService. */
  readonly #services = new Map<string, string>();
  readonly #stopping = new Set<Promise<void>>();

  /** `create` is called for each service when its first version appears. */
  constructor(create: () => ServiceDocuments) {
    this.#create = create;
  }

  /** Called with each change of a remote version, in order. */
  changed({ name, after }: RemoteVersionChange): void {
    const key = after && serviceKey(after);
    const before = this.#services.get(name);
    if (before !== undefined && before !== key) this.#remove(name, before);
    if (after !== undefined && key !== undefined) this.#set(after, key);
  }

  /** Resolves when the fetches that are running now have ended, with success or failure. */
  async settled(): Promise<void> {
    await Promise.all([...this.#groups.values()].map(({ documents }) => documents.settled()));
  }

  /** Stops the documents of all services. Resolves when no request is running. */
  async stop(): Promise<void> {
    for (const group of this.#groups.values()) this.#stop(group);
    this.#groups.clear();
    this.#services.clear();
    await Promise.all(this.#stopping);
  }

  #set(version: RemoteVersion, key: string): void {
    this.#services.set(version.name, key);
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { documents: this.#create(), versions: new Map() };
      this.#groups.set(key, group);
    }
    group.versions.set(version.name, version);
    group.documents.update([...group.versions.values()]);
  }

  #remove(name: string, key: string): void {
    this.#services.delete(name);
    const group = this.#groups.get(key) as Group;
    group.versions.delete(name);
    group.documents.update([...group.versions.values()]);
    if (group.versions.size > 0) return;
    this.#groups.delete(key);
    this.#stop(group);
  }

  #stop({ documents }: Group): void {
    const stopped = documents.stop().finally(() => this.#stopping.delete(stopped));
    this.#stopping.add(stopped);
  }
}

function serviceKey({ service: { namespace, name, port } }: RemoteVersion): string {
  return `${namespace}/${name}:${port}`;
}
