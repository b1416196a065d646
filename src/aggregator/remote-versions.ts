/**
 * The set of remote group-versions, made from the APIServices of a lister. The router, discovery, OpenAPI and the
 * availability checks read it.
 *
 * Invariant: the set always equals the remote APIServices of the lister. Each version is parsed once per change of its
 * APIService.
 */
import type { Lister, ListerChange } from '../server/own/lister.ts';
import { parseRemoteVersion, type RemoteVersion } from './remote-version.ts';

export interface RemoteVersionChange {
  /** The name of the APIService. */
  readonly name: string;
  /** Undefined for a new version. */
  readonly before: RemoteVersion | undefined;
  /** Undefined if the APIService was deleted, or has no service any more. */
  readonly after: RemoteVersion | undefined;
}

type Listener = (change: RemoteVersionChange) => void;

export class RemoteVersions {
  /** By the name of the APIService. */
  readonly #named = new Map<string, RemoteVersion>();
  /** By group, then by version. */
  readonly #groups = new Map<string, Map<string, RemoteVersion>>();
  readonly #listeners = new Set<Listener>();
  #following: { stop(): void } | undefined;

  /** The number of versions. */
  get size(): number {
    return this.#named.size;
  }

  get(group: string, version: string): RemoteVersion | undefined {
    return this.#groups.get(group)?.get(version);
  }

  /** Returns the version of an APIService; undefined if the APIService is local or does not exist. */
  named(name: string): RemoteVersion | undefined {
    return this.#named.get(name);
  }

  list(): readonly RemoteVersion[] {
    return [...this.#named.values()];
  }

  /**
   * Calls the listener with every existing version as a new one, before it returns. Then calls it with every change, in
   * order and in the turn in which the lister reports the change. A listener must not throw.
   */
  subscribe(listener: Listener): { stop(): void } {
    this.#listeners.add(listener);
    for (const after of this.#named.values()) listener({ name: after.name, before: undefined, after });
    return { stop: () => void this.#listeners.delete(listener) };
  }

  /** Follows the APIServices of a lister. Called once. */
  follow(apiServices: Lister): void {
    this.#following = apiServices.subscribe((changes) => {
      for (const change of changes) this.#changed(change);
    });
  }

  stop(): void {
    this.#following?.stop();
    this.#listeners.clear();
  }

  #changed({ name, object }: ListerChange): void {
    const before = this.#named.get(name);
    const after = object === undefined ? undefined : parseRemoteVersion(object);
    if (before === undefined && after === undefined) return;
    if (before !== undefined) this.#remove(before);
    if (after !== undefined) this.#add(after);
    for (const listener of [...this.#listeners]) listener({ name, before, after });
  }

  #add(remote: RemoteVersion): void {
    this.#named.set(remote.name, remote);
    let versions = this.#groups.get(remote.group);
    if (versions === undefined) {
      versions = new Map();
      this.#groups.set(remote.group, versions);
    }
    versions.set(remote.version, remote);
  }

  #remove({ name, group, version }: RemoteVersion): void {
    this.#named.delete(name);
    const versions = this.#groups.get(group);
    versions?.delete(version);
    if (versions?.size === 0) this.#groups.delete(group);
  }
}
