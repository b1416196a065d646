/**
 * The token stream of the parser, with error recovery. Messages and recovery follow ANTLR's default strategy, which
 * cel-go uses. After a syntax error no other one is reported until a token matches again, so that a mistake is reported
 * once.
 *
 * Invariant: recovery only moves forward, so that parsing terminates.
 */
import type { CelIssue } from '../ast.ts';
import { formatExpected, OPERATORS, TOKEN, type Token, type TokenKind } from './tokens.ts';

/** Parsing ends after this number of syntax errors. */
const MAX_REPORTS = 100;
/** Parsing ends after this number of recoveries. */
const MAX_RECOVERIES = 30;

/** Thrown out of a grammar rule after a syntax error was reported. The caller of the rule continues after `recover`. */
export class SyntaxFault {}

/** Thrown to end the parsing after an issue was reported. */
export class ParsingEnded {}

export class Cursor {
  readonly #source: string;
  readonly #tokens: readonly Token[];
  readonly #issues: CelIssue[];
  /** The tokens that may follow the open expressions, the innermost last. */
  readonly #follow: ReadonlySet<TokenKind>[] = [];
  readonly #end: Token;
  #index = 0;
  #recovering = false;
  #reports = 0;
  #recoveries = 0;

  /** `tokens` end with EOF. Syntax errors are added to `issues`. */
  constructor(source: string, tokens: readonly Token[], issues: CelIssue[]) {
    this.#source = source;
    this.#tokens = tokens;
    this.#issues = issues;
    this.#reports = issues.length;
    this.#end = tokens[tokens.length - 1] ?? { kind: TOKEN.EOF, start: 0, end: 0, at: 0 };
  }

  get token(): Token {
    return this.#tokens[this.#index] ?? this.#end;
  }

  /** The number of syntax errors so far. */
  get reports(): number {
    return this.#reports;
  }

  get kind(): TokenKind {
    return this.token.kind;
  }

  peek(ahead: number): Token {
    return this.#tokens[this.#index + ahead] ?? this.#end;
  }

  text(token: Token): string {
    return this.#source.slice(token.start, token.end);
  }

  /** Consumes and returns the current token, which the caller has checked. */
  take(): Token {
    const token = this.token;
    this.#recovering = false;
    this.#index++;
    return token;
  }

  /** Enters an expression that is followed by one of `kinds`. */
  open(kinds: ReadonlySet<TokenKind>): void {
    this.#follow.push(kinds);
  }

  close(): void {
    this.#follow.pop();
  }

  /** The number of open expressions, for `reopen` after a SyntaxFault. */
  get openCount(): number {
    return this.#follow.length;
  }

  reopen(count: number): void {
    this.#follow.length = count;
  }

  /**
   * Consumes a token of the given kind. Drops one extraneous token before it. Inserts a missing token if the current
   * one may follow it. Otherwise throws SyntaxFault.
   */
  match(kind: TokenKind, follows?: ReadonlySet<TokenKind>): Token {
    const token = this.token;
    if (token.kind === kind) return this.take();
    this.#countRecovery();
    if (token.kind !== TOKEN.EOF && this.peek(1).kind === kind) {
      this.report(`extraneous input ${this.#display(token)} expecting ${formatExpected(new Set([kind]))}`, token);
      this.#index++;
      return this.take();
    }
    if (this.#mayFollow(token.kind, follows)) {
      this.report(`missing ${formatExpected(new Set([kind]))} at ${this.#display(token)}`, token);
      return { kind, start: token.start, end: token.start, at: token.at };
    }
    return this.mismatch(new Set([kind]));
  }

  /**
   * Checks that the current token is one of `expected`, after dropping one extraneous token if necessary. Otherwise
   * throws SyntaxFault.
   */
  expect(expected: ReadonlySet<TokenKind>): void {
    const token = this.token;
    if (expected.has(token.kind)) return;
    if (token.kind !== TOKEN.EOF && expected.has(this.peek(1).kind)) {
      this.extraneous(expected);
      this.#index++;
      this.#recovering = false;
      return;
    }
    this.mismatch(expected);
  }

  extraneous(expected: ReadonlySet<TokenKind>): void {
    this.report(`extraneous input ${this.#display(this.token)} expecting ${formatExpected(expected)}`, this.token);
  }

  mismatch(expected: ReadonlySet<TokenKind>): never {
    const token = this.token;
    this.report(`mismatched input ${this.#display(token)} expecting ${formatExpected(expected)}`, token);
    throw new SyntaxFault();
  }

  /** Reports that no rule matches the tokens from the current one to the one `ahead`. */
  notViable(ahead: number): never {
    const last = this.peek(ahead);
    let text = this.text(this.token);
    for (let next = 1; next <= ahead; next++) {
      const gap = this.#source.slice(this.peek(next - 1).end, this.peek(next).start);
      text += gap.replace(/[^\t \r\n\f]+/g, '') + this.text(this.peek(next));
    }
    const reserved = /^.(true|false|null)$/.exec(text)?.[1];
    this.report(
      reserved === undefined
        ? `no viable alternative at input ${quote(text)}`
        : `mismatched input '${reserved}' expecting IDENTIFIER`,
      last,
    );
    throw new SyntaxFault();
  }

  report(message: string, token: Token): void {
    if (this.#recovering) return;
    this.#recovering = true;
    if (this.#reports++ >= MAX_REPORTS) {
      this.#issues.push({ message: `Syntax error: More than ${MAX_REPORTS} syntax errors`, at: token.at });
      throw new ParsingEnded();
    }
    this.#issues.push({ message: `Syntax error: ${message}`, at: token.at });
  }

  /** Skips tokens up to one that can continue an open expression, or one of `others`. */
  recover(others?: ReadonlySet<TokenKind>): void {
    this.#countRecovery();
    while (this.kind !== TOKEN.EOF && !this.#resumes(this.kind) && others?.has(this.kind) !== true) this.#index++;
  }

  #resumes(kind: TokenKind): boolean {
    return OPERATORS.has(kind) || this.#follow.some((kinds) => kinds.has(kind));
  }

  /**
   * True if a token may follow a missing one: one of `follows` or, after a closing token, one that continues or ends
   * the expression.
   */
  #mayFollow(kind: TokenKind, follows: ReadonlySet<TokenKind> | undefined): boolean {
    if (follows !== undefined) return follows.has(kind);
    if (OPERATORS.has(kind) || kind === TOKEN.DOT || kind === TOKEN.LBRACKET) return true;
    const enclosing = this.#follow[this.#follow.length - 1];
    return enclosing === undefined ? kind === TOKEN.EOF : enclosing.has(kind);
  }

  #countRecovery(): void {
    if (this.#recoveries++ < MAX_RECOVERIES) return;
    this.#recovering = false;
    this.report(`error recovery attempt limit exceeded: ${MAX_RECOVERIES}`, this.token);
    throw new ParsingEnded();
  }

  #display(token: Token): string {
    return token.kind === TOKEN.EOF ? "'<EOF>'" : quote(this.text(token));
  }
}

function quote(text: string): string {
  return `'${text.replace(/\t/g, '\\t').replace(/\n/g, '\\n').replace(/\r/g, '\\r')}'`;
}
