/**
 * Random bytes and UUIDs for secrets and names. On Node they come from `node:crypto`, which a server loads anyway: the
 * first use of Web Crypto loads further modules of Node, which is 1 ms of a start.
 */

interface NodeCrypto {
  randomFillSync(bytes: Uint8Array): unknown;
  randomUUID(): string;
}

/** Node has `getBuiltinModule` from 20.16 and 22.3 on. Code that runs in browsers, too, cannot import the module. */
interface Runtime {
  readonly process?: { getBuiltinModule?(id: 'node:crypto'): NodeCrypto | undefined };
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
  const node = (globalThis as unknown as Runtime).process?.getBuiltinModule?.('node:crypto');
  if (node !== undefined) return { fill: (bytes) => node.randomFillSync(bytes), uuid: () => node.randomUUID() };
  const { crypto } = globalThis;
  return { fill: (bytes) => crypto.getRandomValues(bytes), uuid: () => crypto.randomUUID() };
}
