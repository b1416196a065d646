/**
 * A 128-bit hash for contents of megabytes, such as the ETags of documents. It is about ten times as fast as SHA-256 in
 * JavaScript. Invariant: equal bytes have equal hashes on every machine. It is not cryptographic: collisions can be
 * constructed.
 */

const PRIMES = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f] as const;

/** 32 upper-case hexadecimal digits. */
export function contentHash(bytes: Uint8Array): string {
  const words = wordsOf(bytes);
  let [a, b, c, d] = PRIMES as readonly [number, number, number, number];
  for (let i = 0; i < words.length; i += 4) {
    a = mix(a ^ (words[i] as number), PRIMES[1]);
    b = mix(b ^ (words[i + 1] as number), PRIMES[2]);
    c = mix(c ^ (words[i + 2] as number), PRIMES[3]);
    d = mix(d ^ (words[i + 3] as number), PRIMES[0]);
  }
  const length = bytes.length;
  // After two rounds every lane depends on every other lane.
  for (let round = 0; round < 2; round++) {
    a = finish(a ^ length ^ rotate(d, 7));
    b = finish(b ^ rotate(a, 11));
    c = finish(c ^ rotate(b, 13));
    d = finish(d ^ rotate(c, 17));
  }
  return [a, b, c, d]
    .map((lane) => (lane >>> 0).toString(16).padStart(8, '0'))
    .join('')
    .toUpperCase();
}

/**
 * Returns the bytes as whole blocks of four words. The last block is padded with zeros; the length, which is hashed
 * too, tells padding from content.
 */
function wordsOf(bytes: Uint8Array): Int32Array {
  const blocks = Math.ceil(bytes.length / 16);
  if (bytes.byteOffset % 4 === 0 && bytes.length % 16 === 0)
    return new Int32Array(bytes.buffer, bytes.byteOffset, blocks * 4);
  const copy = new Uint8Array(blocks * 16);
  copy.set(bytes);
  return new Int32Array(copy.buffer);
}

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}

function mix(value: number, prime: number): number {
  return Math.imul(rotate(Math.imul(value, prime), 15), 5) + 0x2c1b3c6d;
}

/** Each bit of the value changes about half of the bits of the result. */
function finish(value: number): number {
  let result = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  result = Math.imul(result ^ (result >>> 15), 0x846ca68b);
  return result ^ (result >>> 16);
}
