/**
 * One watch request as batches of events. Invariants: a chunk of the response is one batch, so that no promise is made
 * per event; at most one unfinished event is kept, of at most `maxEventBytes`; after a failure nothing more is read.
 */
import type { Frames } from '../apimachinery/codec/framing.ts';
import { MAX_FRAME_BYTES } from '../apimachinery/codec/framing.ts';
import { JsonLineDecoder } from '../apimachinery/codec/line-framing.ts';
import type { Transport } from '../apimachinery/http/transport.ts';
import type { GroupResource } from '../apimachinery/meta/gvk.ts';
import type { WatchEvent } from '../apimachinery/watch/watch-event.ts';
import type { AbortSignalLike } from '../base/abort-signal.ts';
import { TransportError, toError } from '../base/errors.ts';
import type { ObjectCompleter, ObjectDecoder } from './decode-object.ts';
import { type Call, sendChecked, unusable } from './response.ts';
import type { FieldsSharing } from './share-fields.ts';
import { readEventBatch } from './watch-event-batch.ts';
import { decodeEvent } from './watch-event-bytes.ts';

export interface WatchCall<T> {
  /** Path and query, as of `watchTarget`. */
  readonly target: string;
  /** Decodes the objects of ADDED, MODIFIED and DELETED events. Those of other events are JSON values. */
  readonly decode: ObjectDecoder<T>;
  /**
   * Completes objects that were parsed. If given, the events of a chunk are parsed together, which is faster, and
   * `decode` only serves chunks with a malformed event. Both must return the same.
   */
  readonly complete?: ObjectCompleter<T>;
  /** Default `application/json`. */
  readonly accept?: string;
  /** The bound of one event. Default 16 MiB, as in client-go. */
  readonly maxEventBytes?: number;
  /** Closes the watch, which then rejects with the signal's reason. */
  readonly signal?: AbortSignalLike | undefined;
  readonly onWarning?: ((text: string) => void) | undefined;
  readonly resource?: GroupResource;
  /** Called once, when the server has accepted the watch. */
  readonly onOpen?: () => void;
}

/** A watch whose reader shares the equal `fieldsV1` of objects. It takes effect if `complete` is given. */
interface SharingWatchCall<T> extends WatchCall<T> {
  readonly fields?: FieldsSharing;
}

/**
 * Sends a watch request and calls `onEvents` with the events of each chunk, in order. If it returns a promise, reading
 * goes on when that resolves. Resolves when the server ends the watch. Rejects with StatusError if the server refuses
 * the watch, with TransportError if the connection breaks or the response cannot be read, with the signal's reason, or
 * with what `onEvents` throws. An ERROR event is delivered like the others.
 */
export async function openWatch<T>(
  transport: Transport,
  call: SharingWatchCall<T> & { readonly onEvents: (events: readonly WatchEvent<T>[]) => void | Promise<void> },
): Promise<void> {
  for await (const events of watchBatches(transport, call)) {
    const pending = call.onEvents(events);
    if (pending !== undefined) await pending;
  }
}

/** As `openWatch`, as an async iterable. The request is sent by the first `next`; leaving the loop closes it. */
export async function* watchBatches<T>(
  transport: Transport,
  watch: SharingWatchCall<T>,
): AsyncGenerator<readonly WatchEvent<T>[], void, undefined> {
  const call = requestOf(watch);
  const frames = new JsonLineDecoder({ maxFrameBytes: watch.maxEventBytes ?? MAX_FRAME_BYTES });
  const { body } = await sendChecked(transport, call);
  watch.onOpen?.();
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    yield* decodeFrames(frames.push(chunk), watch, call);
  }
  yield* decodeFrames(frames.end(), watch, call);
}

/** Yields at most one batch. The events before a malformed one are delivered before the failure. */
function* decodeFrames<T>(
  frames: Frames,
  { decode, complete, fields }: SharingWatchCall<T>,
  call: Call,
): Generator<readonly WatchEvent<T>[], void, undefined> {
  if (!frames.ok) throw broken(call, frames.error.message);
  if (frames.frames.length === 0) return;
  const batch = complete === undefined ? undefined : readEventBatch(frames.frames, complete, fields);
  if (batch !== undefined) {
    yield batch;
    return;
  }
  const events: WatchEvent<T>[] = [];
  for (const frame of frames.frames) {
    try {
      events.push(decodeEvent(frame, decode));
    } catch (caught) {
      if (events.length > 0) yield events;
      throw unusable(call, `a watch event cannot be read: ${toError(caught).message}`, caught);
    }
  }
  if (events.length > 0) yield events;
}

/** A stream that ends inside of an event was cut, which a new watch may mend. */
function broken(call: Call, message: string): TransportError {
  if (message !== 'unexpected EOF') return unusable(call, `the watch cannot be read: ${message}`);
  return new TransportError(`${call.method} ${call.target}: the watch ended inside of an event`);
}

function requestOf<T>({ target, accept = 'application/json', signal, onWarning, resource }: WatchCall<T>): Call {
  return {
    method: 'GET',
    target,
    headers: { accept },
    onWarning,
    ...(signal === undefined ? {} : { signal }),
    ...(resource === undefined ? {} : { resource }),
  };
}
