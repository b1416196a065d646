/**
 * Header blocks as the plainest client would write them: for tests of the wire, and for a client of the bench that must
 * cost little.
 */

/** Names and values in turns, as literals that leave the other side's table alone. */
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

/** The byte before a name, and a length below 2^28. */
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
