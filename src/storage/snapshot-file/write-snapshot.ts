/**
 * A writer of etcd snapshot files: the bbolt pages of a state, and the SHA-256 of a snapshot. The pages are kept in memory
 * until the file is complete.
 */
import { createHash } from 'node:crypto';
import { WireWriter } from '../../apimachinery/protobuf/wire.ts';
import { concatBytes, encodeUtf8 } from '../../base/bytes.ts';
import { fnv1a, PAGE_HEADER } from './meta-page.ts';

export const PAGE_SIZE = 4096;
const ELEMENT = 16;
const LEAF = 2;
const BRANCH = 1;
const FREELIST = 16;
const META = 4;
/** The children of a branch. */
const FAN_OUT = 64;
const MAX_RECORD = 1 << 26;

type Pair = readonly [key: Uint8Array, value: Uint8Array];

/** One revision of a key. Without a value: a deletion. */
export interface WrittenRevision {
  readonly revision: number;
  /** The number within the revision. Default 0. */
  readonly sub?: number;
  readonly key: string;
  readonly value?: Uint8Array;
  readonly created: number;
}

export interface WriteSnapshotOptions {
  /** The number of records in one leaf. Default 8. */
  readonly perLeaf?: number;
  /** Whether the file ends with its SHA-256. Default true. */
  readonly hash?: boolean;
  /** The revision of the last compaction. Default: there was none. */
  readonly compacted?: number;
}

/** Returns the bytes of a snapshot with these revisions, which must be in ascending order. */
export function writeSnapshot(revisions: readonly WrittenRevision[], options: WriteSnapshotOptions = {}): Uint8Array {
  const { perLeaf = 8, hash = true, compacted } = options;
  const writer = new BboltWriter(perLeaf);
  const pairs = revisions.map((each): Pair => [revisionKey(each), keyValue(each)]);
  const meta: Pair[] = [[encodeUtf8('consistent_index'), new Uint8Array(8)]];
  if (compacted !== undefined)
    meta.push([
      encodeUtf8('finishedCompactRev'),
      revisionKey({ revision: compacted, created: compacted, key: '', value: new Uint8Array(0) }),
    ]);
  const file = writer.file([
    [encodeUtf8('key'), writer.bucket(pairs)],
    [encodeUtf8('meta'), writer.inlineBucket(meta)],
  ]);
  return hash ? concatBytes([file, createHash('sha256').update(file).digest()]) : file;
}

function revisionKey({ revision, sub = 0, value }: WrittenRevision): Uint8Array {
  const bytes = new Uint8Array(value === undefined ? 18 : 17);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(revision));
  bytes[8] = 0x5f;
  view.setBigUint64(9, BigInt(sub));
  if (value === undefined) bytes[17] = 0x74;
  return bytes;
}

/** The message mvccpb.KeyValue. */
function keyValue({ revision, key, value, created }: WrittenRevision): Uint8Array {
  const writer = new WireWriter(MAX_RECORD);
  if (value !== undefined) {
    const mark = writer.size;
    writer.writeBytes(value);
    writer.closeField(5, mark);
    writeNumber(writer, 4, 1);
    writeNumber(writer, 3, revision);
    writeNumber(writer, 2, created);
  }
  const mark = writer.size;
  writer.writeText(key);
  writer.closeField(1, mark);
  return writer.finish();
}

function writeNumber(writer: WireWriter, field: number, value: number): void {
  writer.writeVarint(value);
  writer.writeTag(field, 0);
}

/** Collects pages. Leaves hold `perLeaf` records, so that a page rarely needs overflow pages. */
class BboltWriter {
  readonly #perLeaf: number;
  /** Pages from id 2 on. */
  readonly #pages: Uint8Array[] = [];
  #next = 2;

  constructor(perLeaf: number) {
    this.#perLeaf = perLeaf;
  }

