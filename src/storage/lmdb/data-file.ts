/**
 * Checks LMDB's data file before LMDB maps it. Reading a page behind the end of a mapped file raises SIGBUS, which
 * kills the process without a message, so a truncated file must be detected first. Layout: LMDB 1.0 data version 2,
 * little-endian (`mdb.c`, MDB_page_header, MDB_meta, MDB_node).
 * Invariant: `checkDataFile` returns only if every page that LMDB can reach lies within the file.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StorageError } from '../errors.ts';

const PAGE_HEADER = 24;
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const DB_SIZE = 48;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
const BRANCH = 0x01;
const LEAF = 0x02;
const BIG_DATA = 0x01;
const SUB_DATABASE = 0x02;
// The depth limit of LMDB's trees (CURSOR_STACK).
const DEEPEST = 32;
const LIVE_ATTEMPTS = 10;

interface Meta {
  readonly pageSize: number;
  readonly lastPage: bigint;
  readonly transaction: bigint;
  /** The root pages of the free list and of the main tree. */
  readonly roots: readonly bigint[];
}

/** Throws StorageError(Corrupt) if the file is not an LMDB file or lacks pages that are in use. */
export function checkDataFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    const meta = newestMeta(file, path);
    // The size is read after the meta page, because a writer extends the file before it writes the meta page.
    const pages = BigInt(Math.floor(fstatSync(file).size / meta.pageSize));
    // A shorter file is valid if its last pages are free ("mm_last_pg" in mdb.c). Only such a file needs a walk of the
    // trees.
    if (pages > meta.lastPage) return;
    for (const root of meta.roots) walk({ file, path, pageSize: meta.pageSize, pages }, root, 0);
  } finally {
    closeSync(file);
  }
}

/**
 * Checks a file that another process may be writing. A check that fails is repeated, because pages may change while
 * they are read.
 */
export function checkLiveDataFile(path: string): void {
  for (let attempt = 1; ; attempt++) {
    try {
      checkDataFile(path);
      return;
    } catch (caught) {
      if (attempt === LIVE_ATTEMPTS) throw caught;
    }
  }
}

function newestMeta(file: number, path: string): Meta {
  const first = readMeta(file, 0);
  const { size } = fstatSync(file);
  if (first === undefined) throw damaged(path, size === 0 ? 'it is empty' : 'it does not begin as an LMDB data file');
  const second = readMeta(file, first.pageSize);
  if (second === undefined) throw damaged(path, `it ends after ${size} bytes, in its own header`);
  return second.transaction > first.transaction ? second : first;
}

function readMeta(file: number, at: number): Meta | undefined {
  const bytes = Buffer.alloc(PAGE_HEADER + 24 + 2 * DB_SIZE + 16);
  if (readSync(file, bytes, 0, bytes.length, at) < bytes.length) return undefined;
  if (bytes.readUInt32LE(PAGE_HEADER) !== MAGIC) return undefined;
  if ((bytes.readUInt32LE(PAGE_HEADER + 4) & 0xffff) !== DATA_VERSION) return undefined;
  const databases = PAGE_HEADER + 24;
  const pageSize = bytes.readUInt32LE(databases);
  if (pageSize < 256 || pageSize > 0x10000 || (pageSize & (pageSize - 1)) !== 0) return undefined;
  return {
    pageSize,
    roots: [rootOf(bytes, databases), rootOf(bytes, databases + DB_SIZE)],
    lastPage: bytes.readBigUInt64LE(databases + 2 * DB_SIZE),
    transaction: bytes.readBigUInt64LE(databases + 2 * DB_SIZE + 8),
  };
}

function rootOf(bytes: Buffer, database: number): bigint {
  return bytes.readBigUInt64LE(database + 40);
}

interface Tree {
  readonly file: number;
  readonly path: string;
  readonly pageSize: number;
  readonly pages: bigint;
}

function walk(tree: Tree, page: bigint, depth: number): void {
  if (page === NO_PAGE) return;
  if (depth > DEEPEST) throw damaged(tree.path, 'its tree has a cycle');
  requirePages(tree, page, 1n);
  const bytes = Buffer.alloc(tree.pageSize);
  readSync(tree.file, bytes, 0, tree.pageSize, Number(page) * tree.pageSize);
  const flags = bytes.readUInt16LE(18);
  const nodes = bytes.readUInt16LE(20) >> 1;
  if ((flags & (BRANCH | LEAF)) === 0 || PAGE_HEADER + nodes * 2 > tree.pageSize) {
    throw damaged(tree.path, `page ${page} is not a page of a tree`);
  }
  for (let i = 0; i < nodes; i++) {
    const node = PAGE_HEADER + bytes.readUInt16LE(PAGE_HEADER + i * 2);
    if (node + 8 > tree.pageSize) throw damaged(tree.path, `page ${page} is damaged`);
    const low = BigInt(bytes.readUInt32LE(node));
    const nodeFlags = bytes.readUInt16LE(node + 4);
    if (flags & BRANCH) {
      walk(tree, low | (BigInt(nodeFlags) << 32n), depth + 1);
      continue;
    }
    const data = node + 8 + bytes.readUInt16LE(node + 6);
    if ((nodeFlags & (BIG_DATA | SUB_DATABASE)) === 0) continue;
    if (data + (nodeFlags & BIG_DATA ? 24 : DB_SIZE) > tree.pageSize)
      throw damaged(tree.path, `page ${page} is damaged`);
    if (nodeFlags & BIG_DATA) requirePages(tree, bytes.readBigUInt64LE(data), bytes.readBigUInt64LE(data + 16));
    else walk(tree, rootOf(bytes, data), depth + 1);
  }
}

function requirePages(tree: Tree, page: bigint, count: bigint): void {
  if (page + count > tree.pages) {
    throw damaged(
      tree.path,
      `it was cut short: page ${page + count - 1n} is in use, but the file ends with page ${tree.pages - 1n}`,
    );
  }
}

function damaged(path: string, why: string): StorageError {
  return new StorageError('Corrupt', `data file ${path} is damaged: ${why}; restore it from a backup`);
}
