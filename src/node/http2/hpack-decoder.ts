/**
 * The HPACK decoder of one connection (RFC 7541).
 * Invariant: every block is decoded to its end, also one that exceeds the limits, because the dynamic table must follow
 * it. The decoded fields of a block never exceed the limits, at any compression ratio.
 */
import { decodeHuffman } from './huffman.ts';
import { FIRST_DYNAMIC, ROW_OVERHEAD, STATIC_ROWS, TABLE_SIZE } from './static-table.ts';

export interface HeaderBlock {
  /** Names and values in alternation, one character per byte. */
  readonly fields: readonly string[];
  /** The block exceeds the limits, and `fields` is incomplete. */
  readonly tooLarge: boolean;
  /** A name or a value has characters that HTTP does not allow. */
  readonly malformed: boolean;
}

export interface HeaderLimits {
  readonly maxHeaderBytes: number;
  readonly maxHeaderCount: number;
}

interface Row {
  readonly name: string;
  readonly value: string;
  readonly size: number;
  readonly valid: boolean;
}

/** A pseudo-header name or a lower-case token (RFC 9113, 8.2.1). */
const NAME = /^:?[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const FORBIDDEN_IN_VALUE = /[\0\r\n]/;
const LONGEST_INTEGER_BYTES = 5;
/**
 * Blocks of at most this many bytes are kept: those that only refer to the tables, such as the answers of gRPC servers.
 */
const SHORT_BLOCK = 3;
const MAX_KEPT = 16;

export class HpackDecoder {
  readonly #limits: HeaderLimits;
  /** Newest last. */
  readonly #rows: Row[] = [];
  #size = 0;
  #maxSize = TABLE_SIZE;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #end = 0;
  #broken = false;
  /** The short blocks that were decoded since the table last changed, by their bytes. */
  readonly #kept = new Map<number, HeaderBlock>();
  #isChanged = false;

  constructor(limits: HeaderLimits) {
    this.#limits = limits;
  }

  /**
   * Decodes a whole block. Returns undefined for a decoding error, which is a connection error. A short block that is
   * repeated has the same result. The block is `bytes.subarray(start, end)`.
   */
  decode(bytes: Buffer, start = 0, end: number = bytes.length): HeaderBlock | undefined {
    if (end - start > SHORT_BLOCK) return this.#decode(bytes, start, end);
    const key = shortKey(bytes, start, end);
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    // Decoding a block that changes the table clears the kept ones, and such a block has another meaning the next time.
    this.#isChanged = false;
    const block = this.#decode(bytes, start, end);
    if (block !== undefined && !this.#isChanged && this.#kept.size < MAX_KEPT) this.#kept.set(key, block);
    return block;
  }

  #decode(bytes: Buffer, start: number, end: number): HeaderBlock | undefined {
    const fields: string[] = [];
    let tooLarge = false;
    let malformed = false;
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.#broken = false;
    let listed = 0;
    let first = true;
    while (this.#at < end && !this.#broken) {
      const byte = bytes[this.#at]!;
      if ((byte & 0xe0) === 0x20) {
        // A table size update is allowed only before the first field.
        if (first) this.#resize(this.#integer(0x1f));
        else this.#broken = true;
        continue;
      }
      first = false;
      const row = byte >= 0x80 ? this.#row(this.#integer(0x7f)) : this.#literal(byte);
      if (row === undefined) break;
      listed += row.size;
      if (listed > this.#limits.maxHeaderBytes || fields.length >= 2 * this.#limits.maxHeaderCount) tooLarge = true;
      else {
        if (!row.valid) malformed = true;
        fields.push(row.name, row.value);
      }
    }
    this.#bytes = EMPTY;
    return this.#broken ? undefined : { fields, tooLarge, malformed };
  }

  #literal(byte: number): Row | undefined {
    const indexed = byte >= 0x40;
    const index = this.#integer(indexed ? 0x3f : 0x0f);
    const known = index === 0 ? undefined : this.#row(index);
    const name = index === 0 ? this.#text() : known?.name;
    const value = this.#text();
    if (this.#broken || name === undefined) return undefined;
    const valid = (known?.valid === true || NAME.test(name)) && !FORBIDDEN_IN_VALUE.test(value);
    const row = { name, value, size: name.length + value.length + ROW_OVERHEAD, valid };
    if (indexed) this.#insert(row);
    return row;
  }

  #row(index: number): Row | undefined {
    const row = index < FIRST_DYNAMIC ? STATIC[index - 1] : this.#rows[this.#rows.length - 1 - (index - FIRST_DYNAMIC)];
    if (row === undefined) this.#broken = true;
    return row;
  }

  #insert(row: Row): void {
    this.#changed();
    this.#evict(this.#maxSize - row.size);
    if (row.size > this.#maxSize) return;
    this.#rows.push(row);
    this.#size += row.size;
  }

  #resize(most: number): void {
    if (most > TABLE_SIZE) this.#broken = true;
    this.#changed();
    this.#maxSize = most;
    this.#evict(most);
  }

  #changed(): void {
    this.#isChanged = true;
    if (this.#kept.size > 0) this.#kept.clear();
  }

  /** Evicts the oldest rows until the table's size is at most `room`. */
  #evict(room: number): void {
    let gone = 0;
    while (this.#size > room && gone < this.#rows.length) this.#size -= this.#rows[gone++]!.size;
    if (gone > 0) this.#rows.splice(0, gone);
  }

  /** Decodes an integer (RFC 7541, 5.1). */
  #integer(mask: number): number {
    const bytes = this.#bytes;
    let value = bytes[this.#at++]! & mask;
    if (value < mask) return value;
    for (let i = 0; i < LONGEST_INTEGER_BYTES; i++) {
      if (this.#at >= this.#end) break;
      const byte = bytes[this.#at++]!;
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return value;
    }
    this.#broken = true;
    return 0;
  }

  #text(): string {
    const bytes = this.#bytes;
    if (this.#at >= this.#end) this.#broken = true;
    if (this.#broken) return '';
    const compressed = bytes[this.#at]! >= 0x80;
    const length = this.#integer(0x7f);
    const start = this.#at;
    const end = start + length;
    if (this.#broken || end > this.#end) {
      this.#broken = true;
      return '';
    }
    this.#at = end;
    if (!compressed) return latin1(bytes, start, end);
    const scratch = scratchOf(2 * length);
    const size = decodeHuffman(bytes, start, end, scratch);
    if (size < 0) this.#broken = true;
    return size < 0 ? '' : latin1(scratch, 0, size);
  }
}

const EMPTY = Buffer.alloc(0);

/** Returns a number that identifies the bytes of a short block. */
function shortKey(bytes: Buffer, start: number, end: number): number {
  let key = 1;
  for (let i = start; i < end; i++) key = (key << 8) | bytes[i]!;
  return key;
}
const STATIC: readonly Row[] = STATIC_ROWS.map(({ name, value }) => ({
  name,
  value,
  size: name.length + value.length + ROW_OVERHEAD,
  valid: true,
}));

/** Node's types lack `latin1Slice`; `toString` costs twice as much because it looks the encoding up. */
function latin1(bytes: Buffer, start: number, end: number): string {
  return (bytes as unknown as { latin1Slice(start: number, end: number): string }).latin1Slice(start, end);
}

const SCRATCH_BYTES = 8_192;
/**
 * Shared by all connections. This is safe: decoding is synchronous, and a string is copied out before the next one is
 * decoded.
 */
const SCRATCH = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

function scratchOf(size: number): Buffer {
  return size <= SCRATCH_BYTES ? SCRATCH : Buffer.allocUnsafeSlow(size);
}
