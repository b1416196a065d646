/**
 * The parser of list, map and object literals. A trailing comma is allowed. After each literal `ExprReader.height` is
 * the maximum height of its parts.
 */
import type { CelIssue, Expr, ListExpr, MapEntry, MapExpr, StructExpr, StructField } from '../ast.ts';
import { type Cursor, SyntaxFault } from './cursor.ts';
import { FIELD_NAME, kinds } from './grammar.ts';
import type { SyntaxOptions } from './parser-options.ts';
import { EXPR_FIRST, TOKEN, type TokenKind } from './tokens.ts';

/** The parser of the expressions inside a literal. */
export interface ExprReader {
  expr(): Expr;
  /** The height of the last expression that was read. */
  height: number;
}

const ELEMENT_FIRST = new Set<TokenKind>([...EXPR_FIRST, TOKEN.QUESTION]);
const FIELD_FIRST = kinds(TOKEN.QUESTION, TOKEN.IDENT, TOKEN.ESCAPED_IDENT);
const AFTER_ELEMENT = kinds(TOKEN.COMMA, TOKEN.RBRACKET);
const AFTER_ENTRY = kinds(TOKEN.COMMA, TOKEN.RBRACE);
const AFTER_KEY = kinds(TOKEN.COLON);

/**
 * Reads items with commas between brackets. `first` contains the tokens that an item can begin with, `after` the tokens
 * that can follow one.
 */
function readItems(
  cursor: Cursor,
  first: ReadonlySet<TokenKind>,
  after: ReadonlySet<TokenKind>,
  end: TokenKind,
  item: () => void,
): void {
  cursor.take();
  if (!first.has(cursor.kind) && !after.has(cursor.kind)) cursor.expect(new Set([...first, ...after]));
  if (first.has(cursor.kind)) {
    const open = cursor.openCount;
    cursor.open(after);
    try {
      item();
      while (cursor.kind === TOKEN.COMMA && first.has(cursor.peek(1).kind)) {
        cursor.take();
        item();
      }
    } catch (error) {
      if (!(error instanceof SyntaxFault)) throw error;
      cursor.reopen(open + 1);
      cursor.recover();
    }
    cursor.close();
  }
  cursor.expect(after);
  if (cursor.kind === TOKEN.COMMA) cursor.take();
  cursor.match(end);
}

/** Reads the `?` of an optional item. Returns false if there is none. */
function takeOptional(cursor: Cursor, options: SyntaxOptions, issues: CelIssue[]): boolean {
  if (cursor.kind !== TOKEN.QUESTION) return false;
  const { at } = cursor.take();
  if (!options.optionalSyntax) issues.push({ message: "unsupported syntax '?'", at });
  return true;
}

export function readList(reader: ExprReader, cursor: Cursor, options: SyntaxOptions, issues: CelIssue[]): ListExpr {
  const { at } = cursor.token;
  const elements: Expr[] = [];
  const optional: number[] = [];
  let height = 0;
  readItems(cursor, ELEMENT_FIRST, AFTER_ELEMENT, TOKEN.RBRACKET, () => {
    if (takeOptional(cursor, options, issues)) optional.push(elements.length);
    elements.push(reader.expr());
    height = Math.max(height, reader.height);
  });
  reader.height = height;
  return { kind: 'list', at, elements, optional };
}

export function readMap(reader: ExprReader, cursor: Cursor, options: SyntaxOptions, issues: CelIssue[]): MapExpr {
  const { at } = cursor.token;
  const entries: MapEntry[] = [];
  let height = 0;
  readItems(cursor, ELEMENT_FIRST, AFTER_ENTRY, TOKEN.RBRACE, () => {
    const optional = takeOptional(cursor, options, issues);
    cursor.open(AFTER_KEY);
    const key = reader.expr();
    height = Math.max(height, reader.height);
    cursor.close();
    const colon = cursor.match(TOKEN.COLON, EXPR_FIRST);
    const value = reader.expr();
    height = Math.max(height, reader.height);
    entries.push({ at: colon.at, key, value, optional });
  });
  reader.height = height;
  return { kind: 'map', at, entries };
}

/** True if an object literal follows: names separated by dots, then a brace. */
export function isObjectAhead(cursor: Cursor): boolean {
  let ahead = cursor.kind === TOKEN.DOT ? 1 : 0;
  while (cursor.peek(ahead).kind === TOKEN.IDENT) {
    const next = cursor.peek(ahead + 1).kind;
    if (next !== TOKEN.DOT) return next === TOKEN.LBRACE;
    ahead += 2;
  }
  return false;
}

export function readObject(reader: ExprReader, cursor: Cursor, options: SyntaxOptions, issues: CelIssue[]): StructExpr {
  let name = '';
  while (cursor.kind !== TOKEN.LBRACE) name += cursor.text(cursor.take());
  const { at } = cursor.token;
  const fields: StructField[] = [];
  let height = 0;
  readItems(cursor, FIELD_FIRST, AFTER_ENTRY, TOKEN.RBRACE, () => {
    const optional = takeOptional(cursor, options, issues);
    cursor.expect(FIELD_NAME);
    const token = cursor.take();
    const field = fieldName(cursor.text(token), token.at, options, issues);
    const colon = cursor.match(TOKEN.COLON, EXPR_FIRST);
    const value = reader.expr();
    height = Math.max(height, reader.height);
    fields.push({ at: colon.at, name: field, value, optional });
  });
  reader.height = height;
  return { kind: 'struct', at, name, fields };
}

/** The name of a field, which may be written in backquotes. */
export function fieldName(text: string, at: number, options: SyntaxOptions, issues: CelIssue[]): string {
  if (!text.startsWith('`')) return text;
  if (!options.escapedFields) issues.push({ message: "unsupported syntax: '`'", at });
  return text.slice(1, -1);
}
