/**
 * The format email: addresses that Go's `mail.ParseAddress` accepts, such as `a@b`, `Name <a@b>`, with comments and
 * quoted parts, and groups of one address. One difference: an encoded word in an unknown character set is accepted as
 * text. The check is linear in the text.
 */
import { ipVersion } from './addresses.ts';

export function isEmail(text: string): boolean {
  const reader = new AddressReader(text);
  const count = reader.address(true);
  return count === 1 && reader.skipComments() && reader.isAtEnd;
}

const SPECIALS: ReadonlySet<string> = new Set('()<>[]:;@\\,"');

function isVisible(char: string): boolean {
  return (char >= '!' && char <= '~') || char >= '\u0080';
}

function isBlank(char: string): boolean {
  return char === ' ' || char === '\t';
}

class AddressReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  get #next(): string {
    return this.#text[this.#at] ?? '';
  }

  /**
   * Reads an address or, with `groups`, a group. Returns the number of addresses read; undefined if there is no valid
   * address.
   */
  address(groups: boolean): number | undefined {
    this.#skipBlanks();
    if (this.isAtEnd) return undefined;
    const start = this.#at;
    if (this.#spec()) {
      this.#skipBlanks();
      return this.#take('(') && !this.#comment() ? undefined : 1;
    }
    this.#at = start;
    if (this.#next !== '<' && !this.#phrase()) return undefined;
    this.#skipBlanks();
    if (groups && this.#take(':')) return this.#group();
    return this.#take('<') && this.#spec() && this.#take('>') ? 1 : undefined;
  }

  /** Skips blanks and comments. Returns false if a comment is not closed. */
  skipComments(): boolean {
    this.#skipBlanks();
    while (this.#take('(')) {
      if (!this.#comment()) return false;
      this.#skipBlanks();
    }
    return true;
  }

  #group(): number | undefined {
    this.#skipBlanks();
    if (this.#take(';')) return this.skipComments() ? 0 : undefined;
    for (let count = 0; ; ) {
      this.#skipBlanks();
      const more = this.address(false);
      if (more === undefined || !this.skipComments()) return undefined;
      count += more;
      if (this.#take(';')) return this.skipComments() ? count : undefined;
      if (!this.#take(',')) return undefined;
    }
  }

  #spec(): boolean {
    this.#skipBlanks();
    const local = this.#next === '"' ? (this.#quoted() ?? 0) > 0 : this.#atom(false);
    if (!local || !this.#take('@')) return false;
    this.#skipBlanks();
    return this.#next === '[' ? this.#literal() : this.#atom(false);
  }

  #phrase(): boolean {
    for (let words = 0; ; words++) {
      if (words > 0 && !this.skipComments()) return false;
      this.#skipBlanks();
      if (this.isAtEnd) return true;
      const start = this.#at;
      if (this.#next === '"' ? this.#quoted() !== undefined : this.#atom(true)) continue;
      this.#at = start;
      return words > 0;
    }
  }

  /** Reads a quoted text. Returns its length; undefined if it is not closed or contains a control character. */
  #quoted(): number | undefined {
    let length = 0;
    for (this.#at++; !this.isAtEnd; this.#at++) {
      if (this.#take('"')) return length;
      if (this.#next === '\\') this.#at++;
      if (!isVisible(this.#next) && !isBlank(this.#next)) return undefined;
      length++;
    }
    return undefined;
  }

  /** Reads an atom with dots. `loose`: allows leading, trailing and repeated dots. */
  #atom(loose: boolean): boolean {
    const start = this.#at;
    while (!this.isAtEnd && isVisible(this.#next) && !SPECIALS.has(this.#next)) this.#at++;
    const atom = this.#text.slice(start, this.#at);
    return atom !== '' && (loose || !(atom.startsWith('.') || atom.includes('..') || atom.endsWith('.')));
  }

  #literal(): boolean {
    const close = this.#text.indexOf(']', this.#at);
    if (close < 0) return false;
    const inside = this.#text.slice(this.#at + 1, close);
    this.#at = close + 1;
    return ipVersion(inside, false) !== undefined;
  }

  /** Reads the rest of a comment after its opening parenthesis. */
  #comment(): boolean {
    for (let depth = 1; depth > 0; this.#at++) {
      if (this.isAtEnd) return false;
      if (this.#next === '\\' && this.#at + 1 < this.#text.length) this.#at++;
      else if (this.#next === '(') depth++;
      else if (this.#next === ')') depth--;
    }
    return true;
  }

  #take(char: string): boolean {
    if (this.#next !== char) return false;
    this.#at++;
    return true;
  }

  #skipBlanks(): void {
    while (isBlank(this.#next)) this.#at++;
  }
}
