/**
 * The XSalsa20 stream cipher: HSalsa20 derives a key from the first 16 bytes of the nonce, Salsa20 uses the other 8.
 * Source: D. J. Bernstein, "Extending the Salsa20 nonce", and the Salsa20 specification. Integers are little-endian.
 */

/** `expand 32-byte k` as four words. */
const SIGMA = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const;
const BLOCK = 64;
const DOUBLE_ROUNDS = 10;

/** XORs `bytes`, in place, with the key stream from byte `skip` on. `key` has 32 bytes, `nonce` 24. */
export function xorXSalsa20(key: Uint8Array, nonce: Uint8Array, bytes: Uint8Array, skip: number): void {
  const input = wordsOf(derivedKey(key, nonce), nonce.subarray(16));
  const block = new Uint8Array(BLOCK);
  let counter = Math.floor(skip / BLOCK);
  let at = skip % BLOCK;
  for (let i = 0; i < bytes.byteLength; ) {
    input[8] = counter >>> 0;
    input[9] = Math.floor(counter / 2 ** 32);
    writeBlock(input, block);
    for (; at < BLOCK && i < bytes.byteLength; at++, i++) bytes[i]! ^= block[at]!;
    at = 0;
    counter++;
  }
}

/** Derives the key with HSalsa20: words 0, 5, 10, 15 and 6 to 9 after the rounds, without the final addition. */
function derivedKey(key: Uint8Array, nonce: Uint8Array): Uint8Array {
  const words = wordsOf(key, nonce.subarray(0, 8));
  const view = new DataView(nonce.buffer, nonce.byteOffset, nonce.byteLength);
  words[8] = view.getUint32(8, true);
  words[9] = view.getUint32(12, true);
  rounds(words);
  const derived = new Uint8Array(32);
  const out = new DataView(derived.buffer);
  for (const [i, word] of [0, 5, 10, 15, 6, 7, 8, 9].entries()) out.setUint32(i * 4, words[word]!, true);
  return derived;
}

/** The matrix of constants, key and nonce. Words 8 and 9 are the block counter. */
function wordsOf(key: Uint8Array, nonce: Uint8Array): Uint32Array {
  const k = new DataView(key.buffer, key.byteOffset, key.byteLength);
  const n = new DataView(nonce.buffer, nonce.byteOffset, nonce.byteLength);
  const words = new Uint32Array(16);
  for (let i = 0; i < 4; i++) {
    words[i * 5] = SIGMA[i]!;
    words[1 + i] = k.getUint32(i * 4, true);
    words[11 + i] = k.getUint32(16 + i * 4, true);
  }
  words[6] = n.getUint32(0, true);
  words[7] = n.getUint32(4, true);
  return words;
}

function writeBlock(input: Uint32Array, block: Uint8Array): void {
  const words = input.slice();
  rounds(words);
  const view = new DataView(block.buffer);
  for (let i = 0; i < 16; i++) view.setUint32(i * 4, words[i]! + input[i]!, true);
}

/** The words of the quarter rounds: columns, then rows. */
const QUARTERS: readonly (readonly [number, number, number, number])[] = [
  [0, 4, 8, 12],
  [5, 9, 13, 1],
  [10, 14, 2, 6],
  [15, 3, 7, 11],
  [0, 1, 2, 3],
  [5, 6, 7, 4],
  [10, 11, 8, 9],
  [15, 12, 13, 14],
];

function rounds(x: Uint32Array): void {
  for (let i = 0; i < DOUBLE_ROUNDS; i++)
    for (const [a, b, c, d] of QUARTERS) {
      x[b]! ^= rotated(x[a]! + x[d]!, 7);
      x[c]! ^= rotated(x[b]! + x[a]!, 9);
      x[d]! ^= rotated(x[c]! + x[b]!, 13);
      x[a]! ^= rotated(x[d]! + x[c]!, 18);
    }
}

function rotated(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}
