/**
 * The YAML tokenizer, equal to goyaml v2 (libyaml). A key is recognised by the `:` after it, so tokens wait in a queue
 * until no key can begin at the first of them. Invariant: such a key fits into one line and 1024 characters, which
 * bounds the queue.
 */
import { isBlank, isBlankOrEnd, isBreak, YamlCursor, type YamlPosition, YamlSyntaxError } from './yaml-cursor.ts';
import { scanBlock, scanPlain, scanQuoted } from './yaml-scan-scalar.ts';
import { scanAnchor, scanDirective, scanTag, type YamlDirective, type YamlTag } from './yaml-scan-tag.ts';

/** The reference allows 10,000. The limit is lower here because functions that walk the value use the call stack. */
export const MAX_YAML_DEPTH = 1000;

export type YamlTokenType =
  | 'stream-end'
  | 'directive'
  | 'document-start'
  | 'document-end'
  | 'block-sequence-start'
  | 'block-mapping-start'
  | 'block-end'
  | 'flow-sequence-start'
  | 'flow-sequence-end'
  | 'flow-mapping-start'
  | 'flow-mapping-end'
  | 'flow-entry'
  | 'block-entry'
  | 'key'
  | 'value'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'scalar';

export interface YamlToken {
  readonly type: YamlTokenType;
  /** The line and the column of its first character, counted from 0. */
  readonly line: number;
  readonly column: number;
  /** The text of a scalar; the name of an anchor or alias. */
  readonly text: string;
  /** True for an unquoted scalar. */
  readonly plain: boolean;
  readonly tag: YamlTag | undefined;
  readonly directive: YamlDirective | undefined;
}

interface SimpleKey {
  possible: boolean;
  /** Whether this must be a key: it stands at the column of the keys of a block mapping. */
  required: boolean;
  /** The number of the token with which the key would begin. */
  token: number;
  position: number;
  line: number;
  column: number;
}

const MAX_KEY_LENGTH = 1024;
/** Consumed tokens are removed from the queue in bulk. */
const QUEUE_SLACK = 512;
/** The size of the reference's input buffer: a forbidden character is reported when its part of the text is read. */
const READ_SIZE = 512;
const NOWHERE: YamlPosition = { line: -1, column: -1 };
const UNREADABLE = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

const NO_PARTS = {};

export class YamlScanner {
  readonly #cursor: YamlCursor;
  /** The position at which the reference reports a forbidden character; infinite if there is none. */
  readonly #unreadable: number;
  #queue: YamlToken[] = [];
  #head = 0;
  #taken = 0;
  #ended = false;
  #flowLevel = 0;
  #indent = -1;
  readonly #indents: number[] = [];
  #keyAllowed = true;
  /** One entry for the block context and one for each open flow collection. */
  readonly #keys: SimpleKey[] = [{ possible: false, required: false, token: 0, position: 0, line: 0, column: 0 }];
  /** Possible keys by the number of their token. */
  readonly #keyAt: Map<number, SimpleKey> = new Map();

  constructor(text: string) {
    const body = text.startsWith('\ufeff') ? text.slice(1) : text;
    const bad = UNREADABLE.exec(body)?.index;
    this.#unreadable = bad === undefined ? Number.POSITIVE_INFINITY : bad - (bad % READ_SIZE) - 3;
    this.#cursor = new YamlCursor(bad === undefined ? body : body.slice(0, bad));
  }

  /**
   * The next token, which stays in the queue. After the last token it is always `stream-end`. Throws YamlSyntaxError.
   */
  peek(): YamlToken {
    while (this.#head === this.#queue.length || this.#mayBeKey()) this.#fetch();
    return this.#queue[this.#head] as YamlToken;
  }

  /** Consumes the token that `peek` returned. */
  skip(): void {
    if (this.#queue[this.#head]?.type === 'stream-end') return;
    this.#head++;
    this.#taken++;
    if (this.#head < QUEUE_SLACK) return;
    this.#queue = this.#queue.slice(this.#head);
    this.#head = 0;
  }

  #mayBeKey(): boolean {
    const key = this.#keyAt.get(this.#taken);
    return key !== undefined && this.#isValid(key);
  }

  #isValid(key: SimpleKey): boolean {
    if (!key.possible) return false;
    const { line, position } = this.#cursor;
    if (key.line === line && key.position + MAX_KEY_LENGTH >= position) return true;
    if (key.required) this.#cursor.fail("could not find expected ':'");
    this.#forget(key);
    return false;
  }

  #push(
    type: YamlTokenType,
    { line, column }: YamlPosition,
    parts: Partial<Pick<YamlToken, 'text' | 'plain' | 'tag' | 'directive'>> = NO_PARTS,
  ): void {
    const { text = '', plain = false, tag, directive } = parts;
    this.#queue.push({ type, line, column, text, plain, tag, directive });
  }

