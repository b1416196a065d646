/**
 * Random bytes and UUIDs for secrets and names. On Node they come from `node:crypto`, which a server loads anyway: the
 * first use of Web Crypto loads further modules of Node, which is 1 ms of a start.
 */
import { builtinCrypto } from './builtin-crypto.ts';

interface NodeCrypto {
  randomFillSync(bytes: Uint8Array): unknown;
  randomUUID(): string;
}

interface RandomSource {
  fill(bytes: Uint8Array<ArrayBuffer>): void;
  uuid(): string;
}

let known: RandomSource | undefined;

/** Returns cryptographically strong random bytes. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  randomSource().fill(bytes);
  return bytes;
}

/** Returns a random UUID (RFC 9562, version 4) in lower case. */
export function randomUuid(): string {
  return randomSource().uuid();
}

function randomSource(): RandomSource {
  known ??= openSource();
  return known;
}

function openSource(): RandomSource {
  const node = builtinCrypto<NodeCrypto>();
  if (node !== undefined) return { fill: (bytes) => node.randomFillSync(bytes), uuid: () => node.randomUUID() };
  const { crypto } = globalThis;
  return { fill: (bytes) => crypto.getRandomValues(bytes), uuid: () => crypto.randomUUID() };
}
