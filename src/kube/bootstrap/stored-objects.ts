/**
 * Objects of the server's own, read from and written to storage one by one. Invariant: no cache is started for them, so a server that finds everything in place has read a few
 * keys and nothing else; what is written is what the resource's store would have written.
 */
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import { BugError } from '../../base/errors.ts';
import { cloneJson, type JsonObject } from '../../base/json-value.ts';
import { ownContext } from '../../server/own/own-context.ts';
import { ObjectKeys } from '../../server/registry/object-keys.ts';
import { countGeneration, fillSystemFields } from '../../server/registry/object-metadata.ts';
import { encodeStored, metadataIn, readStored, type StoredState } from '../../server/registry/stored-object.ts';
import type { StoredResource } from '../../server/resource/open-resource.ts';
import type { RegistryHost } from '../../server/resource/registry-host.ts';
import type { BootstrapObject } from './bootstrap-object.ts';

export class StoredObjects {
  readonly #host: RegistryHost;
  readonly #resource: (plural: string) => StoredResource;

  constructor(host: RegistryHost, resource: (plural: string) => StoredResource) {
    this.#host = host;
    this.#resource = resource;
  }

  /** The writes that bring these objects up to date; they are begun when all objects are read, and in one turn, so that they share a commit. */
  async bringUpToDate(objects: readonly BootstrapObject[]): Promise<readonly (() => Promise<void>)[]> {
    const states = await Promise.all(objects.map(({ plural, object }) => this.#read(plural, object)));
    return objects.flatMap((wanted, i) => {
      const state = states[i];
      if (state === undefined) return [() => this.create(wanted.plural, wanted.object)];
      if (wanted.mode === 'create') return [];
      const old = readStored(state);
      const next = wanted.mode(old);
      return next === undefined ? [] : [() => this.#replace(wanted.plural, next, old, state)];
    });
  }

  /** Brings these objects up to date, now. */
  async restore(objects: readonly BootstrapObject[]): Promise<void> {
    const writes = await this.bringUpToDate(objects);
    await Promise.all(writes.map((write) => write()));
  }

  /** Another server on the same storage may have been quicker. */
  async create(plural: string, object: JsonObject): Promise<void> {
    const { definition } = this.#resource(plural);
    const { strategy } = definition;
    const ready = this.#inForm(plural, object);
    const metadata = metadataIn(ready);
    fillSystemFields(metadata, this.#host);
    if (strategy.countsGeneration) metadata['generation'] = 1;
    const status = ready['status'];
    strategy.prepareForCreate?.(ready, this.#context('create', plural, ready));
    // Clients do not set it; the server does.
    if (status !== undefined) ready['status'] = status;
    await this.#host.storage.create(this.#key(plural, ready), encodeStored(this.#inForm(plural, ready)));
  }

  async remove(plural: string, object: JsonObject): Promise<void> {
    await this.#host.storage.delete(this.#key(plural, object));
  }

  /** Changes an object that is there; `change` returns the whole new one. Nothing happens if somebody was quicker, or if there is none. */
  async change(plural: string, object: JsonObject, change: (stored: JsonObject) => JsonObject): Promise<boolean> {
    const state = await this.#read(plural, object);
    if (state === undefined) return false;
    const old = readStored(state);
    await this.#replace(plural, change(old), old, state);
    return true;
  }

  async #replace(plural: string, next: JsonObject, old: JsonObject, state: StoredState): Promise<void> {
    const { strategy } = this.#resource(plural).definition;
    const ready = this.#inForm(plural, next);
    const status = ready['status'];
    strategy.prepareForUpdate?.(ready, old, this.#context('update', plural, ready));
    if (status !== undefined) ready['status'] = status;
    countGeneration(strategy, ready, old);
    await this.#host.storage.compareAndWrite(state.key, state.revision, encodeStored(ready));
  }

  async #read(plural: string, object: JsonObject): Promise<StoredState | undefined> {
    const result = await this.#host.storage.get(this.#key(plural, object));
    return result.outcome === 'found' ? result.item : undefined;
  }

  #key(plural: string, object: JsonObject): string {
    const { storagePrefix, scope } = this.#resource(plural).definition;
    const keys = new ObjectKeys(this.#host.scope, storagePrefix, scope);
    return keys.key(textAt(object, 'metadata', 'namespace'), textAt(object, 'metadata', 'name'));
  }

  #context(verb: string, plural: string, object: JsonObject) {
    return ownContext(this.#host.clock, verb, {
      version: this.#version(plural),
      namespace: textAt(object, 'metadata', 'namespace'),
      name: '',
    });
  }

  /** A copy in the form of its type, with its defaults. */
  #inForm(plural: string, object: JsonObject): JsonObject {
    const version = this.#version(plural);
    const normalized = version.normalize(cloneJson(object));
    if (!normalized.ok) throw new BugError(`a bootstrap object is no ${version.kind}: ${normalized.message}`);
    version.setDefaults?.(normalized.object);
    return normalized.object;
  }

  #version(plural: string) {
    const { storageVersion } = this.#resource(plural).definition;
    if (storageVersion === undefined) throw new BugError(`${plural} are not stored`);
    return storageVersion;
  }
}
