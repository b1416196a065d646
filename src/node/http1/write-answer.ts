/** Writes the chunks of an answer to a Node stream. */
import type { Writable } from 'node:stream';
import type { ChunkSource } from '../../server/http/chunk-source.ts';

/** Chunks per group. Groups of 256 would save 10 % of the CPU time but make a concurrent GET four times slower. */
const GROUP = 64;
const GROUP_BYTES = 64 * 1024;

/**
 * Writes all chunks by reference, each group after the client has read the previous one, and ends the stream. Calls
 * `onGroup` with the size of each group before writing it. Stops silently if the stream is destroyed.
 */
export function writeAll(out: Writable, source: ChunkSource, onGroup: (bytes: number) => void): void {
  // Reads one chunk ahead, so that the last bytes and the end leave in one write.
  let ahead = source.next();
  const pump = (): void => {
    while (ahead !== undefined) {
      if (out.destroyed) return;
      const group: Uint8Array[] = [];
      let bytes = 0;
      while (ahead !== undefined && group.length < GROUP && bytes < GROUP_BYTES) {
        group.push(ahead);
        bytes += ahead.length;
        ahead = source.next();
      }
      onGroup(bytes);
      let ready = true;
      out.cork();
      for (let i = 0; i < group.length; i++) ready = out.write(group[i]!);
      // end() uncorks.
      if (ahead === undefined) break;
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
