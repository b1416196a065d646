/**
 * The updater computes the managers of an object after a write, and merges applied configurations. It corresponds to
 * `merge.Updater` of structured-merge-diff. It works on types, versions and field sets; metadata has no special meaning
 * here.
 */
import { equalJson } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { EMPTY_SET, type FieldSet } from '../field-set/field-set.ts';
import { difference, intersection, union } from '../field-set/set-algebra.ts';
import type { SetFilter } from '../field-set/set-filter.ts';
import { type Comparison, compareTyped, NO_CHANGES } from './comparison.ts';
import { type Converter, runSteps, type Steps } from './converter.ts';
import { type Conflict, conflictsOf, type Managers, type VersionedSet } from './managers.ts';
import { mergeTyped } from './merge-typed.ts';
import { convertTo, prune } from './prune.ts';
import { reconcileFieldSet } from './reconcile-field-set.ts';
import { toFieldSet } from './to-field-set.ts';
import type { TypedValue } from './typed-value.ts';

export interface UpdaterOptions {
  readonly converter: Converter;
  /** By API version: the fields that a manager can own. Default: all. */
  readonly filters?: ReadonlyMap<string, SetFilter>;
}

export interface UpdateRequest {
  /** The object before the write. Has the type of `apiVersion`, as `next` and `config` have. */
  readonly live: TypedValue;
  readonly apiVersion: string;
  /** The managers before the write. Not modified. */
  readonly managers: Managers;
  readonly manager: string;
}

export interface ApplyRequest extends UpdateRequest {
  readonly config: TypedValue;
  /** True: conflicts take the fields from their managers instead of refusing the configuration. */
  readonly force: boolean;
}

export type ApplyOutcome =
  | {
      readonly kind: 'applied';
      /** Shares structure with the live object and the configuration; undefined if the live object stays as it is. */
      readonly object: TypedValue | undefined;
      readonly managers: Managers;
    }
  | { readonly kind: 'conflicts'; readonly conflicts: readonly Conflict[] };

export class Updater {
  readonly #converter: Converter;
  readonly #filters: ReadonlyMap<string, SetFilter> | undefined;

  constructor({ converter, filters }: UpdaterOptions) {
    this.#converter = converter;
    this.#filters = filters;
  }

  /**
   * Returns the managers after a write other than an apply, which turned `live` into `next`. The writing manager owns
   * the changed fields; managers that lose all their fields are dropped. Failures of conversions are thrown or
   * rejected.
   */
  update(request: UpdateRequest & { readonly next: TypedValue }): MaybePromise<Managers> {
    return runSteps(this.#update(request), this.#converter);
  }

  /**
   * Merges a configuration into the live object. Conflicts are an outcome; failures of conversions are thrown or
   * rejected.
   */
  apply(request: ApplyRequest): MaybePromise<ApplyOutcome> {
    return runSteps(this.#apply(request), this.#converter);
  }

  *#update({
    live,
    next,
    apiVersion,
    managers,
    manager,
  }: UpdateRequest & { readonly next: TypedValue }): Steps<Managers> {
    const reconciled = this.#reconcile(managers);
    const changes = this.#filtered(compareTyped(live.value, next.value, next.type), apiVersion);
    const write: Write = { live, next, apiVersion, managers: reconciled, manager, changes };
    const updated = (yield* this.#takeOver(write, true)) as Managers;
    const { removed, modified, added } = changes;
    const before = updated.get(manager)?.set ?? EMPTY_SET;
    const set = this.#filter(union(union(difference(before, removed), modified), added), apiVersion);
    if (set.isEmpty) updated.delete(manager);
    else updated.set(manager, { set, apiVersion, applied: false });
    return updated;
  }

  *#apply({ live, config, apiVersion, managers, manager, force }: ApplyRequest): Steps<ApplyOutcome> {
    const reconciled = this.#reconcile(managers);
    const last = reconciled.get(manager);
    const set = this.#filter(toFieldSet(config.value, config.type), apiVersion);
    reconciled.set(manager, { set, apiVersion, applied: true });
    const merged = { value: mergeTyped(live.value, config.value, live.type), type: live.type };
    const next = yield* prune(
      { merged: { typed: merged, apiVersion }, managers: reconciled, applier: manager, last },
      this.#converter,
    );
    const changes = this.#filtered(compareTyped(live.value, next.value, next.type), apiVersion);
    const write: Write = { live, next, apiVersion, managers: reconciled, manager, changes };
    const updated = yield* this.#takeOver(write, force);
    if (!(updated instanceof Map)) return { kind: 'conflicts', conflicts: updated };
    const object = equalJson(live.value, next.value) ? undefined : next;
    return { kind: 'applied', object, managers: updated };
  }

