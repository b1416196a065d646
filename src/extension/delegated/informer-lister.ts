/** A Lister over an informer, for admission plugins that read configurations of the parent. */
import { isNotFound } from '../../apimachinery/status/status.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Informer, InformerSet } from '../../client/informer.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { Lister, ListerChange } from '../../server/own/lister.ts';

/**
 * A lister of a cluster-scoped kind of the parent. Its state is as old as the delay of a watch, and `fresh` never waits
 * for the parent.
 */
export interface ParentLister extends Lister {
  /** Whether the first list has arrived. A kind that the parent does not serve counts as an empty list. */
  readonly isReady: boolean;
  readonly isEmpty: boolean;
}

/** The informer belongs to the set, which the caller starts and stops. */
export function parentLister<T>(informers: InformerSet, kind: Kind<T, 'Cluster'>): ParentLister {
  return new InformerLister(informers.informer(kind, { transform: withoutManagedFields }));
}

class InformerLister<T> implements ParentLister {
  readonly #informer: Informer<T>;

  constructor(informer: Informer<T>) {
    this.#informer = informer;
  }

  get isReady(): boolean {
    return this.#informer.hasSynced || isNotFound(this.#informer.lastFailure);
  }

  get isEmpty(): boolean {
    return this.#informer.store.size === 0;
  }

  fresh(): void {}

  get(_namespace: string, name: string): JsonObject | undefined {
    return this.#informer.store.get(name) as JsonObject | undefined;
  }

  list(): readonly JsonObject[] {
    const { store } = this.#informer;
    return [...store.keys()].sort().map((key) => store.getByKey(key) as JsonObject);
  }

  subscribe(listener: (changes: readonly ListerChange[]) => void): { stop(): void } {
    const changed = (name: string | undefined, object: unknown): void =>
      listener([{ namespace: '', name: name ?? '', object: object as JsonObject | undefined }]);
    const nameOf = (object: unknown): string | undefined =>
      (object as { readonly metadata?: { readonly name?: string } }).metadata?.name;
    const handler = this.#informer.addHandler({
      onAdd: (object) => changed(nameOf(object), object),
      onUpdate: (_, object) => changed(nameOf(object), object),
      onDelete: (object) => changed(nameOf(object), undefined),
    });
    return { stop: () => handler.remove() };
  }
}

/** An informer transform that drops managedFields, which are a large part of an object and are read by no plugin. */
export function withoutManagedFields<T>(object: T): T {
  const { metadata } = object as { metadata?: { managedFields?: unknown } };
  delete metadata?.managedFields;
  return object;
}
