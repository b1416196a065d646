/** The tables of the grammar: operators and their functions, reserved words, and sets of tokens. */
import { EXPR_FIRST, TOKEN, type TokenKind } from './tokens.ts';

/** Words that may be names of fields but not of variables and functions. */
export const RESERVED: ReadonlySet<string> = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
);

export const RELATIONS: ReadonlyMap<TokenKind, string> = new Map<TokenKind, string>([
  [TOKEN.EQUALS, '_==_'],
  [TOKEN.NOT_EQUALS, '_!=_'],
  [TOKEN.IN, '@in'],
  [TOKEN.LESS, '_<_'],
  [TOKEN.LESS_EQUALS, '_<=_'],
  [TOKEN.GREATER_EQUALS, '_>=_'],
  [TOKEN.GREATER, '_>_'],
]);

export const PRODUCTS: ReadonlyMap<TokenKind, string> = new Map<TokenKind, string>([
  [TOKEN.STAR, '_*_'],
  [TOKEN.SLASH, '_/_'],
  [TOKEN.PERCENT, '_%_'],
]);

export const SUMS: ReadonlyMap<TokenKind, string> = new Map<TokenKind, string>([
  [TOKEN.PLUS, '_+_'],
  [TOKEN.MINUS, '_-_'],
]);

export function kinds(...list: readonly TokenKind[]): ReadonlySet<TokenKind> {
  return new Set(list);
}

export const AT_END: ReadonlySet<TokenKind> = kinds(TOKEN.EOF);
export const AT_COLON: ReadonlySet<TokenKind> = kinds(TOKEN.COLON);
export const AT_RPAREN: ReadonlySet<TokenKind> = kinds(TOKEN.RPAREN);
export const AT_RBRACKET: ReadonlySet<TokenKind> = kinds(TOKEN.RBRACKET);
export const AFTER_ARG: ReadonlySet<TokenKind> = kinds(TOKEN.COMMA, TOKEN.RPAREN);
export const ARG_OR_END: ReadonlySet<TokenKind> = new Set<TokenKind>([...EXPR_FIRST, TOKEN.RPAREN]);
export const INDEX_FIRST: ReadonlySet<TokenKind> = new Set<TokenKind>([...EXPR_FIRST, TOKEN.QUESTION]);
export const FIELD_NAME: ReadonlySet<TokenKind> = kinds(TOKEN.IDENT, TOKEN.ESCAPED_IDENT);
export const CONTINUES_MEMBER: ReadonlySet<TokenKind> = kinds(TOKEN.DOT, TOKEN.LBRACKET);
