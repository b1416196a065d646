/**
 * The state machine of one watch. Each exported transition is one event: it changes the state and returns the effect to
 * perform. The loop around it (`group.ts`) performs the effect and calls the transition of its outcome. Transitions do
 * no I/O and call no sink, filter or encoding.
 *
 * A state is one record that transitions change in place, and the operands of effects are fields of it, so that no
 * event of a live watch allocates anything.
 *
 * Phases: `catching-up` → (`late` →) `live` → `ended`. Every phase may go to `ended`, and `ended` is final.
 * Invariants: chunks reach the sink in order. Only an `open` sink is written to. The queue is empty while the watch
 * catches up.
 */
import type { Revision } from '../../storage/storage.ts';
import type { CacheWatchEnd, QueueBounds } from '../cache.ts';
import { type Batch, MAX_CHUNKS } from './batch.ts';
import type { CatchUp, Slice } from './catch-up.ts';

/** The most slices of one watch in one turn, so that a large initial state does not hold the turn. */
export const SLICES_PER_TURN = 16;

export type WatcherPhase =
  /** Pulls slices from its cursor. Its group passes no changes to it. */
  | 'catching-up'
  /**
   * Has caught up, but its group still has changes to dispatch that are at or below `after`. This watch must not get
   * those.
   */
  | 'late'
  /** Gets every change that its group dispatches. */
  | 'live'
  /** The sink has got, or is about to get, the call of `end`. */
  | 'ended';

export type SinkPhase =
  /** Takes the next chunks. */
  | 'open'
  /** A slice is being rendered for the sink. */
  | 'rendering'
  /** The sink's `write` is running. */
  | 'writing'
  /** The sink's `write` is running and has called `drained()`. */
  | 'drained'
  /** The sink has asked for a pause. */
  | 'paused';

export interface WatcherState {
  phase: WatcherPhase;
  sink: SinkPhase;
  /** Changes at or below this revision are not delivered. */
  after: Revision;
  /** Set while the watch catches up. */
  catchUp: CatchUp | undefined;
  /** Slices taken in this turn. */
  slices: number;
  /** Batches that wait for the sink, and their size. */
  queue: Batch[];
  queuedEvents: number;
  queuedBytes: number;
  /** Operand of `render`. */
  slice: Slice | undefined;
  /** Operand of `write`. */
  chunks: readonly Uint8Array[];
  /** Operand of `end`. If it is set earlier, the watch ends with this reason once its last chunks are written. */
  ending: CacheWatchEnd | undefined;
}

export type WatcherEffect =
  | 'none'
  /** Write `chunks` to the sink. Then `sinkWritten`, or `endWatcher` if it threw. */
  | 'write'
  /** Render `slice`. Then, maybe later, `sliceRendered`. */
  | 'render'
  /** Hand the watch over to its group. Then `watcherJoined`. */
  | 'join'
  /** Call `watcherTurn` in a later turn. */
  | 'schedule'
  /** Take the watch out of its group and call the sink's `end` with `ending`. */
  | 'end';

const NO_CHUNKS: readonly Uint8Array[] = [];

export function newWatcherState(catchUp: CatchUp): WatcherState {
  return {
    phase: 'catching-up',
    sink: 'open',
    after: catchUp.after,
    catchUp,
    slices: 0,
    queue: [],
    queuedEvents: 0,
    queuedBytes: 0,
    slice: undefined,
    chunks: NO_CHUNKS,
    ending: undefined,
  };
}

/** Whether the group may write to the sink directly: the sink is open and the queue is empty. */
export function isReady(state: WatcherState): boolean {
  return state.sink === 'open' && state.queue.length === 0 && (state.phase === 'live' || state.phase === 'late');
}

/** Whether the queue may take another batch. */
export function hasRoom(state: WatcherState, bounds: QueueBounds): boolean {
  return state.queuedEvents < bounds.events && state.queuedBytes < bounds.bytes;
}

// ── Transitions ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Event: a scheduled turn has come. */
export function watcherTurn(state: WatcherState): WatcherEffect {
  state.slices = 0;
  return advance(state);
}

/**
 * Event: the watch has joined its group, which is at revision `head`. `late`: the group still has changes to dispatch
 * that this watch must not get.
 */
