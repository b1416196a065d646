/**
 * The ensurer of the server's own objects: it creates those that are missing and replaces those that differ. It reads
 * single keys and starts no cache, so a server that finds everything in place reads nothing else.
 */
import { nameOf, namespaceOf } from '../../apimachinery/meta/meta.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../apimachinery/status/status.ts';
import type { JsonObject } from '../../base/json-value.ts';
import {
  type ObjectName,
  type OwnCreateOptions,
  type OwnWriteOptions,
  OwnWriter,
} from '../../server/own/own-writer.ts';
import type { StoredResource } from '../../server/resource/open-resource.ts';
import type { EnsuredObject } from './ensured-object.ts';

export class ObjectEnsurer {
  readonly #resource: (plural: string) => StoredResource;
  readonly #writers = new Map<string, OwnWriter>();

  constructor(resource: (plural: string) => StoredResource) {
    this.#resource = resource;
  }

  /**
   * Reads the stored objects and returns the writes that are necessary. The caller runs them, all in one turn, so that
   * they share a commit.
   */
  async plan(objects: readonly EnsuredObject[]): Promise<readonly (() => Promise<void>)[]> {
    const stored = await Promise.all(objects.map(({ plural, object }) => this.#writer(plural).read(target(object))));
    return objects.flatMap(({ plural, object, strategy, ...options }, i) => {
      const old = stored[i];
      if (old === undefined) return [() => this.create(plural, object, options)];
      const next = strategy === 'create' ? undefined : strategy(old);
      return next === undefined ? [] : [() => this.replace(plural, next, options)];
    });
  }

  /** Plans the writes and runs them. */
  async ensure(objects: readonly EnsuredObject[]): Promise<void> {
    const writes = await this.plan(objects);
    await Promise.all(writes.map((write) => write()));
  }

  /** Does nothing if the object exists: another server on the same storage may have created it. */
  async create(plural: string, object: JsonObject, options: OwnCreateOptions = {}): Promise<void> {
    try {
      await this.#writer(plural).create(object, options);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  /** Deletes the object. Does nothing if it does not exist or, given a uid, has another uid. */
  remove(plural: string, object: JsonObject, uid?: string): Promise<void> {
    return this.#writer(plural).deleteIfPresent(target(object), uid);
  }

  /** Writes the stored object with the changes that `change` makes in place. Returns false if it does not exist. */
  async update(plural: string, object: JsonObject, change: (stored: JsonObject) => void): Promise<boolean> {
    try {
      await this.#writer(plural).update(target(object), change);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  /** Does nothing if the stored object has changed since it was read: the next start ensures it again. */
  async replace(plural: string, next: JsonObject, options: OwnWriteOptions = {}): Promise<void> {
    try {
      await this.#writer(plural).replace(next, options);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }

  #writer(plural: string): OwnWriter {
    let writer = this.#writers.get(plural);
    if (writer === undefined) {
      writer = new OwnWriter(this.#resource(plural), { setsStatus: true });
      this.#writers.set(plural, writer);
    }
    return writer;
  }
}

function target(object: JsonObject): ObjectName {
  return { namespace: namespaceOf(object), name: nameOf(object) };
}
