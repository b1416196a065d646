/**
 * The HPACK encoder of one connection (RFC 7541), for the answers of a server or the requests of a client. Values that
 * differ from message to message do not enter the dynamic table.
 * Invariant: this table and the peer's hold the same rows, so every encoded block must be sent, in the order of
 * encoding.
 */
import type { HttpHeaders } from '../../apimachinery/http/transport.ts';
import { BugError } from '../../base/errors.ts';
import { FIRST_DYNAMIC, ROW_OVERHEAD, STATIC_ROWS, TABLE_SIZE } from './static-table.ts';

/** Longer rows do not enter the table, because they would evict too many others. */
const LONGEST_ROW = 1_024;
/** Fields whose values rarely repeat. */
const UNSTEADY: ReadonlySet<string> = new Set([
  'audit-id',
  'content-length',
  'etag',
  'last-modified',
  'location',
  'retry-after',
  'traceparent',
  'warning',
  'x-forwarded-uri',
  ':path',
]);
/** Rows of one name that are compared with a value, newest first. A user has some groups. */
const MAX_COMPARED = 8;

const STATIC_NAMES = new Map<string, number>();
const STATIC_STATUS = new Map<string, number>();
const STATIC_METHODS = new Map<string, number>();
for (const [i, { name, value }] of STATIC_ROWS.entries()) {
  if (!STATIC_NAMES.has(name)) STATIC_NAMES.set(name, i + 1);
  if (name === ':status') STATIC_STATUS.set(value, i + 1);
  if (name === ':method') STATIC_METHODS.set(value, i + 1);
}

/** The indexes of `:scheme`. */
const SCHEMES = { http: 6, https: 7 } as const;

const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const FORBIDDEN_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
/** Pattern bits and integer prefix of the field representations (RFC 7541, section 6). */
const INDEXED = { bits: 0x80, mask: 0x7f };
const ADDED = { bits: 0x40, mask: 0x3f };
const PLAIN = { bits: 0, mask: 0x0f };
/** The largest encoded integer, prefix included. */
const INTEGER_BYTES = 6;

const CONTINUE = '100';

/** The head of a request. */
export interface RequestHead {
  readonly method: string;
  /** Default `https`. */
  readonly scheme?: 'http' | 'https' | undefined;
  /** Path and query. */
  readonly path: string;
  readonly authority: string;
  readonly headers: HttpHeaders;
  /**
   * Many requests of the connection have the same path and the same `headers` object, which is not modified. Their
   * length is not declared, and their block is encoded once. Default false.
   */
  readonly isSteady?: boolean | undefined;
}

/** The block of a steady head that only refers to rows of the tables. */
interface SteadyBlock {
  readonly head: RequestHead;
  readonly block: Buffer;
  /** The number of rows that had been added when it was encoded. Another number means other indexes. */
  readonly added: number;
}

/** Further steady heads are encoded each time. */
const MAX_STEADY = 32;

interface Row {
  readonly name: string;
  readonly value: string;
  /** The number of rows that were added before it. */
  readonly serial: number;
  readonly size: number;
  /** The next older row of the same name that is in the table. */
  older: Row | undefined;
  /** The row that has this one as its next older one. */
  newer: Row | undefined;
}

export class HpackEncoder {
  /** The newest row of each name. */
  readonly #newest = new Map<string, Row>();
  /** Oldest first. */
  readonly #rows: Row[] = [];
  #added = 0;
  #size = 0;
  #maxSize = TABLE_SIZE;
  /** The smallest table size since the last block, which the next block must signal (RFC 7541, 4.2). */
  #pendingUpdate: number | undefined;
  #into: Buffer = Buffer.alloc(0);
  #at = 0;
  /** By path. */
  readonly #steady = new Map<string, SteadyBlock>();

