/** Pushes the bytes of a Node stream into a sink, with backpressure. */
import type { Readable } from 'node:stream';
import type { HttpHeaders } from '../../apimachinery/http/transport.ts';
import type { ByteSink } from '../../server/http/byte-stream.ts';

export interface PipeEvents {
  /** Called with the size of each chunk before it is written. */
  onData?(bytes: number): void;
  /** Called when the sink is full, and when it has room again. */
  onPause?(): void;
  onResume?(): void;
  /** Called when the stream ends. Returns false if it ended too early. Default: an end is complete. */
  isComplete?(): boolean;
  /** Called when the stream has ended. Returns the trailers of the message. Default: none. */
  trailers?(): HttpHeaders | undefined;
  /** Called once after the last chunk was written, before the sink is ended. */
  onEnd?(): void;
  /** Called once when the sink has closed before the end: the stream must be cancelled, or its rest discarded. */
  onCancel(): void;
}

/** A running pipe. */
export interface ReadablePipe {
  /** Aborts the sink, unless the pipe is done. The stream is left paused. */
  abort(): void;
}

/**
 * Ends the sink with the stream, and aborts it if the stream closes before its end. Called before the stream flows; it
 * must have no other consumer.
 */
export function pipeReadable(readable: Readable, sink: ByteSink, events: PipeEvents): ReadablePipe {
  let isDone = false;
  /** Returns false if the pipe was done already. */
  const finish = (): boolean => {
    if (isDone) return false;
    isDone = true;
    if (readable.readableEnded) return true;
    readable.off('data', onData);
    readable.pause();
    return true;
  };
  const onData = (chunk: Uint8Array): void => {
    events.onData?.(chunk.byteLength);
    if (sink.write([chunk]) || isDone) return;
    readable.pause();
    events.onPause?.();
  };
  const abort = (): void => {
    if (finish()) sink.abort();
  };
  sink.onDrain(() => {
    if (isDone) return;
    events.onResume?.();
    readable.resume();
  });
  sink.onClose(() => {
    if (finish()) events.onCancel();
  });
  if (isDone) return { abort };
  readable.on('end', () => {
    if (!finish()) return;
    if (events.isComplete?.() === false) {
      sink.abort();
      return;
    }
    events.onEnd?.();
    sink.end(events.trailers?.());
  });
  readable.on('error', abort);
  readable.on('close', abort);
  if (readable.destroyed) abort();
  else readable.on('data', onData);
  return { abort };
}
