/**
 * Writes the header blocks of one connection's answers (HPACK, RFC 7541). Invariant: the table here and the one in the client hold the same rows, so every block that was encoded must
 * be sent, in that order. Values that differ from answer to answer are not put into it.
 */
import type { AnswerHeaders } from '../../server/http/exchange.ts';
import { FIRST_DYNAMIC, ROW_OVERHEAD, STATIC_ROWS, TABLE_SIZE } from './static-table.ts';

/** Rows that would push out too many others. */
const LONGEST_ROW = 1_024;
/** Their values hardly ever come again. */
const UNSTEADY: ReadonlySet<string> = new Set([
  'audit-id',
  'content-length',
  'etag',
  'last-modified',
  'location',
  'retry-after',
  'warning',
]);

const STATIC_NAMES = new Map<string, number>();
const STATIC_STATUS = new Map<string, number>();
for (const [i, { name, value }] of STATIC_ROWS.entries()) {
  if (!STATIC_NAMES.has(name)) STATIC_NAMES.set(name, i + 1);
  if (name === ':status') STATIC_STATUS.set(value, i + 1);
}

const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const FORBIDDEN_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
/** Pattern bits and prefix of the representations of a field. */
const INDEXED = { bits: 0x80, mask: 0x7f };
const ADDED = { bits: 0x40, mask: 0x3f };
const PLAIN = { bits: 0, mask: 0x0f };
/** A prefix and its continuation, at most. */
const INTEGER_BYTES = 6;

const CONTINUE = '100';

interface Row {
  readonly name: string;
  readonly value: string;
  /** Counted from the first that was ever added. */
  readonly serial: number;
  readonly size: number;
}

export class HpackEncoder {
  /** The newest row of each name. */
  readonly #newest = new Map<string, Row>();
  /** Oldest first. */
  readonly #rows: Row[] = [];
  #added = 0;
  #size = 0;
  #most = TABLE_SIZE;
  /** The smallest size since the last block, which the next one must tell. */
  #told: number | undefined;
  #into: Buffer = Buffer.alloc(0);
  #at = 0;

  /** What the client allows. We never use more than the default. */
  resize(most: number): void {
    const size = Math.min(most, TABLE_SIZE);
    if (size === this.#most) return;
    this.#told = Math.min(size, this.#told ?? size);
    this.#most = size;
    this.#evict(size);
  }

  /** The block of an answer, valid until the next call. `length` -1: not known. Throws if HTTP does not allow a header. */
  encode(status: number, headers: AnswerHeaders, length: number, date: string): Buffer {
    check(headers);
    this.#begin();
    const text = String(status);
    const known = STATIC_STATUS.get(text);
    if (known === undefined) this.#field(':status', text);
    else {
      this.#reserve(INTEGER_BYTES);
      this.#integer(known, INDEXED.bits, INDEXED.mask);
    }
    for (const name in headers) {
      const value = headers[name]!;
      if (typeof value === 'string') this.#field(name, value);
      else for (const one of value) this.#field(name, one);
    }
    if (headers['date'] === undefined) this.#field('date', date);
    if (length >= 0 && headers['content-length'] === undefined) this.#field('content-length', String(length));
    return this.#into.subarray(0, this.#at);
  }

  /** The block of `100 Continue`; the same is true of it. */
  encodeContinue(): Buffer {
    this.#begin();
    this.#reserve(2 * INTEGER_BYTES + CONTINUE.length);
    this.#integer(STATIC_NAMES.get(':status')!, PLAIN.bits, PLAIN.mask);
    this.#text(CONTINUE);
    return this.#into.subarray(0, this.#at);
  }

  /** A block begins with what the client must know of the table's size. */
  #begin(): void {
    this.#into = scratch;
    this.#at = 0;
    if (this.#told === undefined) return;
    this.#reserve(2 * INTEGER_BYTES);
    if (this.#told < this.#most) this.#integer(this.#told, 0x20, 0x1f);
    this.#integer(this.#most, 0x20, 0x1f);
    this.#told = undefined;
  }

  #field(name: string, value: string): void {
    this.#reserve(name.length + value.length + 3 * INTEGER_BYTES);
    const row = this.#newest.get(name);
    if (row !== undefined && row.value === value) {
      this.#integer(this.#indexOf(row), INDEXED.bits, INDEXED.mask);
      return;
    }
    const index = STATIC_NAMES.get(name) ?? (row === undefined ? 0 : this.#indexOf(row));
    const size = name.length + value.length + ROW_OVERHEAD;
    // One unsteady row of a name that the client does not know saves the name from then on.
    const add = size <= LONGEST_ROW && size <= this.#most && (index === 0 || !UNSTEADY.has(name));
    const { bits, mask } = add ? ADDED : PLAIN;
    this.#integer(index, bits, mask);
    if (index === 0) this.#text(name);
    this.#text(value);
    if (add) this.#add({ name, value, serial: this.#added++, size });
  }

  #indexOf({ serial }: Row): number {
    return FIRST_DYNAMIC + this.#added - 1 - serial;
  }

  #add(row: Row): void {
    this.#evict(this.#most - row.size);
    this.#rows.push(row);
    this.#newest.set(row.name, row);
    this.#size += row.size;
  }

  #evict(room: number): void {
    while (this.#size > room) {
      const row = this.#rows.shift();
      if (row === undefined) return;
      this.#size -= row.size;
      if (this.#newest.get(row.name) === row) this.#newest.delete(row.name);
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

/** Shared by all connections: a block is copied before the next one is made. */
const scratch = Buffer.allocUnsafeSlow(8_192);
/** Names of the headers that answers have: few, and each is looked at once. */
const goodNames = new Set<string>();
const MOST_NAMES = 1_000;

/** Before the first byte is written, so that a refusal leaves the table alone. */
function check(headers: AnswerHeaders): void {
  for (const name in headers) {
    if (!goodNames.has(name)) {
      if (!NAME.test(name)) throw new TypeError(`HTTP does not allow a header named ${JSON.stringify(name)}`);
      if (goodNames.size < MOST_NAMES) goodNames.add(name);
    }
    const value = headers[name]!;
    if (typeof value === 'string') checkValue(name, value);
    else for (const one of value) checkValue(name, one);
  }
}

function checkValue(name: string, value: string): void {
  if (FORBIDDEN_IN_VALUE.test(value)) throw new TypeError(`HTTP does not allow this value of the header ${name}`);
}
