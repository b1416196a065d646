/**
 * Reads the buckets of a bbolt file, which are B+trees of pages.
 * Invariants: every page is read at most once, so reading a file with cycles ends. Every offset is checked against the
 * page that contains it. Keys are in strictly ascending order.
 */
import { copyBytes } from '../../base/bytes.ts';
import { damaged } from './damaged.ts';
import { type Meta, PAGE_HEADER } from './meta-page.ts';
import type { RandomAccess } from './random-access.ts';

const BRANCH = 0x01;
const LEAF = 0x02;
/** The bytes of an element of a branch or a leaf. */
const ELEMENT = 16;
const BUCKET_FLAG = 0x01;
/** The bytes of a bucket value: root page and sequence. If the root is 0, an inline page follows. */
const BUCKET_HEADER = 16;
/** The most levels of a tree. A valid tree of 4 KiB pages would need more pages than any disk has. */
const MAX_DEPTH = 48;

/**
 * Called with views of a page, which must be copied if they are kept. `offset` is the offset of the value in the file.
 */
export type Visit = (key: Uint8Array, value: Uint8Array, offset: number) => void;

/** One page with its overflow pages, or the inline page of a small bucket. */
interface Page {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** The offset in the file. */
  readonly offset: number;
  readonly flags: number;
  readonly count: number;
}

interface Element {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly offset: number;
  readonly isBucket: boolean;
}

/** Reads the buckets of one file. */
export class Buckets {
  readonly #file: RandomAccess;
  readonly #meta: Meta;
  /**
   * One bit per page, set when the page was read. Overflow pages count, too, so the size of the file bounds the work.
   */
  readonly #seen: Uint8Array;

  constructor(file: RandomAccess, meta: Meta) {
    this.#file = file;
    this.#meta = meta;
    const pages = Math.floor(file.size / meta.pageSize);
    if (meta.pages > pages + 1) {
      const needed = (meta.pages - 1) * meta.pageSize;
      throw damaged(file, file.size, `the file is truncated: it should have at least ${needed} bytes`);
    }
    this.#seen = new Uint8Array((pages >> 3) + 1);
  }

  /** Returns the buckets at the root of the file, by name. */
  names(): ReadonlyMap<string, Bucket> {
    const buckets = new Map<string, Bucket>();
    this.#walk(this.#page(this.#meta.root, 0), 0, ({ key, value, offset, isBucket }) => {
      if (!isBucket) throw damaged(this.#file, offset, 'a value stands where a bucket is expected');
      buckets.set(Buffer.from(key).toString('latin1'), { header: copyBytes(value), offset });
    });
    return buckets;
  }

  /** Visits the values of a bucket in key order. Throws for a nested bucket, because etcd makes none. */
  forEach({ header, offset }: Bucket, visit: Visit): void {
    if (header.byteLength < BUCKET_HEADER) throw damaged(this.#file, offset, 'the header of a bucket is too short');
    const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
    const root = Number(view.getBigUint64(0, true));
    const page =
      root === 0 ? this.#pageOf(header.subarray(BUCKET_HEADER), offset + BUCKET_HEADER) : this.#page(root, offset);
    let last: Uint8Array | undefined;
    this.#walk(page, 0, (element) => {
      if (element.isBucket) throw damaged(this.#file, element.offset, 'a bucket stands where a value is expected');
      if (last !== undefined && Buffer.compare(last, element.key) >= 0)
        throw damaged(this.#file, element.offset, 'the keys are not in order');
      last = element.key;
      visit(element.key, element.value, element.offset);
    });
  }

  #walk(page: Page, depth: number, visit: (element: Element) => void): void {
    if (depth > MAX_DEPTH) throw damaged(this.#file, page.offset, `the tree is deeper than ${MAX_DEPTH} pages`);
    if (PAGE_HEADER + page.count * ELEMENT > page.bytes.byteLength)
      throw damaged(this.#file, page.offset, `the page has no room for its ${page.count} elements`);
    if (page.flags === LEAF) {
      for (let i = 0; i < page.count; i++) visit(this.#leafElement(page, PAGE_HEADER + i * ELEMENT));
      return;
    }
    if (page.flags !== BRANCH)
      throw damaged(this.#file, page.offset, `a page of type ${page.flags} is neither a branch nor a leaf`);
    if (page.count === 0) throw damaged(this.#file, page.offset, 'a branch has no children');
    for (let i = 0; i < page.count; i++) {
      const child = Number(page.view.getBigUint64(PAGE_HEADER + i * ELEMENT + 8, true));
      this.#walk(this.#page(child, page.offset), depth + 1, visit);
    }
  }

  #leafElement(page: Page, at: number): Element {
    const { bytes, view } = page;
    const start = at + view.getUint32(at + 4, true);
    const middle = start + view.getUint32(at + 8, true);
    const end = middle + view.getUint32(at + 12, true);
    if (start < PAGE_HEADER + page.count * ELEMENT || end > bytes.byteLength)
      throw damaged(this.#file, page.offset + at, 'an element lies outside of its page');
    return {
      key: bytes.subarray(start, middle),
      value: bytes.subarray(middle, end),
      offset: page.offset + middle,
      isBucket: (view.getUint32(at, true) & BUCKET_FLAG) !== 0,
    };
  }

  /** Reads a page. `from` is the offset of the reference to the page, for messages. */
  #page(id: number, from: number): Page {
    const { pageSize, pages } = this.#meta;
    if (!Number.isSafeInteger(id) || id < 2 || id >= pages)
      throw damaged(this.#file, from, `page ${id} does not exist: there are ${pages}`);
    this.#claim(id, from);
    const offset = id * pageSize;
    if (offset + pageSize > this.#file.size) throw damaged(this.#file, offset, `page ${id} is truncated`);
    let bytes = this.#file.read(offset, pageSize);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (Number(view.getBigUint64(0, true)) !== id)
      throw damaged(this.#file, offset, `page ${id} says that it is page ${view.getBigUint64(0, true)}`);
    const length = (view.getUint32(12, true) + 1) * pageSize;
    if (offset + length > this.#file.size)
      throw damaged(this.#file, offset, `page ${id} is truncated: it has ${length} bytes`);
    if (length > pageSize) {
      for (let overflow = id + 1; overflow < id + length / pageSize; overflow++) this.#claim(overflow, offset);
      bytes = this.#file.read(offset, length);
    }
    return this.#pageOf(bytes, offset);
  }

  #claim(id: number, from: number): void {
    const mask = 1 << (id & 7);
    const byte = this.#seen[id >> 3] ?? 0;
    if ((byte & mask) !== 0) throw damaged(this.#file, from, `page ${id} is used twice`);
    this.#seen[id >> 3] = byte | mask;
  }

  #pageOf(bytes: Uint8Array, offset: number): Page {
    if (bytes.byteLength < PAGE_HEADER) throw damaged(this.#file, offset, 'a page is shorter than its header');
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { bytes, view, offset, flags: view.getUint16(8, true), count: view.getUint16(10, true) };
  }
}

/** The value of a bucket in its parent. */
export interface Bucket {
  readonly header: Uint8Array;
  /** The offset in the file. */
  readonly offset: number;
}
