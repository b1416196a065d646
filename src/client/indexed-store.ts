/**
 * The store of an informer. Invariants:
 * - Objects that the store returns are deeply frozen. An object is frozen when it is first returned, because freezing
 *   costs about a third of parsing, and many objects are never returned.
 * - An object whose resourceVersion has not changed keeps its identity.
 * - Every index has exactly the objects of the store.
 */
import { compileLabelSelectorForRecord } from '../apimachinery/selectors/label-selector-match.ts';
import { parseLabelSelector } from '../apimachinery/selectors/label-selector-parse.ts';
import { BugError, ConfigError } from '../base/errors.ts';
import { deepFreeze } from './deep-freeze.ts';
import type { IndexFunction, ObjectKey, ObjectStore } from './informer.ts';
import type { Stored } from './object-types.ts';
import { compareResourceVersions } from './resource-version.ts';
import { StoreIndex } from './store-index.ts';

/** One change of a store. The objects may not be frozen yet. */
export type StoreChange<T> =
  | {
      readonly type: 'add';
      readonly key: ObjectKey;
      readonly object: Stored<T>;
      /** Whether the object belongs to the first list. */
      readonly isInitial: boolean;
    }
  | { readonly type: 'update'; readonly key: ObjectKey; readonly before: Stored<T>; readonly after: Stored<T> }
  | {
      readonly type: 'delete';
      readonly key: ObjectKey;
      readonly object: Stored<T>;
      /** Whether `object` is the last state of the object. */
      readonly isFinal: boolean;
    };