  /** The number of the next token. */
  #nextNumber(): number {
    return this.#taken + this.#queue.length - this.#head;
  }

  #insert(number: number, type: YamlTokenType, { line, column }: YamlPosition): void {
    const at = Math.max(this.#head + number - this.#taken, this.#head);
    this.#queue.splice(at, 0, { type, line, column, text: '', plain: false, tag: undefined, directive: undefined });
  }

  #fetch(): void {
    const cursor = this.#cursor;
    this.#passGap();
    if (cursor.position >= this.#unreadable || (cursor.code() === 0 && this.#unreadable < Number.POSITIVE_INFINITY))
      throw new YamlSyntaxError('control characters are not allowed', NOWHERE);
    this.#unroll(cursor.column);
    const c = cursor.code();
    if (c === 0) this.#fetchEnd();
    else if (!(cursor.column === 0 && this.#fetchDocumentPart(c)) && !this.#fetchIndicator(c)) this.#fetchNodePart(c);
  }

  #fetchNodePart(c: number): void {
    const cursor = this.#cursor;
    const inFlow = this.#flowLevel > 0;
    const { line, column } = cursor;
    const start: YamlPosition = { line, column };
    if (c === 0x2a || c === 0x26) {
      this.#begin();
      this.#push(c === 0x2a ? 'alias' : 'anchor', start, { text: scanAnchor(cursor) });
    } else if (c === 0x21) {
      this.#begin();
      this.#push('tag', start, { tag: scanTag(cursor) });
    } else if ((c === 0x7c || c === 0x3e) && !inFlow) {
      this.#dropKey();
      this.#keyAllowed = true;
      this.#push('scalar', start, { text: scanBlock(cursor, this.#indent) });
    } else if (c === 0x27 || c === 0x22) {
      this.#begin();
      this.#push('scalar', start, { text: scanQuoted(cursor, c) });
    } else if (this.#startsPlain(c)) {
      this.#begin();
      const scalar = scanPlain(cursor, this.#indent, inFlow);
      this.#push('scalar', start, { text: scalar.text, plain: true });
      if (scalar.endedLine) this.#keyAllowed = true;
    } else cursor.fail('found character that cannot start any token');
  }

  /** Consumes blanks, comments and line breaks. A tab is a blank only where no key may begin. */
  #passGap(): void {
    const cursor = this.#cursor;
    for (;;) {
      const tabs = this.#flowLevel > 0 || !this.#keyAllowed;
      for (let c = cursor.code(); c === 0x20 || (tabs && c === 0x09); c = cursor.code()) cursor.position++;
      cursor.passComment();
      if (!isBreak(cursor.code())) return;
      cursor.passBreak();
      if (this.#flowLevel === 0) this.#keyAllowed = true;
    }
  }

  #fetchEnd(): void {
    if (!this.#ended) this.#cursor.endLastLine();
    this.#ended = true;
    this.#unroll(-1);
    this.#dropKey();
    this.#keyAllowed = false;
    this.#push('stream-end', this.#cursor);
  }

  #fetchDocumentPart(c: number): boolean {
    const cursor = this.#cursor;
    const isMarker = (c === 0x2d || c === 0x2e) && cursor.isMarker(c);
    if (!isMarker && c !== 0x25) return false;
    this.#unroll(-1);
    this.#dropKey();
    this.#keyAllowed = false;
    const { line, column } = cursor;
    if (isMarker) {
      cursor.position += 3;
      this.#push(c === 0x2d ? 'document-start' : 'document-end', { line, column });
    } else this.#push('directive', { line, column }, { directive: scanDirective(cursor) });
    return true;
  }

  #fetchIndicator(c: number): boolean {
    const isAlone = isBlankOrEnd(this.#cursor.code(1));
    const inFlow = this.#flowLevel > 0;
    switch (c) {
      case 0x5b:
        return this.#openFlow('flow-sequence-start');
      case 0x7b:
        return this.#openFlow('flow-mapping-start');
      case 0x5d:
        return this.#closeFlow('flow-sequence-end');
      case 0x7d:
        return this.#closeFlow('flow-mapping-end');
      case 0x2c:
        this.#dropKey();
        this.#keyAllowed = true;
        return this.#passIndicator('flow-entry');
      case 0x2d:
        if (!isAlone) return false;
        if (!inFlow) this.#openBlock('block-sequence-start', 'block sequence entries are not allowed in this context');
        this.#dropKey();
        this.#keyAllowed = true;
        return this.#passIndicator('block-entry');
      case 0x3f:
        if (!inFlow && !isAlone) return false;
        if (!inFlow) this.#openBlock('block-mapping-start', 'mapping keys are not allowed in this context');
        this.#dropKey();
        this.#keyAllowed = !inFlow;
        return this.#passIndicator('key');
      case 0x3a:
        return inFlow || isAlone ? this.#fetchValue(inFlow) : false;
      default:
        return false;
    }
  }

  #passIndicator(type: YamlTokenType): true {
    this.#push(type, this.#cursor);
    this.#cursor.position++;
    return true;
  }

  #openFlow(type: YamlTokenType): true {
    this.#saveKey();
    const { position, line, column } = this.#cursor;
    this.#keys.push({ possible: false, required: false, token: this.#nextNumber(), position, line, column });
    if (++this.#flowLevel > MAX_YAML_DEPTH) this.#cursor.fail(`exceeded max depth of ${MAX_YAML_DEPTH}`);
    this.#keyAllowed = true;
    return this.#passIndicator(type);
  }

  #closeFlow(type: YamlTokenType): true {
    this.#dropKey();
    if (this.#flowLevel > 0) {
      this.#flowLevel--;
      // The key of an empty collection has the number of the bracket: the reference stops waiting for a `:` after it.
      this.#keyAt.delete((this.#keys.pop() as SimpleKey).token);
    }
    this.#keyAllowed = false;
    return this.#passIndicator(type);
  }

  #openBlock(type: YamlTokenType, misplaced: string): void {
    if (!this.#keyAllowed) this.#cursor.fail(misplaced);
    this.#roll(this.#cursor, this.#nextNumber(), type);
  }

  #fetchValue(inFlow: boolean): true {
    const key = this.#keys.at(-1) as SimpleKey;
    if (this.#isValid(key)) {
      this.#insert(key.token, 'key', key);
      this.#roll(key, key.token, 'block-mapping-start');
      this.#forget(key);
      this.#keyAllowed = false;
    } else {
      if (!inFlow) this.#openBlock('block-mapping-start', 'mapping values are not allowed in this context');
      this.#keyAllowed = !inFlow;
    }
    return this.#passIndicator('value');
  }

  #startsPlain(c: number): boolean {
    if (c === 0x2d) return !isBlank(this.#cursor.code(1));
    if (c === 0x3f || c === 0x3a) return this.#flowLevel === 0 && !isBlankOrEnd(this.#cursor.code(1));
    return !isBlankOrEnd(c) && !',[]{}#&*!|>\'"%@`'.includes(String.fromCharCode(c));
  }

  /** A node begins that may be a key. */
  #begin(): void {
    this.#saveKey();
    this.#keyAllowed = false;
  }

  #saveKey(): void {
    if (!this.#keyAllowed) return;
    this.#dropKey();
    const { position, line, column } = this.#cursor;
    const required = this.#flowLevel === 0 && this.#indent === column;
    const key: SimpleKey = { possible: true, required, token: this.#nextNumber(), position, line, column };
    this.#keys[this.#keys.length - 1] = key;
    this.#keyAt.set(key.token, key);
  }

  #dropKey(): void {
    const key = this.#keys.at(-1) as SimpleKey;
    if (!key.possible) return;
    if (key.required) this.#cursor.fail("could not find expected ':'");
    this.#forget(key);
  }

  #forget(key: SimpleKey): void {
    key.possible = false;
    this.#keyAt.delete(key.token);
  }

  #roll(at: YamlPosition, number: number, type: YamlTokenType): void {
    if (this.#flowLevel > 0 || this.#indent >= at.column) return;
    this.#indents.push(this.#indent);
    this.#indent = at.column;
    if (this.#indents.length > MAX_YAML_DEPTH) this.#cursor.fail(`exceeded max depth of ${MAX_YAML_DEPTH}`);
    this.#insert(number, type, at);
  }

  #unroll(column: number): void {
    if (this.#flowLevel > 0) return;
    while (this.#indent > column) {
      this.#push('block-end', this.#cursor);
      this.#indent = this.#indents.pop() as number;
    }
  }
}
