/**
 * Header blocks without indexing and Huffman coding, for tests of the protocol and for a bench client that must
 * cost little.
 */

/** Encodes names and values in alternation, as literals that do not enter the peer's table. */
export function literals(fields: readonly string[]): Buffer {
  const size = fields.reduce((sum, text) => sum + MOST_LENGTH_BYTES + text.length, 0);
  const block = Buffer.allocUnsafe(size);
  let at = 0;
  for (const [i, text] of fields.entries()) {
    if (i % 2 === 0) block[at++] = 0;
    at = writeLength(block, at, text.length);
    at += block.write(text, at, 'latin1');
  }
  return block.subarray(0, at);
}

/** Writes the representation byte and a length below 2^28. */
const MOST_LENGTH_BYTES = 6;

function writeLength(into: Buffer, from: number, length: number): number {
  if (length < 127) {
    into[from] = length;
    return from + 1;
  }
  let at = from;
  into[at++] = 127;
  let rest = length - 127;
  for (; rest >= 128; rest >>= 7) into[at++] = (rest & 127) | 128;
  into[at++] = rest;
  return at;
}