/** The key of an object: `namespace/name`, or `name` in the cluster. */
export function objectKeyOf(object: {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
}): ObjectKey {
  const { name, namespace } = object.metadata;
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

export class IndexedStore<T> implements ObjectStore<T> {
  readonly #onIndexFailure: (error: Error) => void;
  #objects: Map<ObjectKey, Stored<T>> = new Map();
  readonly #indexes = new Map<string, StoreIndex<T>>();
  /** Created by the first list of a namespace. */
  #namespaces: StoreIndex<T> | undefined;
  #resourceVersion = '';
  /** The parsed selector of the last list, which the next list often has, too. */
  #selector: { readonly text: string; readonly matches: LabelTest } | undefined;

  constructor(onIndexFailure: (error: Error) => void) {
    this.#onIndexFailure = onIndexFailure;
  }

  get size(): number {
    return this.#objects.size;
  }

  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  get(name: string, namespace?: string): Stored<T> | undefined {
    return this.getByKey(namespace === undefined ? name : `${namespace}/${name}`);
  }

  getByKey(key: ObjectKey): Stored<T> | undefined {
    return deepFreeze(this.#objects.get(key));
  }

  list(options: { readonly namespace?: string; readonly labelSelector?: string } = {}): readonly Stored<T>[] {
    const { namespace, labelSelector = '' } = options;
    const objects = namespace === undefined ? this.#objects.values() : this.#ofNamespace(namespace);
    const matches = labelSelector === '' ? undefined : this.#labelTest(labelSelector);
    const list: Stored<T>[] = [];
    for (const object of objects)
      if (matches === undefined || matches(object.metadata.labels)) list.push(deepFreeze(object));
    return list;
  }

  byIndex(index: string, value: string): readonly Stored<T>[] {
    const found = this.#indexes.get(index);
    if (found === undefined) throw new BugError(`the store has no index ${JSON.stringify(index)}`);
    return this.#objectsOf(found.keys(value)).map(deepFreeze);
  }

  keys(): Iterable<ObjectKey> {
    return this.#objects.keys();
  }

  /** Adds an index, and indexes the existing objects. Throws BugError if an index has the same name. */
  addIndex(name: string, indexFunction: IndexFunction<T>): void {
    if (this.#indexes.has(name)) throw new BugError(`the store has an index ${JSON.stringify(name)} already`);
    this.#indexes.set(
      name,
      this.#newIndex((object) => indexFunction(deepFreeze(object))),
    );
  }

  /** Returns an object without freezing it, for comparisons. */
  peek(key: ObjectKey): Stored<T> | undefined {
    return this.#objects.get(key);
  }

  /** Stores a new state. Returns undefined if the store has it already. */
  apply(object: Stored<T>): StoreChange<T> | undefined {
    const key = objectKeyOf(object);
    const before = this.#objects.get(key);
    this.advance(object.metadata.resourceVersion);
    if (before !== undefined && isSameState(before, object)) return undefined;
    this.#set(key, before, object);
    return before === undefined
      ? { type: 'add', key, object, isInitial: false }
      : { type: 'update', key, before, after: object };
  }

  /** Removes an object. `object` is its last state. Returns undefined if the store does not have it. */
  delete(object: Stored<T>): StoreChange<T> | undefined {
    const key = objectKeyOf(object);
    const before = this.#objects.get(key);
    this.advance(object.metadata.resourceVersion);
    if (before === undefined) return undefined;
    this.#remove(key, before);
    return { type: 'delete', key, object, isFinal: true };
  }

  /**
   * Replaces the contents in one step. Takes ownership of `objects`. Returns the differences: first the deletions, then
   * the other changes in the order of `objects`. An object with another uid is a deletion and an addition.
   */
  replace(objects: Map<ObjectKey, Stored<T>>, resourceVersion: string): readonly StoreChange<T>[] {
    const isInitial = this.#resourceVersion === '';
    const changes: StoreChange<T>[] = [];
    for (const [key, before] of this.#objects) {
      const after = objects.get(key);
      if (after === undefined || after.metadata.uid !== before.metadata.uid) {
        this.#remove(key, before);
        changes.push({ type: 'delete', key, object: before, isFinal: false });
      }
    }
    for (const [key, object] of objects) {
      const before = this.#objects.get(key);
      if (before !== undefined && isSameState(before, object)) continue;
      this.#set(key, before, object);
      changes.push(
        before === undefined ? { type: 'add', key, object, isInitial } : { type: 'update', key, before, after: object },
      );
    }
    // Not `advance`: a server that was restored from a backup may be at an older revision.
    this.#resourceVersion = resourceVersion;
    return changes;
  }

  /** Raises the revision of the store. An older revision is ignored. */
  advance(resourceVersion: string): void {
    if (compareResourceVersions(resourceVersion, this.#resourceVersion) > 0) this.#resourceVersion = resourceVersion;
  }

  /** Every object, not frozen. */
  entries(): Iterable<[key: ObjectKey, object: Stored<T>]> {
    return this.#objects.entries();
  }

  #set(key: ObjectKey, before: Stored<T> | undefined, object: Stored<T>): void {
    if (before !== undefined) this.#unindex(key, before);
    this.#objects.set(key, object);
    this.#namespaces?.add(key, object);
    if (this.#indexes.size > 0) for (const index of this.#indexes.values()) index.add(key, object);
  }

  #remove(key: ObjectKey, before: Stored<T>): void {
    this.#unindex(key, before);
    this.#objects.delete(key);
  }

  #unindex(key: ObjectKey, before: Stored<T>): void {
    this.#namespaces?.remove(key, before);
    if (this.#indexes.size > 0) for (const index of this.#indexes.values()) index.remove(key, before);
  }

  #ofNamespace(namespace: string): readonly Stored<T>[] {
    this.#namespaces ??= this.#newIndex(({ metadata }) => [metadata.namespace ?? '']);
    return this.#objectsOf(this.#namespaces.keys(namespace));
  }

  #newIndex(indexFunction: IndexFunction<T>): StoreIndex<T> {
    const index = new StoreIndex(indexFunction, this.#onIndexFailure);
    for (const [key, object] of this.#objects) index.add(key, object);
    return index;
  }

  #objectsOf(keys: ReadonlySet<ObjectKey>): Stored<T>[] {
    return Array.from(keys, (key) => this.#objects.get(key) as Stored<T>);
  }

  #labelTest(text: string): LabelTest {
    if (this.#selector?.text !== text) {
      const parsed = parseLabelSelector(text);
      if (!parsed.ok)
        throw new ConfigError(`the label selector ${JSON.stringify(text)} is malformed: ${parsed.message}`);
      this.#selector = { text, matches: compileLabelSelectorForRecord(parsed.selector) };
    }
    return this.#selector.matches;
  }
}

type LabelTest = (labels: Readonly<Record<string, string>> | undefined) => boolean;

function isSameState(a: Stored<unknown>, b: Stored<unknown>): boolean {
  return (
    a === b ||
    (a.metadata.resourceVersion === b.metadata.resourceVersion &&
      a.metadata.resourceVersion !== '' &&
      a.metadata.uid === b.metadata.uid)
  );
}
