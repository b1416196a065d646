/**
 * Reads the meta pages of a bbolt file. Pages 0 and 1 are meta pages; the valid one with the higher transaction id is
 * used. The layout is that of go.etcd.io/bbolt: little-endian integers, checksum FNV-1a of 64 bits.
 */
import { damaged } from './damaged.ts';
import type { RandomAccess } from './random-access.ts';

/** The bytes of a page header: id, flags, count, overflow. */
export const PAGE_HEADER = 16;
/** The bytes of a meta page after its page header. */
const META_BYTES = 64;
const MAGIC = 0xed0cdaed;
const VERSION = 2;
/** bbolt tries these sizes to find the second meta page if the first one is damaged. */
const PAGE_SIZES: readonly number[] = Array.from({ length: 15 }, (_, i) => 1024 << i);
const MIN_PAGE_SIZE = 512;
const MAX_PAGE_SIZE = 1 << 24;

export interface Meta {
  readonly pageSize: number;
  /** The page id of the root bucket. */
  readonly root: number;
  /** One above the highest page id in use. */
  readonly pages: number;
  readonly transaction: bigint;
}

/** Returns the meta page to use. Throws StorageError(Corrupt) if neither is valid. */
export function readMeta(file: RandomAccess): Meta {
  const first = readMetaAt(file, 0);
  const sizes = typeof first === 'string' ? PAGE_SIZES : [first.pageSize];
  let best = typeof first === 'string' ? undefined : first;
  for (const size of sizes) {
    const second = readMetaAt(file, size);
    if (typeof second === 'string' || second.pageSize !== size) continue;
    if (best === undefined || second.transaction > best.transaction) best = second;
    break;
  }
  if (best === undefined) throw damaged(file, 0, `it is not a bbolt database: ${String(first)}`);
  return best;
}

/** Returns the meta page at an offset, or the reason why it is not valid. */
function readMetaAt(file: RandomAccess, offset: number): Meta | string {
  if (offset + PAGE_HEADER + META_BYTES > file.size) return 'the file is too short for a meta page';
  const bytes = file.read(offset + PAGE_HEADER, META_BYTES);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== MAGIC) return 'the meta page does not begin with the magic number';
  if (view.getUint32(4, true) !== VERSION) return `version ${view.getUint32(4, true)} of the format is not known`;
  if (view.getBigUint64(56, true) !== fnv1a(bytes.subarray(0, 56))) return 'the checksum of the meta page is wrong';
  const pageSize = view.getUint32(8, true);
  const isPower = (pageSize & (pageSize - 1)) === 0;
  if (!isPower || pageSize < MIN_PAGE_SIZE || pageSize > MAX_PAGE_SIZE) return `the page size is ${pageSize}`;
  return {
    pageSize,
    root: Number(view.getBigUint64(16, true)),
    pages: Number(view.getBigUint64(40, true)),
    transaction: view.getBigUint64(48, true),
  };
}

const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;

export function fnv1a(bytes: Uint8Array): bigint {
  let hash = FNV_OFFSET;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME);
  return hash;
}
