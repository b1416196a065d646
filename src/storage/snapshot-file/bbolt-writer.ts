/**
 * A writer of bbolt files. Each page is passed to `append` as soon as it is complete, so a large file needs little
 * memory. The layout is that of go.etcd.io/bbolt.
 */
import { concatBytes, EMPTY_BYTES } from '../../base/bytes.ts';
import { fnv1a, PAGE_HEADER } from './meta-page.ts';

export const PAGE_SIZE = 4096;
const ELEMENT = 16;
const LEAF = 2;
const BRANCH = 1;
const FREELIST = 16;
const META = 4;
/** The most children of a branch page. */
const FAN_OUT = 64;

export type Pair = readonly [key: Uint8Array, value: Uint8Array];

interface Child {
  /** The first key below the child. */
  readonly key: Uint8Array;
  readonly id: number;
}

export class BboltWriter {
  readonly #append: (page: Uint8Array) => void;
  readonly #perLeaf: number | undefined;
  #next = 2;

  /** `append` gets the pages from id 2 on, in order. Without `perLeaf` a leaf has as many records as fit on a page. */
  constructor(append: (page: Uint8Array) => void, perLeaf: number | undefined) {
    this.#append = append;
    this.#perLeaf = perLeaf;
  }

  /** Writes a bucket with its own pages and returns the value of the bucket. The pairs must be in key order. */
  bucket(pairs: Iterable<Pair>): Uint8Array {
    const bucket = this.openBucket();
    for (const pair of pairs) bucket.add(pair);
    return bucket.end();
  }

  /** Begins a bucket with its own pages. No other bucket may be open. */
  openBucket(): BucketWriter {
    return new BucketWriter((make) => this.#add(make), this.#perLeaf);
  }

  /** Returns the value of a bucket whose page is part of the value. */
  inlineBucket(pairs: readonly Pair[]): Uint8Array {
    return concatBytes([bucketHeader(0), leafBytes(0, pairs, false)]);
  }

  /** Returns the first two pages. `buckets` are the names and values of the buckets, in key order. */
  finish(buckets: readonly Pair[]): Uint8Array {
    const root = this.#add((id) => leafBytes(id, buckets, true));
    const freelist = this.#add((id) => header(id, FREELIST, 0));
    return concatBytes([0, 1].map((id) => metaPage(id, root, freelist, this.#next)));
  }

  /** Appends a page, padded to whole pages, with the number of its overflow pages. Returns the id of the page. */
  #add(make: (id: number) => Uint8Array): number {
    const id = this.#next;
    const bytes = make(id);
    const count = Math.max(1, Math.ceil(bytes.byteLength / PAGE_SIZE));
    const page = new Uint8Array(count * PAGE_SIZE);
    page.set(bytes);
    new DataView(page.buffer).setUint32(12, count - 1, true);
    this.#append(page);
    this.#next += count;
    return id;
  }
}

/**
 * A bucket whose pairs are added one after the other, in key order. It keeps the pairs of one leaf and one key per page
 * in memory.
 */
export class BucketWriter {
  readonly #addPage: (make: (id: number) => Uint8Array) => number;
  readonly #perLeaf: number | undefined;
  readonly #leaves: Child[] = [];
  #part: Pair[] = [];
  #size = PAGE_HEADER;

  constructor(addPage: (make: (id: number) => Uint8Array) => number, perLeaf: number | undefined) {
    this.#addPage = addPage;
    this.#perLeaf = perLeaf;
  }

  add(pair: Pair): void {
    const bytes = ELEMENT + pair[0].byteLength + pair[1].byteLength;
    const isFull = this.#perLeaf === undefined ? this.#size + bytes > PAGE_SIZE : this.#part.length === this.#perLeaf;
    if (isFull && this.#part.length > 0) this.#endLeaf();
    this.#part.push(pair);
    this.#size += bytes;
  }

  /** Writes the remaining pages, at least one leaf, and returns the value of the bucket. */
  end(): Uint8Array {
    this.#endLeaf();
    let level: readonly Child[] = this.#leaves;
    while (level.length > 1) {
      const above: Child[] = [];
      for (let i = 0; i < level.length; i += FAN_OUT) {
        const part = level.slice(i, i + FAN_OUT);
        above.push({ key: (part[0] as Child).key, id: this.#addPage((id) => branchBytes(id, part)) });
      }
      level = above;
    }
    return bucketHeader((level[0] as Child).id);
  }

  #endLeaf(): void {
    const part = this.#part;
    this.#leaves.push({ key: part[0]?.[0] ?? EMPTY_BYTES, id: this.#addPage((id) => leafBytes(id, part, false)) });
    this.#part = [];
    this.#size = PAGE_HEADER;
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

function branchBytes(id: number, children: readonly Child[]): Uint8Array {
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