  /** Applies the peer's HEADER_TABLE_SIZE. The table never exceeds the default size. */
  resize(most: number): void {
    const size = Math.min(most, TABLE_SIZE);
    if (size === this.#maxSize) return;
    this.#pendingUpdate = Math.min(size, this.#pendingUpdate ?? size);
    this.#maxSize = size;
    this.#steady.clear();
    this.#evict(size);
  }

  /**
   * Encodes the block of an answer; it is valid until the next call. `length` is -1 if unknown. Throws if HTTP does not
   * allow a header.
   */
  encode(status: number, headers: HttpHeaders, length: number, date: string): Buffer {
    checkHeaders(headers);
    this.#begin();
    const text = String(status);
    this.#known(STATIC_STATUS.get(text), ':status', text);
    this.#fields(headers);
    if (headers['date'] === undefined) this.#field('date', date);
    if (length >= 0 && headers['content-length'] === undefined) this.#field('content-length', String(length));
    return this.#into.subarray(0, this.#at);
  }

  /**
   * Encodes the block of a request whose headers `checkHeaders` has accepted; it is valid until the next call. `length`
   * is -1 if unknown. A header `host` replaces the authority.
   */
  encodeRequest(head: RequestHead, length: number): Buffer {
    if (head.isSteady === true) return this.#encodeSteady(head);
    this.#encodeHead(head);
    const { headers } = head;
    if (length >= 0 && headers['content-length'] === undefined) this.#field('content-length', String(length));
    return this.#into.subarray(0, this.#at);
  }

  #encodeSteady(head: RequestHead): Buffer {
    const kept = this.#steady.get(head.path);
    if (kept !== undefined && kept.added === this.#added && isSameHead(kept.head, head)) return kept.block;
    const added = this.#added;
    const hasUpdate = this.#pendingUpdate !== undefined;
    this.#encodeHead(head);
    const block = this.#into.subarray(0, this.#at);
    if (added === this.#added && !hasUpdate && (kept !== undefined || this.#steady.size < MAX_STEADY))
      this.#steady.set(head.path, { head, block: Buffer.from(block), added });
    return block;
  }

  #encodeHead({ method, scheme = 'https', path, authority, headers, isSteady }: RequestHead): void {
    this.#begin();
    this.#known(STATIC_METHODS.get(method), ':method', method);
    this.#known(SCHEMES[scheme], ':scheme', scheme);
    this.#field(':authority', typeof headers['host'] === 'string' ? headers['host'] : authority);
    this.#field(':path', path, isSteady);
    this.#fields(headers);
  }

  /** Encodes the block of trailers; it is valid until the next call. Throws if HTTP does not allow a field. */
  encodeTrailers(trailers: HttpHeaders): Buffer {
    checkHeaders(trailers);
    this.#begin();
    this.#fields(trailers);
    return this.#into.subarray(0, this.#at);
  }

  /** Encodes the block of `100 Continue`; it is valid until the next call. */
  encodeContinue(): Buffer {
    this.#begin();
    this.#reserve(2 * INTEGER_BYTES + CONTINUE.length);
    this.#integer(STATIC_NAMES.get(':status')!, PLAIN.bits, PLAIN.mask);
    this.#text(CONTINUE);
    return this.#into.subarray(0, this.#at);
  }

  /** Begins a block, with a table size update if one is due. */
  #begin(): void {
    this.#into = scratch;
    this.#at = 0;
    if (this.#pendingUpdate === undefined) return;
    this.#reserve(2 * INTEGER_BYTES);
    if (this.#pendingUpdate < this.#maxSize) this.#integer(this.#pendingUpdate, 0x20, 0x1f);
    this.#integer(this.#maxSize, 0x20, 0x1f);
    this.#pendingUpdate = undefined;
  }

  /** Encodes a pseudo-header field that may be in the static table. */
  #known(index: number | undefined, name: string, value: string): void {
    if (index === undefined) {
      this.#field(name, value);
      return;
    }
    this.#reserve(INTEGER_BYTES);
    this.#integer(index, INDEXED.bits, INDEXED.mask);
  }

  #fields(headers: HttpHeaders): void {
    for (const name in headers) {
      if (name === 'host') continue;
      const value = headers[name]!;
      if (typeof value === 'string') this.#field(name, value);
      else for (let i = 0; i < value.length; i++) this.#field(name, value[i]!);
    }
  }

