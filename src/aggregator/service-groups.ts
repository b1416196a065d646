/**
 * Remote versions grouped by their service. One server often serves several group-versions: its documents are fetched
 * once for all of them.
 */
import type { RemoteVersion } from './remote-version.ts';

/** The documents of one service. */
export interface ServiceDocuments {
  /**
   * Called with all versions of the service after each change of one of them: a version that did not change is the same
   * value. Called with none when the service has no version any more.
   */
  update(versions: readonly RemoteVersion[]): void;
  /** Called once, at last. Resolves when no request runs any more. What is published stays published. */
  stop(): Promise<void>;
}

interface Group {
  readonly documents: ServiceDocuments;
  readonly versions: Map<string, RemoteVersion>;
}

export class ServiceGroups {
  readonly #create: () => ServiceDocuments;
  /** By service. */
  readonly #groups = new Map<string, Group>();
  /** The service of each version, by the name of its APIService. */
  readonly #services = new Map<string, string>();
  readonly #stopping = new Set<Promise<void>>();

  /** `create` is called for each service when its first version appears. */
  constructor(create: () => ServiceDocuments) {
    this.#create = create;
  }

  /** Adds a version, or replaces it. */
  set(version: RemoteVersion): void {
    const key = serviceKey(version);
    if (this.#services.get(version.name) !== key) this.remove(version.name);
    this.#services.set(version.name, key);
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { documents: this.#create(), versions: new Map() };
      this.#groups.set(key, group);
    }
    group.versions.set(version.name, version);
    group.documents.update([...group.versions.values()]);
  }

  /** Does nothing if there is no such version. */
  remove(name: string): void {
    const key = this.#services.get(name);
    if (key === undefined) return;
    this.#services.delete(name);
    const group = this.#groups.get(key) as Group;
    group.versions.delete(name);
    group.documents.update([...group.versions.values()]);
    if (group.versions.size > 0) return;
    this.#groups.delete(key);
    this.#stop(group);
  }

  /** Stops the documents of all services. Resolves when no request runs any more. */
  async stop(): Promise<void> {
    for (const group of this.#groups.values()) this.#stop(group);
    this.#groups.clear();
    this.#services.clear();
    await Promise.all(this.#stopping);
  }

  #stop({ documents }: Group): void {
    const stopped = documents.stop().finally(() => this.#stopping.delete(stopped));
    this.#stopping.add(stopped);
  }
}

function serviceKey({ service: { namespace, name, port } }: RemoteVersion): string {
  return `${namespace}/${name}:${port}`;
}
