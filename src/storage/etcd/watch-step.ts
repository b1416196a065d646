/**
 * The state of one etcd watcher and its transitions, without I/O.
 * Invariants: events are passed on in whole revisions, in order and exactly once. The position never falls, and every
 * event up to the position was passed on.
 */
import type { Revision } from '../storage.ts';
import type { EtcdEvent, WatchResponse } from './messages.ts';

export interface WatcherState {
  /** Every event up to this revision was passed on. */
  readonly position: Revision;
  /** Whether etcd has confirmed the watcher on the current stream. */
  readonly created: boolean;
  /** The events so far of a response that etcd sends in fragments. */
  readonly fragments: readonly EtcdEvent[];
}

export type WatchStep =
  | { readonly type: 'continue'; readonly state: WatcherState; readonly events: readonly EtcdEvent[] }
  /** The history that the watcher needs is compacted. */
  | { readonly type: 'compacted'; readonly horizon: Revision }
  /** etcd has ended the watcher. It can be created again at the position. */
  | { readonly type: 'canceled'; readonly reason: string };

/** The state of a watcher whose stream is about to be opened. */
export function beginStream(position: Revision): WatcherState {
  return { position, created: false, fragments: NONE };
}

const NONE: readonly EtcdEvent[] = [];

export function stepWatch(state: WatcherState, response: WatchResponse): WatchStep {
  if (response.compactRevision > 0) return { type: 'compacted', horizon: response.compactRevision };
  if (response.canceled) return { type: 'canceled', reason: response.reason || 'etcd has canceled the watch' };
  if (response.created) return { type: 'continue', state: { ...state, created: true }, events: NONE };
  const { position } = state;
  if (response.events.length === 0 && !response.fragment && state.fragments.length === 0) {
    // A progress response: etcd sends it only after all events up to the revision of the header on this stream.
    const reached = state.created ? Math.max(position, response.header.revision) : position;
    return { type: 'continue', state: reached === position ? state : { ...state, position: reached }, events: NONE };
  }
  const all = state.fragments.length === 0 ? response.events : [...state.fragments, ...response.events];
  if (response.fragment) return { type: 'continue', state: { ...state, fragments: all }, events: NONE };
  // A watcher that was created again may get events of its first revision twice.
  const events = (all[0]?.item.revision ?? 0) > position ? all : all.filter(({ item }) => item.revision > position);
  const last = events.at(-1)?.item.revision ?? position;
  return { type: 'continue', state: { position: last, created: state.created, fragments: NONE }, events };
}
