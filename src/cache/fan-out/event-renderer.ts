/**
 * Renders changes and entries as the chunks that watchers get, in one form and one encoding.
 * Invariant: chunks are in the order of the changes they were made of, whatever the order in which forms are made.
 * Rendering stops at the first change that fails.
 */
import { toError } from '../../base/errors.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Revision } from '../../storage/storage.ts';
import type { ChangeType, Entry, EventEncoding, Facts, Filter, FormKey, FormResult } from '../cache.ts';
import { type Change, changeType } from '../change.ts';
import type { Forms } from '../forms.ts';
import type { Slice } from './catch-up.ts';

/** The outcome of a rendering. */
export interface Rendered {
  readonly chunks: Uint8Array[];
  /** The revision of each chunk. */
  readonly revisions: Revision[];
  /** The reason why rendering stopped early. The watchers get the chunks, and then end with this error. */
  error: Error | undefined;
  /** The index of the change at which rendering stopped. */
  failedAt: number;
}

export interface RenderCounters {
  encodes: number;
}

type Memo = Partial<Record<ChangeType, Uint8Array>>;

export class EventRenderer {
  readonly form: FormKey | undefined;
  readonly encoding: EventEncoding;
  /** The number of groups that use this renderer. */
  groups = 0;
  readonly #forms: Forms;
  readonly #counters: RenderCounters;
  #memo = new Map<Change, Memo>();
  #bookmark: { readonly revision: Revision; readonly chunk: Uint8Array } | undefined;

  constructor(form: FormKey | undefined, encoding: EventEncoding, forms: Forms, counters: RenderCounters) {
    this.form = form;
    this.encoding = encoding;
    this.#forms = forms;
    this.#counters = counters;
  }

  /**
   * Renders changes as watchers with this filter see them. `shared`: keeps the chunks until `forget`, for other groups.
   * Never throws: failures are part of the result.
   */
  render(changes: readonly Change[], filter: Filter | undefined, shared: boolean): MaybePromise<Rendered> {
    return this.form === undefined
      ? this.#renderStored(changes, filter, shared)
      : this.#renderForm(this.form, changes, filter, shared);
  }

  /** Renders a slice of a watch that catches up. Failures are part of the result. */
  renderSlice(slice: Slice, filter: Filter | undefined): MaybePromise<Rendered> {
    switch (slice.type) {
      case 'entries':
        return this.#renderState(slice.entries, filter);
      case 'initial-events-end':
        return this.#renderInitialEventsEnd(slice.revision);
      case 'changes':
        return this.render(slice.changes, filter, false);
      case 'lost':
        return newRendered();
    }
  }

  /** Returns the bookmark of a revision, encoded once for all watchers. Throws the errors of the encoding. */
  bookmark(revision: Revision): Uint8Array {
    if (this.#bookmark?.revision !== revision) {
      this.#bookmark = { revision, chunk: this.encoding.bookmark(revision, false) };
    }
    return this.#bookmark.chunk;
  }

  /** Drops the chunks that `render` kept. A cleared Map would promote them to V8's old generation, see `LruMap`. */
  forget(): void {
    if (this.#memo.size > 0) this.#memo = new Map();
  }

  /** Renders the entries that match the filter as ADDED events. */
  #renderState(entries: readonly Entry[], filter: Filter | undefined): MaybePromise<Rendered> {
    if (this.form === undefined) return this.#renderEntries(entries, filter, undefined);
    return andThen(this.#forms.make(this.form, entries), (made) => this.#renderEntries(entries, filter, made));
  }

  #renderInitialEventsEnd(revision: Revision): Rendered {
    const out = newRendered();
    try {
      out.chunks.push(this.encoding.bookmark(revision, true));
      out.revisions.push(revision);
    } catch (caught) {
      out.error = toError(caught);
    }
    return out;
  }