  #field(name: string, value: string, isSteady = false): void {
    this.#reserve(name.length + value.length + 3 * INTEGER_BYTES);
    const row = this.#newest.get(name);
    for (let one = row, n = 0; one !== undefined && n < MAX_COMPARED; one = one.older, n++) {
      if (one.value !== value) continue;
      this.#integer(this.#indexOf(one), INDEXED.bits, INDEXED.mask);
      return;
    }
    const index = STATIC_NAMES.get(name) ?? (row === undefined ? 0 : this.#indexOf(row));
    const size = name.length + value.length + ROW_OVERHEAD;
    // A varying field enters the table once: later blocks refer to its name.
    const add = size <= LONGEST_ROW && size <= this.#maxSize && (index === 0 || isSteady || !UNSTEADY.has(name));
    const { bits, mask } = add ? ADDED : PLAIN;
    this.#integer(index, bits, mask);
    if (index === 0) this.#text(name);
    this.#text(value);
    if (add) this.#add({ name, value, serial: this.#added++, size, older: undefined, newer: undefined });
  }

  #indexOf({ serial }: Row): number {
    return FIRST_DYNAMIC + this.#added - 1 - serial;
  }

  #add(row: Row): void {
    this.#evict(this.#maxSize - row.size);
    this.#rows.push(row);
    const older = this.#newest.get(row.name);
    if (older !== undefined) {
      row.older = older;
      older.newer = row;
    }
    this.#newest.set(row.name, row);
    this.#size += row.size;
  }

  #evict(room: number): void {
    while (this.#size > room) {
      const row = this.#rows.shift();
      if (row === undefined) return;
      this.#size -= row.size;
      if (row.newer === undefined) this.#newest.delete(row.name);
      else row.newer.older = undefined;
    }
  }

  #integer(value: number, bits: number, mask: number): void {
    if (value < mask) {
      this.#into[this.#at++] = bits | value;
      return;
    }
    this.#into[this.#at++] = bits | mask;
    let rest = value - mask;
    while (rest >= 0x80) {
      this.#into[this.#at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#into[this.#at++] = rest;
  }

  #text(text: string): void {
    this.#integer(text.length, 0, 0x7f);
    this.#at += this.#into.write(text, this.#at, 'latin1');
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#into.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#at + bytes));
    larger.set(this.#into.subarray(0, this.#at));
    this.#into = larger;
  }
}

function isSameHead(a: RequestHead, b: RequestHead): boolean {
  return a.headers === b.headers && a.method === b.method && a.scheme === b.scheme && a.authority === b.authority;
}

/**
 * Shared by all connections. This is safe: a block is copied into the output before the next one is encoded, and both
 * happen in one synchronous call.
 */
const scratch = Buffer.allocUnsafeSlow(8_192);
/** Header names that were found valid. A bounded cache of a pure check, so sharing it is safe. */
const validNames = new Set<string>();
const MAX_VALID_NAMES = 1_000;

/**
 * Throws if HTTP does not allow a header. Called before the first byte is encoded, so that an invalid one leaves the
 * table unchanged.
 */
export function checkHeaders(headers: HttpHeaders): void {
  for (const name in headers) {
    if (!validNames.has(name)) {
      if (!NAME.test(name)) throw new BugError(`HTTP does not allow a header named ${JSON.stringify(name)}`);
      if (validNames.size < MAX_VALID_NAMES) validNames.add(name);
    }
    const value = headers[name]!;
    if (typeof value === 'string') checkValue(name, value);
    else for (const one of value) checkValue(name, one);
  }
}

function checkValue(name: string, value: string): void {
  if (FORBIDDEN_IN_VALUE.test(value)) throw new BugError(`HTTP does not allow this value of the header ${name}`);
}
