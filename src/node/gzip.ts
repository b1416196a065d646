/** The gzip compressor, on Node's thread pool. */
import { promisify } from 'node:util';
import type { Compressor } from '../server/endpoints/endpoint.ts';

/** Loaded for the first response that is compressed, because loading it takes milliseconds of a server's start. */
let loading: Promise<(bytes: Uint8Array, options: { level: number }) => Promise<Uint8Array>> | undefined;

/** Uses level 1, as the reference does. Never rejects: gzip accepts every input. */
export const gzipCompressor: Compressor = {
  compress: async (bytes) => {
    loading ??= import('node:zlib').then(({ gzip }) => promisify(gzip));
    return (await loading)(bytes, { level: 1 });
  },
};
