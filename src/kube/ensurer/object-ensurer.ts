/**
 * Brings the objects that a server contains up to date: creates those that are missing and replaces those that differ.
 * It reads single keys and starts no cache, so a server that finds everything in place reads nothing else.
 */
import { nameOf, namespaceOf } from '../../apimachinery/meta/meta.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../apimachinery/status/status.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { type ObjectName, OwnWriter } from '../../server/own/own-writer.ts';
import type { StoredResource } from '../../server/resource/open-resource.ts';
import type { BootstrapObject } from './ensured-object.ts';

export class StoredObjects {
  readonly #resource: (plural: string) => StoredResource;
  readonly #writers = new Map<string, OwnWriter>();

  constructor(resource: (plural: string) => StoredResource) {
    this.#resource = resource;
  }

  /** Reads the objects and returns the writes that are needed. Writes that are begun in one turn share a commit. */
  async bringUpToDate(objects: readonly BootstrapObject[]): Promise<readonly (() => Promise<void>)[]> {
    const stored = await Promise.all(objects.map(({ plural, object }) => this.#writer(plural).read(target(object))));
    return objects.flatMap(({ plural, object, mode }, i) => {
      const old = stored[i];
      if (old === undefined) return [() => this.create(plural, object)];
      const next = mode === 'create' ? undefined : mode(old);
      return next === undefined ? [] : [() => this.#replace(plural, next)];
    });
  }

  /** Brings the objects up to date now. */
  async restore(objects: readonly BootstrapObject[]): Promise<void> {
    const writes = await this.bringUpToDate(objects);
    await Promise.all(writes.map((write) => write()));
  }

  /** Does nothing if the object exists: another server on the same storage may have created it. */
  async create(plural: string, object: JsonObject): Promise<void> {
    try {
      await this.#writer(plural).create(object);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  /** Does nothing if there is no such object. */
  remove(plural: string, object: JsonObject): Promise<void> {
    return this.#writer(plural).deleteIfPresent(target(object));
  }

  /** Changes the stored object in place. Returns false if there is none. */
  async change(plural: string, object: JsonObject, change: (stored: JsonObject) => void): Promise<boolean> {
    try {
      await this.#writer(plural).update(target(object), change);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  /** Does nothing if the stored object has changed since `next` was made of it: the next start looks again. */
  async #replace(plural: string, next: JsonObject): Promise<void> {
    try {
      await this.#writer(plural).replace(next);
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
