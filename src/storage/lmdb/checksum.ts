/** CRC-32 (IEEE 802.3), the checksum of every stored record: native where Node has it (20.15 and later), a table otherwise. */
import * as zlib from 'node:zlib';

type Crc32 = (bytes: Uint8Array, start?: number) => number;

export const crc32: Crc32 = (zlib as { crc32?: Crc32 }).crc32 ?? crc32ByTable;

const table: Uint32Array = makeTable();

/** Sums bytes from `start` to `end` without a view of them: for a few dozen bytes quicker than a call into the native sum. */
export function crc32OfPart(bytes: Uint8Array, start: number, end: number): number {
  let sum = -1;
  for (let i = start; i < end; i++) sum = (table[(sum ^ (bytes[i] as number)) & 0xff] as number) ^ (sum >>> 8);
  return ~sum >>> 0;
}

/** The same sum in plain JavaScript; exported for the test that compares both. */
export function crc32ByTable(bytes: Uint8Array, start = 0): number {
  let sum = ~start;
  for (let i = 0; i < bytes.length; i++) sum = (table[(sum ^ (bytes[i] as number)) & 0xff] as number) ^ (sum >>> 8);
  return ~sum >>> 0;
}

function makeTable(): Uint32Array {
  const made = new Uint32Array(256);
  for (let n = 0; n < 256; n++) {
    let sum = n;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? 0xedb88320 ^ (sum >>> 1) : sum >>> 1;
    made[n] = sum;
  }
  return made;
}