  /** Returns the managers whose versions are served, with their sets reconciled with the present schema. */
  #reconcile(managers: Managers): Managers {
    const reconciled: Managers = new Map();
    for (const [manager, versioned] of managers) {
      const type = this.#converter.typeAt(versioned.apiVersion);
      if (type === undefined) continue;
      const set = reconcileFieldSet(versioned.set, type);
      reconciled.set(manager, set === versioned.set ? versioned : { ...versioned, set });
    }
    return reconciled;
  }

  /**
   * Removes the changed fields from the sets of all managers but the writer, in the version of each set. Returns the
   * conflicts instead if there are any and `force` is false.
   */
  *#takeOver(write: Write, force: boolean): Steps<Managers | Conflict[]> {
    const { managers, manager } = write;
    const changesAt = new Map([[write.apiVersion, withUnion(write.changes)]]);
    const conflicts = new Map<string, FieldSet>();
    const updated: Managers = new Map();
    for (const [other, versioned] of managers) {
      if (other === manager) {
        if (!versioned.set.isEmpty) updated.set(other, versioned);
        continue;
      }
      let changes = changesAt.get(versioned.apiVersion);
      if (changes === undefined) {
        changes = withUnion(yield* this.#changesIn(write, versioned.apiVersion));
        changesAt.set(versioned.apiVersion, changes);
      }
      const taken = intersection(versioned.set, changes.written);
      if (!taken.isEmpty) conflicts.set(other, taken);
      const left = difference(difference(versioned.set, taken), changes.removed);
      if (!left.isEmpty) updated.set(other, left === versioned.set ? versioned : withSet(versioned, left));
    }
    return !force && conflicts.size > 0 ? conflictsOf(conflicts) : updated;
  }

  *#changesIn({ live, next, apiVersion }: Write, wanted: string): Steps<Comparison> {
    if (live.value === next.value) return NO_CHANGES;
    const before = yield* convertTo({ typed: live, apiVersion }, wanted);
    const after = yield* convertTo({ typed: next, apiVersion }, wanted, 'failed to convert new object');
    return this.#filtered(compareTyped(before.typed.value, after.typed.value, after.typed.type), wanted);
  }

  #filter(set: FieldSet, apiVersion: string): FieldSet {
    const filter = this.#filters?.get(apiVersion);
    return filter === undefined ? set : filter(set);
  }

  #filtered(changes: Comparison, apiVersion: string): Comparison {
    const filter = this.#filters?.get(apiVersion);
    if (filter === undefined || changes === NO_CHANGES) return changes;
    return { removed: filter(changes.removed), modified: filter(changes.modified), added: filter(changes.added) };
  }
}

/** A write whose result is known. `changes` are the changes in the version of the write. */
interface Write {
  readonly live: TypedValue;
  readonly next: TypedValue;
  readonly apiVersion: string;
  readonly managers: Managers;
  readonly manager: string;
  readonly changes: Comparison;
}

function withUnion({ removed, modified, added }: Comparison): {
  readonly removed: FieldSet;
  readonly written: FieldSet;
} {
  return { removed, written: union(modified, added) };
}

function withSet(versioned: VersionedSet, set: FieldSet): VersionedSet {
  return { ...versioned, set };
}
