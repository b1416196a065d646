/**
 * The reasons why a key is pending, which become the `why` of its reconcile.
 * Invariant: a pending key has at most MAX_REASONS reasons. Further reasons are only counted, and equal reasons count
 * once.
 */
import type { ObjectKey } from '../client/informer.ts';
import type { Stored } from '../client/object-types.ts';

export interface Reason {
  /** `Deployment default/web updated`, `requeue after 30s`, `retry 3`. */
  readonly text: string;
  /** The states before and after an update, for the hot-loop detector. */
  readonly change?: { readonly kind: string; readonly before: Stored<unknown>; readonly after: Stored<unknown> };
}

const MAX_REASONS = 8;

export class PendingReasons {
  readonly #byKey = new Map<ObjectKey, { reasons: Reason[]; more: number }>();
  readonly #delayed = new Map<ObjectKey, Reason>();

  add(key: ObjectKey, reason: Reason): void {
    const pending = this.#byKey.get(key);
    if (pending === undefined) {
      this.#byKey.set(key, { reasons: [reason], more: 0 });
      return;
    }
    const same = pending.reasons.findIndex((one) => one.text === reason.text);
    if (same >= 0) pending.reasons[same] = reason;
    else if (pending.reasons.length < MAX_REASONS) pending.reasons.push(reason);
    else pending.more++;
  }

  /**
   * Sets the reason of a delayed add. It is dropped if the key is enqueued for another reason before the delay has
   * passed.
   */
  addDelayed(key: ObjectKey, reason: Reason): void {
    this.#delayed.set(key, reason);
  }

  /** Removes and returns the reasons of a key, in the order in which they were added. */
  take(key: ObjectKey): { readonly reasons: readonly Reason[]; readonly more: number } {
    const pending = this.#byKey.get(key);
    const delayed = this.#delayed.get(key);
    this.#byKey.delete(key);
    this.#delayed.delete(key);
    return pending ?? { reasons: delayed === undefined ? [] : [delayed], more: 0 };
  }

  clear(): void {
    this.#byKey.clear();
    this.#delayed.clear();
  }
}

/** `Foo default/a updated, requeue after 30s, and 4 more`. */
export function formatReasons(why: readonly string[]): string {
  return why.join(', ');
}

export function reasonTexts({ reasons, more }: { reasons: readonly Reason[]; more: number }): readonly string[] {
  const texts = reasons.map(({ text }) => text);
  if (more > 0) texts.push(`and ${more} more`);
  return texts;
}
