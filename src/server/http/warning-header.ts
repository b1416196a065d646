/**
 * Warnings for the client: `Warning: 299 - "text"` headers, as RFC 7234 writes them and the reference limits them. Invariant: a header made here is one line
 * that no text can break out of, and the texts of one answer are never more than about 4,096 characters together.
 */
import { encodeUtf8 } from '../../base/bytes.ts';
import { BugError } from '../../base/errors.ts';

/** Beyond this many characters every warning is shortened, and none is added (the reference's truncateAtTotalRunes). */
const TOTAL_LIMIT = 4 * 1024;
/** What a shortened warning keeps (the reference's truncateItemRunes). */
const ITEM_LIMIT = 256;

const PLAIN = /^[ !#-[\]-~]*$/;
const CONTROL = /\p{Cc}/u;
const BAD_AGENT = /[\\"\p{White_Space}\p{Cc}]/u;
const LONE_SURROGATE = /\p{Cs}/u;

/**
 * The value of one header, in the form in which HTTP carries it: each UTF-8 byte is one character. An empty agent prints as `-`.
 * Undefined for a text or an agent that may not stand in a header: control characters, lone surrogates; in an agent also spaces, quotes, backslashes.
 */
export function formatWarningHeader(code: number, agent: string, text: string): string | undefined {
  if (!Number.isInteger(code) || code < 0 || code > 999) throw new BugError(`${code} is no warning code`);
  if (BAD_AGENT.test(agent) || LONE_SURROGATE.test(agent)) return undefined;
  const start = `${String(code).padStart(3, '0')} ${agent === '' ? '-' : agent} `;
  if (PLAIN.test(text)) return toByteString(`${start}"${text}"`);
  if (CONTROL.test(text) || LONE_SURROGATE.test(text)) return undefined;
  return toByteString(`${start}"${text.replace(/["\\]/g, '\\$&')}"`);
}

interface Warning {
  readonly agent: string;
  readonly text: string;
}

/** The warnings of one answer. Make one when there is something to warn about: most requests never need it. */
export class WarningRecorder {
  readonly #seen = new Set<string>();
  readonly #recorded: Warning[] = [];
  #headers: string[] = [];
  /** Characters of all texts in the headers. */
  #written = 0;
  #truncating = false;

  /** Values of the `warning` headers, in the order in which they were added. */
  get headers(): readonly string[] {
    return this.#headers;
  }

  /** Adds a warning unless its text is empty, already there or not allowed in a header, or the answer is full. */
  add(text: string, agent = ''): void {
    if (text === '' || (this.#truncating && this.#written >= TOTAL_LIMIT) || this.#seen.has(text)) return;
    this.#seen.add(text);
    const warning = { agent, text };
    this.#recorded.push(warning);
    if (this.#truncating || this.#written + characters(text) <= TOTAL_LIMIT) {
      this.#write(warning);
      return;
    }
    // A text that cannot be written does not fill the answer either.
    if (formatWarningHeader(299, agent, text) === undefined) return;
    this.#truncating = true;
    this.#written = 0;
    this.#headers = [];
    for (const earlier of this.#recorded) this.#write(earlier);
  }

  #write({ agent, text }: Warning): void {
    const kept = this.#truncating ? firstCharacters(text, ITEM_LIMIT) : text;
    const header = formatWarningHeader(299, agent, kept);
    if (header === undefined) return;
    this.#written += characters(kept);
    this.#headers.push(header);
  }
}

/** Unicode characters, not UTF-16 units. */
function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function firstCharacters(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = 0;
  for (let count = 0; count < limit && end < text.length; count++)
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

function toByteString(text: string): string {
  let ascii = true;
  for (let i = 0; ascii && i < text.length; i++) ascii = text.charCodeAt(i) < 0x80;
  if (ascii) return text;
  let bytes = '';
  for (const byte of encodeUtf8(text)) bytes += String.fromCharCode(byte);
  return bytes;
}