export function watcherJoined(state: WatcherState, head: Revision, late: boolean): WatcherEffect {
  state.phase = late ? 'late' : 'live';
  state.after = Math.max(state.after, head);
  return state.slice === undefined ? advance(state) : 'render';
}

/** Event: the group has dispatched all changes that this watch must not get. */
export function watcherPromoted(state: WatcherState): void {
  if (state.phase === 'late') state.phase = 'live';
}

/** Event: the slice is rendered. With an error, the watch fails after the chunks are written. */
export function sliceRendered(
  state: WatcherState,
  chunks: readonly Uint8Array[],
  error: Error | undefined,
): WatcherEffect {
  if (state.phase === 'ended') return 'none';
  state.sink = 'open';
  state.slice = undefined;
  if (error !== undefined) state.ending = { reason: 'failed', error };
  return chunks.length > 0 ? write(state, chunks) : advance(state);
}

/** Event: the sink's `write` has returned `more`. */
export function sinkWritten(state: WatcherState, more: boolean): WatcherEffect {
  if (state.phase === 'ended') return 'none';
  state.sink = more || state.sink === 'drained' ? 'open' : 'paused';
  state.chunks = NO_CHUNKS;
  return advance(state);
}

/** Event: the group wrote to the sink of a ready watch directly, and the sink asked for a pause. */
export function sinkPaused(state: WatcherState): void {
  state.sink = 'paused';
}

/** Event: the sink takes chunks again. */
export function sinkDrained(state: WatcherState): WatcherEffect {
  if (state.phase === 'ended') return 'none';
  if (state.sink === 'writing') state.sink = 'drained';
  if (state.sink !== 'paused') return 'none';
  state.sink = 'open';
  return state.phase === 'catching-up' ? 'schedule' : advance(state);
}

/**
 * Adds a batch of the group to the end of the queue. The caller checks `hasRoom` once for all batches of a dispatch.
 */
export function enqueueBatch(state: WatcherState, batch: Batch): void {
  if (state.phase === 'ended') return;
  state.queue.push(batch);
  state.queuedEvents += batch.chunks.length;
  state.queuedBytes += batch.bytes;
}

/** Sends a batch to this watch alone, after the batches in its queue. */
export function sendBatch(state: WatcherState, batch: Batch): WatcherEffect {
  enqueueBatch(state, batch);
  return advance(state);
}

/** Ends the watch, unless it has ended. */
export function endWatcher(state: WatcherState, reason: CacheWatchEnd): WatcherEffect {
  if (state.phase === 'ended') return 'none';
  state.phase = 'ended';
  state.ending = reason;
  state.catchUp = undefined;
  state.queue = [];
  state.slice = undefined;
  state.chunks = NO_CHUNKS;
  return 'end';
}

// ── The next effect ──────────────────────────────────────────────────────────────────────────────────────────────────

/** Returns the next effect for an open sink: the end, the queue, or the next slice, in this order. */
function advance(state: WatcherState): WatcherEffect {
  if (state.phase === 'ended') return 'none';
  if (state.ending !== undefined) return endWatcher(state, state.ending);
  if (state.sink !== 'open') return 'none';
  if (state.queue.length > 0) {
    const batch = state.queue.shift()!;
    state.queuedEvents -= batch.chunks.length;
    state.queuedBytes -= batch.bytes;
    return write(state, batch.chunks);
  }
  return state.catchUp === undefined ? 'none' : nextSlice(state, state.catchUp);
}

function nextSlice(state: WatcherState, catchUp: CatchUp): WatcherEffect {
  while (state.slices < SLICES_PER_TURN) {
    state.slices++;
    const slice = catchUp.next(MAX_CHUNKS);
    if (slice.type === 'lost') return endWatcher(state, { reason: 'too-slow' });
    const isEmpty = slice.type === 'changes' && slice.changes.length === 0;
    if (!isEmpty) {
      state.slice = slice;
      state.sink = 'rendering';
    }
    if (slice.type === 'changes' && slice.caughtUp) {
      // The watch joins the group before its last slice is rendered, so that changes that are published meanwhile go to
      // the queue.
      state.catchUp = undefined;
      return 'join';
    }
    if (!isEmpty) return 'render';
  }
  return 'schedule';
}

function write(state: WatcherState, chunks: readonly Uint8Array[]): WatcherEffect {
  state.sink = 'writing';
  state.chunks = chunks;
  return 'write';
}
