/**
 * The position of the YAML scanner in its text, and the character classes of libyaml. A read beyond the end returns 0,
 * which is also libyaml's end marker.
 */

/** A position in a text. Line and column are counted from 0. */
export interface YamlPosition {
  readonly line: number;
  readonly column: number;
}

/**
 * A failure on its way to the function that returns it as a result. `line` and `column` are counted from 0; a line of
 * -1 means that the failure has no position.
 */
export class YamlSyntaxError {
  /** As the reference prints it. */
  readonly message: string;
  /** The message without the number of a line. */
  readonly reason: string;
  readonly line: number;
  readonly column: number;

  constructor(message: string, { line, column }: YamlPosition, reason: string = message) {
    this.message = message;
    this.reason = reason;
    this.line = line;
    this.column = column;
  }
}

export class YamlCursor {
  readonly text: string;
  position = 0;
  /** Counted from 0. */
  line = 0;
  #lineStart = 0;

  constructor(text: string) {
    this.text = text;
  }

  get column(): number {
    return this.position - this.#lineStart;
  }

  code(ahead = 0): number {
    const at = this.position + ahead;
    return at < this.text.length ? this.text.charCodeAt(at) : 0;
  }

  /** Consumes a line break, which must be here, and returns its text in a scalar. */
  passBreak(): string {
    const c = this.code();
    this.position += c === 0x0d && this.code(1) === 0x0a ? 2 : 1;
    this.line++;
    this.#lineStart = this.position;
    return c === 0x2028 ? '\u2028' : c === 0x2029 ? '\u2029' : '\n';
  }

  /** Counts an unfinished last line as ended, at the end of the stream. */
  endLastLine(): void {
    if (this.column === 0) return;
    this.line++;
    this.#lineStart = this.position;
  }

  passBlanks(): void {
    while (isBlank(this.code())) this.position++;
  }

  passComment(): void {
    if (this.code() === 0x23) while (!isBreakOrEnd(this.code())) this.position++;
  }

  /** Whether the character stands three times in the first column, alone or before a blank: `---` or `...`. */
  isMarker(c: number): boolean {
    return (
      this.column === 0 && this.code() === c && this.code(1) === c && this.code(2) === c && isBlankOrEnd(this.code(3))
    );
  }

  /**
   * Fails with a scanner message. The reference counts its lines from 1 and does not name the first. `at` is the
   * position of the error, if another one than that of the cursor, which the message names, is more helpful.
   */
  fail(message: string, at: YamlPosition = this): never {
    throw new YamlSyntaxError(this.line === 0 ? message : `line ${this.line + 1}: ${message}`, at, message);
  }
}

export function isBlank(c: number): boolean {
  return c === 0x20 || c === 0x09;
}

export function isBreak(c: number): boolean {
  return c === 0x0a || c === 0x0d || c === 0x85 || c === 0x2028 || c === 0x2029;
}

export function isBreakOrEnd(c: number): boolean {
  return c === 0 || isBreak(c);
}

export function isBlankOrEnd(c: number): boolean {
  return c <= 0x20 ? c === 0x20 || c === 0x0a || c === 0 || c === 0x09 || c === 0x0d : c >= 0x85 && isBreak(c);
}

/** Characters of anchors, directive names and tag handles. */
export function isWordCharacter(c: number): boolean {
  return isDigit(c) || (c >= 0x41 && c <= 0x5a) || (c >= 0x61 && c <= 0x7a) || c === 0x5f || c === 0x2d;
}

export function isDigit(c: number): boolean {
  return c >= 0x30 && c <= 0x39;
}

/** The value of a hexadecimal digit; -1 for any other character. */
export function hexValue(c: number): number {
  if (isDigit(c)) return c - 0x30;
  const lower = c | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
