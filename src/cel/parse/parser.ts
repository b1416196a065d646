/**
 * The parser, a recursive descent parser that expands macros. It creates the same tree as cel-go with the same
 * positions: chains of `&&` and `||` are balanced, and an even number of signs is dropped.
 *
 * Invariant: the depth of the recursion is limited for every source.
 */
import { countCodePoints } from '../../base/utf8.ts';
import type { CallExpr, CelIssue, Expr } from '../ast.ts';
import { type ExprReader, fieldName, isObjectAhead, readList, readMap, readObject } from './collections.ts';
import { Cursor, ParsingEnded, SyntaxFault } from './cursor.ts';
import { MacroExpander } from './expand-macros.ts';
import {
  AFTER_ARG,
  ARG_OR_END,
  AT_COLON,
  AT_END,
  AT_RBRACKET,
  AT_RPAREN,
  CONTINUES_MEMBER,
  FIELD_NAME,
  INDEX_FIRST,
  PRODUCTS,
  RELATIONS,
  RESERVED,
  SUMS,
} from './grammar.ts';
import { tokenize } from './lexer.ts';
import { readLiteral } from './literals.ts';
import { balance, callAt, identAt, literalAt } from './nodes.ts';
import type { ParseResult, ParserOptions } from './parser-options.ts';
import { EXPR_FIRST, MEMBER_FIRST, TOKEN, type TokenKind } from './tokens.ts';

/** cel-go's default limits. */
const MAX_DEPTH = 250;
const MAX_CODE_POINTS = 100_000;

