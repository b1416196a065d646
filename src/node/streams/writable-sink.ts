/** A sink over a Node stream, such as the body of a request to another server. */
import type { Writable } from 'node:stream';
import type { ByteSink } from '../../server/http/byte-stream.ts';

/** Writes chunks by reference, corked. Returns the result of the last write. */
export function writeGroup(out: Writable, chunks: readonly Uint8Array[]): boolean {
  if (chunks.length === 1) return out.write(chunks[0]!);
  let ready = !out.writableNeedDrain;
  out.cork();
  for (let i = 0; i < chunks.length; i++) ready = out.write(chunks[i]!);
  out.uncork();
  return ready;
}

/** `abort` must destroy the stream. Errors of the stream are the owner's to handle. */
export function writableSink(out: Writable, abort: () => void): ByteSink {
  let isEnded = false;
  return {
    write: (chunks) => !isEnded && !out.destroyed && writeGroup(out, chunks),
    onDrain: (listener) => {
      out.on('drain', listener);
    },
    end: () => {
      if (isEnded || out.destroyed) return;
      isEnded = true;
      out.end();
    },
    abort: () => {
      if (isEnded) return;
      isEnded = true;
      abort();
    },
    onClose: (listener) => {
      if (out.destroyed) listener();
      else
        out.once('close', () => {
          // Node finishes the writable side of an HTTP/2 stream that was reset.
          if (!isEnded || !out.writableFinished) listener();
        });
    },
  };
}
