/** The gzip compressor, on Node's thread pool. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Compressor } from '../server/endpoints/endpoint.ts';

const compressGzip = promisify(gzip);

/** Uses level 1, as the reference does. Never rejects: gzip accepts every input. */
export const gzipCompressor: Compressor = {
  compress: (bytes) => compressGzip(bytes, { level: 1 }),
};
