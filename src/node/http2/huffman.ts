/**
 * The Huffman decoder of HPACK (RFC 7541, appendix B). Headers are sent without Huffman coding, which would take more
 * CPU time than the saved bytes are worth. The code is canonical, so the code lengths define it. Invalid strings (the
 * end-of-string symbol, padding other than up to 7 ones) are errors.
 */

/** The code length in bits of each byte, one letter per byte; `a` is 5. */
const LENGTHS =
  'isxxxxxxxtzxxzxxxxxxxxzxxxxxxxxxbffhibdgffdgdbbbaaabbbbbbbcdkbhf' +
  'ibccccccccccccccccccccccdcdioijbkabababbbaccbbbabcbaabccccckgjix' +
  'prpprrrsrssssststtrstssssqrsrsstrqprrssqsrrtqrssqqrqsrssprrrsrrs' +
  'vvporsruvvvwwvtuoqvwwvwtqqvvxwwwptpqrqqsrruuttvsvwvvwwwwwxwwwwwv';
const SHORTEST = 5;
const END_OF_STRING = 256;
const END_OF_STRING_BITS = 30;

/**
 * The code tree, two children per node: a node's number, or -1 - symbol for a leaf. The code is complete, so no entry
 * stays zero.
 */
const TREE: Int32Array = new Int32Array(2 * 257);
/**
 * Indexed by the next 8 bits: `length << 8 | symbol` for a code of at most 8 bits, otherwise -1 - the tree node that
 * they lead to.
 */
const BY_BYTE: Int32Array = new Int32Array(256);

function bitsOf(symbol: number): number {
  return symbol === END_OF_STRING ? END_OF_STRING_BITS : LENGTHS.charCodeAt(symbol) - 97 + SHORTEST;
}

function build(): void {
  /** The symbols by the lengths of their codes, in ascending order. */
  const byLength: number[][] = Array.from({ length: END_OF_STRING_BITS + 1 }, () => []);
  for (let symbol = 0; symbol <= END_OF_STRING; symbol++) byLength[bitsOf(symbol)]!.push(symbol);
  let nodes = 1;
  let code = 0;
  let length = SHORTEST;
  for (const symbol of byLength.flat()) {
    const bits = bitsOf(symbol);
    code *= 2 ** (bits - length);
    length = bits;
    let node = 0;
    for (let bit = bits - 1; bit > 0; bit--) {
      const place = 2 * node + ((code >>> bit) & 1);
      if (TREE[place] === 0) TREE[place] = nodes++;
      node = TREE[place]!;
    }
    TREE[2 * node + (code & 1)] = -1 - symbol;
    code++;
  }
  for (let byte = 0; byte < 256; byte++) {
    let node = 0;
    for (let bit = 7; bit >= 0 && node >= 0; bit--) {
      node = TREE[2 * node + ((byte >>> bit) & 1)]!;
      if (node < 0) BY_BYTE[byte] = ((8 - bit) << 8) | (-1 - node);
    }
    if (node >= 0) BY_BYTE[byte] = -1 - node;
  }
}

build();

/**
 * Decodes `from.subarray(start, end)` into `into`, which must have room for twice as many bytes. Returns the decoded
 * length, or -1 for an invalid string.
 */
export function decodeHuffman(from: Uint8Array, start: number, end: number, into: Uint8Array): number {
  let size = 0;
  let bits = 0;
  let left = 0;
  let at = start;
  for (;;) {
    if (left < 8) {
      if (at < end) {
        bits = ((bits << 8) | from[at++]!) & 0xffff;
        left += 8;
      } else if (left === 0) return size;
    }
    // After the last byte, ones are appended, like padding.
    const next = left >= 8 ? (bits >>> (left - 8)) & 0xff : ((bits << (8 - left)) | (0xff >>> left)) & 0xff;
    const found = BY_BYTE[next]!;
    if (found >= 0 && found >>> 8 <= left) {
      into[size++] = found & 0xff;
      left -= found >>> 8;
      continue;
    }
    // Less than 8 bits left and no code matches: they must be padding, which is all ones.
    if (left < 8) return next === 0xff ? size : -1;
    left -= 8;
    let node = -1 - found;
    while (node >= 0) {
      if (left === 0) {
        if (at === end) return -1;
        bits = from[at++]!;
        left = 8;
      }
      left--;
      node = TREE[2 * node + ((bits >>> left) & 1)]!;
    }
    const symbol = -1 - node;
    if (symbol === END_OF_STRING) return -1;
    into[size++] = symbol;
  }
}
