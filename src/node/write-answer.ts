/** Writing answers to Node streams, the same for an HTTP/2 stream and an HTTP/1.1 response. */
import type { Writable } from 'node:stream';

/** Groups of 256 would save 10 % and make a GET beside them four times slower (hot-path rule 5). */
const GROUP = 64;

export function totalLength(chunks: readonly Uint8Array[]): number {
  let size = 0;
  for (let i = 0; i < chunks.length; i++) size += chunks[i]!.byteLength;
  return size;
}

/** Writes one group by reference in one go; what the last write answered. */
export function writeGroup(out: Writable, chunks: readonly Uint8Array[]): boolean {
  if (chunks.length === 1) return out.write(chunks[0]!);
  let ready = !out.writableNeedDrain;
  out.cork();
  for (let i = 0; i < chunks.length; i++) ready = out.write(chunks[i]!);
  out.uncork();
  return ready;
}

/**
 * Writes all chunks by reference in corked groups, each after the reader took the one before, and ends. `onGroup` hears the bytes of each
 * group before it is written. If the stream dies on the way nothing more happens.
 */
export function writeAll(out: Writable, chunks: readonly Uint8Array[], onGroup: (bytes: number) => void): void {
  let at = 0;
  const pump = (): void => {
    while (at < chunks.length) {
      if (out.destroyed) return;
      const end = Math.min(at + GROUP, chunks.length);
      let bytes = 0;
      for (let i = at; i < end; i++) bytes += chunks[i]!.byteLength;
      onGroup(bytes);
      let ready = true;
      out.cork();
      for (; at < end; at++) ready = out.write(chunks[at]!);
      // end() uncorks, so that the last bytes and the end travel together.
      if (at === chunks.length) break;
      out.uncork();
      if (!ready) {
        out.once('drain', pump);
        return;
      }
    }
    out.end();
  };
  pump();
}
