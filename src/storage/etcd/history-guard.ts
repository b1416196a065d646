/**
 * The state of an etcd driver about the history of its cluster: the highest revision that it has seen, the
 * compaction horizon, and the cluster's id. It detects a cluster that was restored from a backup.
 * Invariant: between two calls of `onRestored` the revision only grows.
 */
import type { Revision } from '../storage.ts';
import type { Header } from './messages.ts';

/** That state as data. */
export interface History {
  /** '' until the first response. */
  readonly clusterId: string;
  readonly revision: Revision;
  /** A lower bound of the oldest revision that can be read. */
  readonly horizon: Revision;
}

export const UNKNOWN_HISTORY: History = { clusterId: '', revision: 0, horizon: 1 };

/**
 * Returns the state after a response. `asked`: the highest revision that was known when the request was sent. A
 * linearizable response below it, and a response of another cluster, show that the history was replaced.
 */
export function stepHistory(
  history: History,
  header: Header,
  asked: Revision,
): { readonly history: History; readonly restored: boolean } {
  const isOther = history.clusterId !== '' && header.clusterId !== '' && header.clusterId !== history.clusterId;
  if (isOther || header.revision < asked) {
    return { history: { clusterId: header.clusterId, revision: header.revision, horizon: 1 }, restored: true };
  }
  if (header.revision <= history.revision && history.clusterId !== '') return { history, restored: false };
  const revision = Math.max(history.revision, header.revision);
  return { history: { clusterId: header.clusterId, revision, horizon: history.horizon }, restored: false };
}

export class HistoryGuard {
  readonly #onRestored: (revision: Revision) => void;
  #history: History = UNKNOWN_HISTORY;

  constructor(onRestored: (revision: Revision) => void) {
    this.#onRestored = onRestored;
  }

  get revision(): Revision {
    return this.#history.revision;
  }

  get horizon(): Revision {
    return this.#history.horizon;
  }

  /** Takes the header of a linearizable response. `asked` is `revision` when the request was sent. */
  take(header: Header, asked: Revision): void {
    const { history, restored } = stepHistory(this.#history, header, asked);
    this.#history = history;
    if (restored) this.#onRestored(header.revision);
  }

  /** The history below this revision is compacted. */
  compacted(horizon: Revision): void {
    if (horizon > this.#history.horizon) this.#history = { ...this.#history, horizon };
  }
}
