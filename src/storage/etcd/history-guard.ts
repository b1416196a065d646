/**
 * Detects that an etcd cluster was restored from a backup, from the headers of its responses. It keeps the highest
 * revision that the driver has seen, the compaction horizon and the id of the cluster.
 * Invariant: between two calls of `onRestored` the revision only grows.
 */
import type { Revision } from '../storage.ts';
import type { Header } from './messages.ts';

/** The knowledge of a driver about the history of its cluster. */
export interface History {
  /** '' until the first response. */
  readonly clusterId: string;
  readonly revision: Revision;
  /** A lower bound of the oldest revision that can be read. */
  readonly horizon: Revision;
}

export const UNKNOWN_HISTORY: History = { clusterId: '', revision: 0, horizon: 1 };

/**
 * Returns the knowledge after a response. `asked` is the highest revision that was known when the request was sent. The
 * cluster was restored if a linearizable response is below `asked`, or if the response has another cluster id.
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

  /**
   * Called with the header of each linearizable response. `asked` is the value of `revision` when the request was sent;
   * 0 skips the check against it.
   */
  take(header: Header, asked: Revision): void {
    const { history, restored } = stepHistory(this.#history, header, asked);
    this.#history = history;
    if (restored) this.#onRestored(header.revision);
  }

  /** Called when the history below `horizon` is compacted. */
  compacted(horizon: Revision): void {
    if (horizon > this.#history.horizon) this.#history = { ...this.#history, horizon };
  }
}