export function parse(source: string, options: ParserOptions): ParseResult {
  const size = source.length > MAX_CODE_POINTS ? countCodePoints(source) : source.length;
  if (size > MAX_CODE_POINTS) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${MAX_CODE_POINTS}`;
    return { ok: false, issues: [{ message, at: -1 }] };
  }
  return new Parser(source, options).parse();
}

class Parser implements ExprReader {
  readonly #options: ParserOptions;
  readonly #issues: CelIssue[] = [];
  readonly #macros: MacroExpander;
  readonly #cursor: Cursor;
  /** The nesting depths of the recursive grammar rules. */
  #expressions = 0;
  #relations = 0;
  #sums = 0;
  /** The nesting depth of operators, selections and calls in the last expression that was parsed. */
  height = 0;

  constructor(source: string, options: ParserOptions) {
    this.#options = options;
    this.#macros = new MacroExpander(options.macros, this.#issues);
    this.#cursor = new Cursor(source, tokenize(source, this.#issues), this.#issues);
  }

  parse(): ParseResult {
    const expr = this.#start();
    if (this.#issues.length === 0 && expr !== undefined) return { ok: true, expr };
    return { ok: false, issues: this.#issues.sort((left, right) => left.at - right.at) };
  }

  #start(): Expr | undefined {
    try {
      this.#cursor.open(AT_END);
      const expr = this.expr();
      this.#cursor.match(TOKEN.EOF, new Set());
      return expr;
    } catch (error) {
      if (error instanceof SyntaxFault || error instanceof ParsingEnded) return undefined;
      throw error;
    }
  }

  #end(message: string): never {
    this.#issues.push({ message, at: -1 });
    throw new ParsingEnded();
  }

  #enter(depth: number): number {
    if (depth >= MAX_DEPTH) this.#end(`expression recursion limit exceeded: ${MAX_DEPTH}`);
    return depth + 1;
  }

  /** Sets the height of an expression from the maximum height of its parts. */
  #raise(height: number): void {
    this.height = height + 1;
    if (this.height > MAX_DEPTH) this.#end('max recursion depth exceeded');
  }

  /** A placeholder for an expression with a syntax error. A tree that contains it is never returned. */
  #placeholder(): Expr {
    this.height = 0;
    return literalAt(this.#cursor.token.at, { type: 'null' });
  }

  expr(): Expr {
    const cursor = this.#cursor;
    this.#expressions = this.#enter(this.#expressions);
    const open = cursor.openCount;
    let expr: Expr;
    try {
      expr = this.#ternary();
    } catch (error) {
      if (!(error instanceof SyntaxFault)) throw error;
      cursor.reopen(open);
      cursor.recover();
      expr = this.#placeholder();
    }
    this.#expressions--;
    return expr;
  }

  #ternary(): Expr {
    const cursor = this.#cursor;
    const condition = this.#or();
    if (cursor.kind !== TOKEN.QUESTION) return condition;
    const { at } = cursor.take();
    let height = this.height;
    cursor.open(AT_COLON);
    const yes = this.#or();
    height = Math.max(height, this.height);
    cursor.close();
    cursor.match(TOKEN.COLON, EXPR_FIRST);
    const no = this.expr();
    this.#raise(Math.max(height, this.height));
    return callAt(at, '_?_:_', condition, yes, no);
  }

  #or(): Expr {
    return this.#chain(TOKEN.OR, '_||_', () => this.#chain(TOKEN.AND, '_&&_', () => this.#relation()));
  }

  #chain(operator: TokenKind, name: string, term: () => Expr): Expr {
    const first = term();
    if (this.#cursor.kind !== operator) return first;
    let height = this.height;
    const terms = [first];
    const positions: number[] = [];
    while (this.#cursor.kind === operator) {
      positions.push(this.#cursor.take().at);
      terms.push(term());
      height = Math.max(height, this.height);
    }
    this.height = height;
    return balance(name, terms, positions, 0, positions.length - 1);
  }

  #relation(): Expr {
    this.#relations = this.#enter(this.#relations);
    let left = this.#sum(1);
    for (let name = RELATIONS.get(this.#cursor.kind); name !== undefined; name = RELATIONS.get(this.#cursor.kind)) {
      const height = this.height;
      const { at } = this.#cursor.take();
      this.#relations = this.#enter(this.#relations);
      const right = this.#sum(1);
      this.#relations--;
      this.#raise(Math.max(height, this.height));
      left = callAt(at, name, left, right);
    }
    this.#relations--;
    return left;
  }

  /** Parses sums and products. Precedence 1 accepts both, 2 only products, 3 neither. */
  #sum(precedence: 1 | 2 | 3): Expr {
    this.#sums = this.#enter(this.#sums);
    let left = this.#unary();
    for (;;) {
      const product = precedence <= 2 ? PRODUCTS.get(this.#cursor.kind) : undefined;
      const name = product ?? (precedence === 1 ? SUMS.get(this.#cursor.kind) : undefined);
      if (name === undefined) break;
      const height = this.height;
      const { at } = this.#cursor.take();
      const right = this.#sum(product === undefined ? 2 : 3);
      this.#raise(Math.max(height, this.height));
      left = callAt(at, name, left, right);
    }
    this.#sums--;
    return left;
  }

  #unary(): Expr {
    const cursor = this.#cursor;
    const open = cursor.openCount;
    try {
      cursor.expect(EXPR_FIRST);
      if (cursor.kind === TOKEN.EXCLAM) return this.#signs(TOKEN.EXCLAM, '!_');
      if (cursor.kind !== TOKEN.MINUS) return this.#member();
      const next = cursor.peek(1).kind;
      if (next === TOKEN.INT || next === TOKEN.FLOAT) return this.#member();
      return this.#signs(TOKEN.MINUS, '-_');
    } catch (error) {
      if (!(error instanceof SyntaxFault)) throw error;
      cursor.reopen(open);
      cursor.recover();
      return this.#placeholder();
    }
  }

  #signs(sign: TokenKind, name: string): Expr {
    const cursor = this.#cursor;
    const { at } = cursor.token;
    let count = 0;
    while (cursor.kind === sign) {
      if (sign === TOKEN.MINUS && !MEMBER_FIRST.has(cursor.peek(1).kind)) cursor.notViable(1);
      cursor.take();
      count++;
    }
    if (!MEMBER_FIRST.has(cursor.kind)) cursor.extraneous(EXPR_FIRST);
    const operand = this.#member();
    return count % 2 === 0 ? operand : callAt(at, name, operand);
  }

  #member(): Expr {
    const cursor = this.#cursor;
    let operand = this.#primary();
    for (;;) {
      if (cursor.kind === TOKEN.LBRACKET) operand = this.#index(operand);
      else if (cursor.kind !== TOKEN.DOT) return operand;
      else if (cursor.peek(1).kind === TOKEN.IDENT && cursor.peek(2).kind === TOKEN.LPAREN) {
        operand = this.#method(operand);
      } else operand = this.#select(operand);
    }
  }

  #select(operand: Expr): Expr {
    const cursor = this.#cursor;
    const height = this.height;
    const next = cursor.peek(1).kind;
    const optional = next === TOKEN.QUESTION;
    if (!optional && !FIELD_NAME.has(next)) cursor.notViable(1);
    const dot = cursor.take();
    if (optional) {
      cursor.take();
      cursor.expect(FIELD_NAME);
    }
    const name = cursor.take();
    const field = fieldName(cursor.text(name), name.at, this.#options, this.#issues);
    this.#raise(height);
    if (!optional) return { kind: 'select', at: dot.at, operand, field, test: false };
    if (!this.#options.optionalSyntax) this.#issues.push({ message: "unsupported syntax '.?'", at: dot.at });
    return callAt(dot.at, '_?._', operand, literalAt(name.at, { type: 'string', value: field }));
  }

  #index(operand: Expr): Expr {
    const cursor = this.#cursor;
    const height = this.height;
    const { at } = cursor.take();
    cursor.expect(INDEX_FIRST);
    const optional = cursor.kind === TOKEN.QUESTION;
    if (optional) {
      cursor.take();
      if (!this.#options.optionalSyntax) this.#issues.push({ message: "unsupported syntax '[?'", at });
    }
    cursor.open(AT_RBRACKET);
    const index = this.expr();
    this.#raise(Math.max(height, this.height));
    cursor.close();
    cursor.match(TOKEN.RBRACKET);
    return callAt(at, optional ? '_[?_]' : '_[_]', operand, index);
  }

  #method(target: Expr): Expr {
    const cursor = this.#cursor;
    const height = this.height;
    cursor.take();
    const name = cursor.text(cursor.take());
    const { at } = cursor.token;
    const { reports } = cursor;
    const args = this.#args();
    this.#raise(Math.max(height, this.height));
    return this.#expand({ kind: 'call', at, name, target, args }, reports);
  }

  /** Parses arguments with their parentheses. */
  #args(): readonly Expr[] {
    const cursor = this.#cursor;
    cursor.take();
    cursor.expect(ARG_OR_END);
    const args: Expr[] = [];
    let height = 0;
    if (cursor.kind !== TOKEN.RPAREN) {
      cursor.open(AFTER_ARG);
      for (;;) {
        args.push(this.expr());
        height = Math.max(height, this.height);
        if (cursor.kind !== TOKEN.COMMA) break;
        cursor.take();
      }
      cursor.close();
    }
    cursor.match(TOKEN.RPAREN);
    this.height = height;
    return args;
  }

  #primary(): Expr {
    const cursor = this.#cursor;
    const open = cursor.openCount;
    try {
      switch (cursor.kind) {
        case TOKEN.LPAREN: {
          cursor.take();
          cursor.open(AT_RPAREN);
          const expr = this.expr();
          cursor.close();
          cursor.match(TOKEN.RPAREN);
          return expr;
        }
        case TOKEN.LBRACKET:
          return readList(this, cursor, this.#options, this.#issues);
        case TOKEN.LBRACE:
          return readMap(this, cursor, this.#options, this.#issues);
        case TOKEN.DOT:
        case TOKEN.IDENT:
          return this.#name();
        default:
          return this.#literal();
      }
    } catch (error) {
      if (!(error instanceof SyntaxFault)) throw error;
      cursor.reopen(open);
      cursor.recover(CONTINUES_MEMBER);
      return this.#placeholder();
    }
  }

  /** Parses a name, a function call or an object: `a`, `.a`, `f(x)`, `a.b.C{d: e}`. */
  #name(): Expr {
    const cursor = this.#cursor;
    const rooted = cursor.kind === TOKEN.DOT;
    const first = cursor.token;
    if (rooted && cursor.peek(1).kind !== TOKEN.IDENT) cursor.notViable(1);
    if (isObjectAhead(cursor)) return readObject(this, cursor, this.#options, this.#issues);
    if (rooted) cursor.take();
    const token = cursor.take();
    const word = cursor.text(token);
    const name = rooted ? `.${word}` : word;
    const reserved = RESERVED.has(word);
    if (reserved) this.#issues.push({ message: `reserved identifier: ${word}`, at: first.at });
    if (cursor.kind !== TOKEN.LPAREN) {
      this.height = 0;
      return reserved ? literalAt(first.at, { type: 'null' }) : identAt(token.at, name);
    }
    const { at } = cursor.token;
    const { reports } = cursor;
    return this.#expand({ kind: 'call', at, name, target: undefined, args: this.#args() }, reports);
  }

  #literal(): Expr {
    const cursor = this.#cursor;
    const { at } = cursor.token;
    const negative = cursor.kind === TOKEN.MINUS;
    if (negative) {
      const next = cursor.peek(1).kind;
      if (next !== TOKEN.INT && next !== TOKEN.FLOAT) cursor.notViable(1);
      cursor.take();
    }
    if (!MEMBER_FIRST.has(cursor.kind)) cursor.mismatch(EXPR_FIRST);
    const token = cursor.take();
    this.height = 0;
    const read = readLiteral(token.kind, cursor.text(token), negative);
    if (read.ok) return literalAt(at, read.value);
    this.#issues.push({ message: read.message, at });
    return this.#placeholder();
  }

  /**
   * Expands a macro call, unless it contains a syntax error. `reports` is the number of syntax errors before the call.
   */
  #expand(call: CallExpr, reports: number): Expr {
    return this.#cursor.reports > reports ? call : this.#macros.expand(call);
  }
}