  /** Returns the value of a bucket with pages of its own. */
  bucket(pairs: readonly Pair[]): Uint8Array {
    return bucketHeader(this.#tree(pairs));
  }

  /** Returns the value of a bucket whose page is part of the value. */
  inlineBucket(pairs: readonly Pair[]): Uint8Array {
    return concatBytes([bucketHeader(0), leafBytes(0, pairs, false)]);
  }

  file(buckets: readonly Pair[]): Uint8Array {
    const root = this.#add((id) => leafBytes(id, buckets, true));
    const freelist = this.#add((id) => header(id, FREELIST, 0));
    const metas = [0, 1].map((id) => metaPage(id, root, freelist, this.#next));
    return concatBytes([...metas, ...this.#pages]);
  }

  #tree(pairs: readonly Pair[]): number {
    let level: { readonly key: Uint8Array; readonly id: number }[] = [];
    for (let i = 0; i < Math.max(1, pairs.length); i += this.#perLeaf) {
      const part = pairs.slice(i, i + this.#perLeaf);
      level.push({ key: part[0]?.[0] ?? new Uint8Array(0), id: this.#add((id) => leafBytes(id, part, false)) });
    }
    while (level.length > 1) {
      const above: typeof level = [];
      for (let i = 0; i < level.length; i += FAN_OUT) {
        const part = level.slice(i, i + FAN_OUT);
        above.push({ key: part[0]!.key, id: this.#add((id) => branchBytes(id, part)) });
      }
      level = above;
    }
    return level[0]!.id;
  }

  /** Pads to whole pages and writes the number of overflow pages. */
  #add(make: (id: number) => Uint8Array): number {
    const id = this.#next;
    const bytes = make(id);
    const count = Math.max(1, Math.ceil(bytes.byteLength / PAGE_SIZE));
    const page = new Uint8Array(count * PAGE_SIZE);
    page.set(bytes);
    new DataView(page.buffer).setUint32(12, count - 1, true);
    this.#pages.push(page);
    this.#next += count;
    return id;
  }
}

function header(id: number, flags: number, count: number): Uint8Array {
  const bytes = new Uint8Array(PAGE_HEADER);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(id), true);
  view.setUint16(8, flags, true);
  view.setUint16(10, count, true);
  return bytes;
}

function leafBytes(id: number, pairs: readonly Pair[], areBuckets: boolean): Uint8Array {
  const elements = new Uint8Array(pairs.length * ELEMENT);
  const view = new DataView(elements.buffer);
  let at = elements.byteLength;
  for (const [i, [key, value]] of pairs.entries()) {
    view.setUint32(i * ELEMENT, areBuckets ? 1 : 0, true);
    view.setUint32(i * ELEMENT + 4, at - i * ELEMENT, true);
    view.setUint32(i * ELEMENT + 8, key.byteLength, true);
    view.setUint32(i * ELEMENT + 12, value.byteLength, true);
    at += key.byteLength + value.byteLength;
  }
  return concatBytes([header(id, LEAF, pairs.length), elements, ...pairs.flat()]);
}

function branchBytes(id: number, children: readonly { readonly key: Uint8Array; readonly id: number }[]): Uint8Array {
  const elements = new Uint8Array(children.length * ELEMENT);
  const view = new DataView(elements.buffer);
  let at = elements.byteLength;
  for (const [i, child] of children.entries()) {
    view.setUint32(i * ELEMENT, at - i * ELEMENT, true);
    view.setUint32(i * ELEMENT + 4, child.key.byteLength, true);
    view.setBigUint64(i * ELEMENT + 8, BigInt(child.id), true);
    at += child.key.byteLength;
  }
  return concatBytes([header(id, BRANCH, children.length), elements, ...children.map(({ key }) => key)]);
}

function bucketHeader(root: number): Uint8Array {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(root), true);
  return bytes;
}

function metaPage(id: number, root: number, freelist: number, pages: number): Uint8Array {
  const page = new Uint8Array(PAGE_SIZE);
  page.set(header(id, META, 0));
  const view = new DataView(page.buffer, PAGE_HEADER);
  view.setUint32(0, 0xed0cdaed, true);
  view.setUint32(4, 2, true);
  view.setUint32(8, PAGE_SIZE, true);
  view.setBigUint64(16, BigInt(root), true);
  view.setBigUint64(32, BigInt(freelist), true);
  view.setBigUint64(40, BigInt(pages), true);
  view.setBigUint64(48, BigInt(id), true);
  view.setBigUint64(56, fnv1a(page.subarray(PAGE_HEADER, PAGE_HEADER + 56)), true);
  return page;
}