  #renderStored(changes: readonly Change[], filter: Filter | undefined, shared: boolean): Rendered {
    const out = newRendered();
    try {
      for (let i = 0; i < changes.length; i++) {
        const change = changes[i]!;
        out.failedAt = i;
        if (change.entry?.broken !== undefined) {
          out.error = change.entry.broken;
          break;
        }
        const type = changeType(filter, change.key, factsBefore(change), change.entry?.facts);
        if (type !== undefined) this.#push(out, change, type, shared, undefined);
      }
    } catch (caught) {
      out.error = toError(caught);
    }
    return out;
  }

  #renderForm(
    form: FormKey,
    changes: readonly Change[],
    filter: Filter | undefined,
    shared: boolean,
  ): MaybePromise<Rendered> {
    // The facts of the previous version are needed for a filter only.
    const wanted: Entry[] = [];
    for (const { entry, previous } of changes) {
      if (entry !== undefined) wanted.push(entry);
      if (filter !== undefined && previous !== undefined && previous.broken === undefined) wanted.push(previous);
    }
    return andThen(this.#makeAll(form, wanted, changes), (byEntry) => {
      const types = changes.map((change) => this.#typeIn(byEntry, change, filter));
      const last = changes.filter((_, i) => types[i] === 'DELETED').map((change) => change.last());
      return andThen(this.#forms.make(form, last), (madeLast) => {
        last.forEach((entry, i) => void byEntry.set(entry, madeLast[i]!));
        return this.#pushAll(changes, types, byEntry, shared);
      });
    });
  }

  /**
   * Makes the forms of `wanted`. For an entry whose form can never be made, also makes the form of its previous
   * version, which tells whether watchers have seen the object.
   */
  #makeAll(form: FormKey, wanted: readonly Entry[], changes: readonly Change[]): MaybePromise<Map<Entry, FormResult>> {
    return andThen(this.#forms.make(form, wanted), (made) => {
      const byEntry = new Map(wanted.map((entry, i) => [entry, made[i]!]));
      if (!made.some(isLasting)) return byEntry;
      const before = changes.flatMap(({ entry, previous }) => {
        const isAsked = entry !== undefined && isLasting(byEntry.get(entry)!) && previous?.broken === undefined;
        return isAsked && previous !== undefined && !byEntry.has(previous) ? [previous] : [];
      });
      return andThen(this.#forms.make(form, before), (madeBefore) => {
        before.forEach((entry, i) => void byEntry.set(entry, madeBefore[i]!));
        return byEntry;
      });
    });
  }

  #typeIn(
    made: ReadonlyMap<Entry, FormResult>,
    { key, entry, previous }: Change,
    filter: Filter | undefined,
  ): ChangeType | Error | undefined {
    const now = entry === undefined ? undefined : made.get(entry)!;
    const before = previous === undefined || previous.broken !== undefined ? undefined : previous;
    const then = before === undefined ? undefined : (made.get(before) ?? before);
    if (then !== undefined && 'error' in then && then.lasting !== true) return then.error;
    // Watchers have not seen a previous version whose form can never be made.
    const shown = then !== undefined && 'error' in then ? undefined : then;
    try {
      if (now === undefined || !('error' in now)) return changeType(filter, key, shown?.facts, now?.facts);
      if (now.lasting === true && then !== undefined && shown === undefined) return undefined;
      const isSelected = now.facts === undefined || changeType(filter, key, shown?.facts, now.facts) !== undefined;
      return isSelected ? now.error : undefined;
    } catch (caught) {
      return toError(caught);
    }
  }

  #pushAll(
    changes: readonly Change[],
    types: readonly (ChangeType | Error | undefined)[],
    made: ReadonlyMap<Entry, FormResult>,
    shared: boolean,
  ): Rendered {
    const out = newRendered();
    try {
      for (let i = 0; i < changes.length && out.error === undefined; i++) {
        const change = changes[i]!;
        out.failedAt = i;
        const type = types[i];
        if (type === undefined) continue;
        if (typeof type !== 'string') {
          out.error = type;
          continue;
        }
        const result = made.get(type === 'DELETED' ? change.last() : change.entry!)!;
        // The form of this version can never be made, so watchers have not seen it and get no DELETED event.
        if ('error' in result && type === 'DELETED' && result.lasting === true) continue;
        if ('error' in result) out.error = result.error;
        else this.#push(out, change, type, shared, result.bytes);
      }
    } catch (caught) {
      out.error = toError(caught);
    }
    return out;
  }

  #renderEntries(
    entries: readonly Entry[],
    filter: Filter | undefined,
    made: readonly FormResult[] | undefined,
  ): Rendered {
    const out = newRendered();
    try {
      for (let i = 0; i < entries.length; i++) {
        const entry = entries[i]!;
        const shown: FormResult = made?.[i] ?? (entry.broken === undefined ? entry : { error: entry.broken });
        if (filter !== undefined && shown.facts !== undefined && !filter.matches(shown.facts, entry.key)) continue;
        if ('error' in shown) {
          out.error = shown.error;
          break;
        }
        this.#counters.encodes++;
        out.chunks.push(this.encoding.event('ADDED', shown.bytes));
        out.revisions.push(entry.revision);
      }
    } catch (caught) {
      out.error = toError(caught);
    }
    return out;
  }

  #push(out: Rendered, change: Change, type: ChangeType, shared: boolean, bytes: Uint8Array | undefined): void {
    out.chunks.push(this.#encode(change, type, shared, bytes));
    out.revisions.push(change.revision);
  }

  #encode(change: Change, type: ChangeType, shared: boolean, bytes: Uint8Array | undefined): Uint8Array {
    const memo = this.#memo.get(change);
    const known = memo?.[type];
    if (known !== undefined) return known;
    this.#counters.encodes++;
    const chunk = this.encoding.event(type, bytes ?? (type === 'DELETED' ? change.last() : change.entry!).bytes);
    if (shared && this.groups > 1) {
      if (memo === undefined) this.#memo.set(change, { [type]: chunk });
      else memo[type] = chunk;
    }
    return chunk;
  }
}

/** The outcome of a rendering that failed before its first chunk. */
export function failedRendering(caught: unknown): Rendered {
  return { chunks: [], revisions: [], error: toError(caught), failedAt: 0 };
}

function newRendered(): Rendered {
  return { chunks: [], revisions: [], error: undefined, failedAt: 0 };
}

function isLasting(result: FormResult): boolean {
  return 'error' in result && result.lasting === true;
}

/** A broken previous version counts as absent, because no watcher has seen it. */
function factsBefore(change: Change): Facts | undefined {
  const { previous } = change;
  return previous === undefined || previous.broken !== undefined ? undefined : previous.facts;
}
