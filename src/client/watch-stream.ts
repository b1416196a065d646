/**
 * Sends one watch request and reads its events in batches.
 * Invariants: each chunk of the response is one batch, so that no promise is made per event. At most one unfinished
 * event is kept, of at most `maxEventBytes`. After a failure nothing more is read.
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
  /** Path and query, as `watchTarget` makes them. */
  readonly target: string;
  /** Decodes the objects of ADDED, MODIFIED and DELETED events. Objects of other events are JSON values. */
  readonly decode: ObjectDecoder<T>;
  /**
   * Completes parsed objects. If it is given, the events of a chunk are parsed together, which is faster, and `decode`
   * is used only for chunks with a malformed event. Both must return equal objects.
   */
  readonly complete?: ObjectCompleter<T>;
  /** Default `application/json`. */
  readonly accept?: string;
  /** The most bytes of one event. Default 16 MiB, as in client-go. */
  readonly maxEventBytes?: number;
  /** Closes the watch, which then rejects with the signal's reason. */
  readonly signal?: AbortSignalLike | undefined;
  readonly onWarning?: ((text: string) => void) | undefined;
  readonly resource?: GroupResource;
  /** Called once, when the server has accepted the watch. */
  readonly onOpen?: () => void;
}

/** A watch that shares equal `fieldsV1` values of objects. `fields` has an effect only with `complete`. */
interface SharingWatchCall<T> extends WatchCall<T> {
  readonly fields?: FieldsSharing;
}

/**
 * Sends a watch request and calls `onEvents` with the events of each chunk, in order. If `onEvents` returns a promise,
 * reading continues when it resolves. Resolves when the server ends the watch. Rejects with StatusError if the server
 * refuses the watch, with TransportError if the connection breaks or the response cannot be read, with the signal's
 * reason, or with the error of `onEvents`. ERROR events are delivered, too.
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

/** Like `openWatch`, as an async iterable. The request is sent with the first `next`; leaving the loop closes it. */
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

/**
 * Makes the error of a malformed stream. A stream that ends inside of an event was cut off, so a new watch may succeed.
 */
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
