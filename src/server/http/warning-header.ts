/**
 * `Warning: 299 - "text"` headers, in the syntax of RFC 7234 and with the reference's limits.
 *
 * Invariants: a header is one line, whatever text it contains. The texts of one answer together have at most about
 * 4,096 characters.
 */
import { encodeUtf8 } from '../../base/bytes.ts';
import { BugError } from '../../base/errors.ts';

/**
 * When the texts exceed this many characters together, every warning is shortened, and no more are added once the
 * shortened ones exceed it (truncateAtTotalRunes in the reference).
 */
const TOTAL_LIMIT = 4 * 1024;
/** The length of a shortened warning in characters (truncateItemRunes in the reference). */
const ITEM_LIMIT = 256;

const PLAIN = /^[ !#-[\]-~]*$/;
const CONTROL = /\p{Cc}/u;
const BAD_AGENT = /[\\"\p{White_Space}\p{Cc}]/u;
const LONE_SURROGATE = /\p{Cs}/u;

/**
 * Returns the value of one header as HTTP carries it: each UTF-8 byte is one character. An empty agent prints as `-`.
 * Returns undefined for characters that a header must not contain: control characters and lone surrogates; in an agent
 * also spaces, quotes and backslashes.
 */
export function formatWarningHeader(code: number, agent: string, text: string): string | undefined {
  if (!Number.isInteger(code) || code < 0 || code > 999) throw new BugError(`${code} is not a warning code`);
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

/** The warnings of one answer. Created on the first warning, because most requests have none. */
export class WarningRecorder {
  readonly #seen = new Set<string>();
  readonly #recorded: Warning[] = [];
  #headers: string[] = [];
  /** The number of characters of all texts in the headers. */
  #written = 0;
  #truncating = false;

  /** Values of the `warning` headers, in the order in which they were added. */
  get headers(): readonly string[] {
    return this.#headers;
  }

  /**
   * Adds a warning. Ignores a text that is empty, was added before or cannot be sent, and every text once the limit is
   * reached.
   */
  add(text: string, agent = ''): void {
    if (text === '' || (this.#truncating && this.#written >= TOTAL_LIMIT) || this.#seen.has(text)) return;
    this.#seen.add(text);
    const warning = { agent, text };
    this.#recorded.push(warning);
    if (this.#truncating || this.#written + characters(text) <= TOTAL_LIMIT) {
      this.#write(warning);
      return;
    }
    // A text that cannot be sent does not count towards the limit.
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

/** Counts Unicode characters, not UTF-16 units. */
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
