/**
 * A parser of comma-separated values with the rules of Go's encoding/csv: strict quotes, rows of different lengths,
 * empty lines ignored. Takes linear time.
 */

export type CsvResult =
  | { readonly ok: true; readonly records: readonly (readonly string[])[] }
  /** The message of Go's parser. */
  | { readonly ok: false; readonly message: string };

const BARE_QUOTE = 'bare " in non-quoted-field';
const BAD_QUOTE = 'extraneous or missing " in quoted-field';

export function readCsv(text: string): CsvResult {
  const reader = new CsvReader(text);
  const records: string[][] = [];
  for (;;) {
    const record = reader.next();
    if (typeof record === 'string') return { ok: false, message: record };
    if (record === undefined) return { ok: true, records };
    records.push(record);
  }
}

class CsvReader {
  readonly #text: string;
  #at = 0;
  #line = 1;
  #lineStart = 0;

  constructor(text: string) {
    this.#text = text.replaceAll('\r\n', '\n').replace(/\r$/, '');
  }

  /** Returns the next record, undefined at the end, or the text of an error. */
  next(): string[] | string | undefined {
    const text = this.#text;
    while (text[this.#at] === '\n') this.#newLine();
    if (this.#at >= text.length) return undefined;
    const startLine = this.#line;
    const record: string[] = [];
    for (;;) {
      const problem = text[this.#at] === '"' ? this.#quoted(record) : this.#plain(record);
      if (problem !== undefined) return this.#message(startLine, problem);
      const separator = text[this.#at];
      if (separator === undefined) return record;
      if (separator === '\n') {
        this.#newLine();
        return record;
      }
      this.#at++;
    }
  }

  #plain(record: string[]): string | undefined {
    const start = this.#at;
    const text = this.#text;
    while (this.#at < text.length && text[this.#at] !== ',' && text[this.#at] !== '\n') {
      if (text[this.#at] === '"') return BARE_QUOTE;
      this.#at++;
    }
    record.push(text.slice(start, this.#at));
    return undefined;
  }

  #quoted(record: string[]): string | undefined {
    const text = this.#text;
    let field = '';
    for (let from = ++this.#at; ; this.#at++) {
      const char = text[this.#at];
      if (char === undefined) return BAD_QUOTE;
      if (char === '\n') {
        this.#line++;
        this.#lineStart = this.#at + 1;
      }
      if (char !== '"') continue;
      field += text.slice(from, this.#at);
      const after = text[this.#at + 1];
      if (after === '"') {
        from = ++this.#at;
        continue;
      }
      if (after !== undefined && after !== ',' && after !== '\n') return BAD_QUOTE;
      this.#at++;
      record.push(field);
      return undefined;
    }
  }

  #newLine(): void {
    this.#at++;
    this.#line++;
    this.#lineStart = this.#at;
  }

  #message(startLine: number, problem: string): string {
    const where = `parse error on line ${this.#line}, column ${this.#at - this.#lineStart + 1}: ${problem}`;
    return startLine === this.#line ? where : `record on line ${startLine}; ${where}`;
  }
}
