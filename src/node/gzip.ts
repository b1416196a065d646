/** gzip on Node's thread pool, for answers that the server layer decides to compress. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Compressor } from '../server/endpoints/endpoint.ts';

const compressGzip = promisify(gzip);

/** Level 1 as in the reference: most of the gain for the least CPU. Never rejects: gzip has no input that it refuses. */
export const gzipCompressor: Compressor = {
  compress: (bytes) => compressGzip(bytes, { level: 1 }),
};
