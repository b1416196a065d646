/**
 * The kinds of tokens. They have the numbers of cel-go's grammar, because messages list expected tokens in this order.
 */

export const TOKEN = {
  EOF: 0,
  EQUALS: 1,
  NOT_EQUALS: 2,
  IN: 3,
  LESS: 4,
  LESS_EQUALS: 5,
  GREATER_EQUALS: 6,
  GREATER: 7,
  AND: 8,
  OR: 9,
  LBRACKET: 10,
  RBRACKET: 11,
  LBRACE: 12,
  RBRACE: 13,
  LPAREN: 14,
  RPAREN: 15,
  DOT: 16,
  COMMA: 17,
  MINUS: 18,
  EXCLAM: 19,
  QUESTION: 20,
  COLON: 21,
  PLUS: 22,
  STAR: 23,
  SLASH: 24,
  PERCENT: 25,
  TRUE: 26,
  FALSE: 27,
  NULL: 28,
  FLOAT: 29,
  INT: 30,
  UINT: 31,
  STRING: 32,
  BYTES: 33,
  IDENT: 34,
  ESCAPED_IDENT: 35,
} as const;

export type TokenKind = (typeof TOKEN)[keyof typeof TOKEN];

/** The names of tokens in messages, by kind. */
const NAMES: readonly string[] = [
  '<EOF>',
  "'=='",
  "'!='",
  "'in'",
  "'<'",
  "'<='",
  "'>='",
  "'>'",
  "'&&'",
  "'||'",
  "'['",
  "']'",
  "'{'",
  "'}'",
  "'('",
  "')'",
  "'.'",
  "','",
  "'-'",
  "'!'",
  "'?'",
  "':'",
  "'+'",
  "'*'",
  "'/'",
  "'%'",
  "'true'",
  "'false'",
  "'null'",
  'NUM_FLOAT',
  'NUM_INT',
  'NUM_UINT',
  'STRING',
  'BYTES',
  'IDENTIFIER',
  'ESC_IDENTIFIER',
];

export interface Token {
  readonly kind: TokenKind;
  /** The start and the end, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** The start, in code points. */
  readonly at: number;
}

/** Formats expected tokens: `')'` for one, `{']', ','}` for several. */
export function formatExpected(kinds: ReadonlySet<TokenKind>): string {
  const names = [...kinds].sort((left, right) => left - right).map((kind) => NAMES[kind] ?? '');
  return names.length === 1 ? (names[0] ?? '') : `{${names.join(', ')}}`;
}

/** The tokens that can begin an operand after its signs. */
export const MEMBER_FIRST: ReadonlySet<TokenKind> = new Set<TokenKind>([
  TOKEN.LBRACKET,
  TOKEN.LBRACE,
  TOKEN.LPAREN,
  TOKEN.DOT,
  TOKEN.MINUS,
  TOKEN.TRUE,
  TOKEN.FALSE,
  TOKEN.NULL,
  TOKEN.FLOAT,
  TOKEN.INT,
  TOKEN.UINT,
  TOKEN.STRING,
  TOKEN.BYTES,
  TOKEN.IDENT,
]);

/** The tokens that can begin an expression. */
export const EXPR_FIRST: ReadonlySet<TokenKind> = new Set<TokenKind>([...MEMBER_FIRST, TOKEN.EXCLAM]);

/** The tokens that can continue an expression. Error recovery stops at them. */
export const OPERATORS: ReadonlySet<TokenKind> = new Set<TokenKind>([
  TOKEN.EQUALS,
  TOKEN.NOT_EQUALS,
  TOKEN.IN,
  TOKEN.LESS,
  TOKEN.LESS_EQUALS,
  TOKEN.GREATER_EQUALS,
  TOKEN.GREATER,
  TOKEN.AND,
  TOKEN.OR,
  TOKEN.MINUS,
  TOKEN.QUESTION,
  TOKEN.PLUS,
  TOKEN.STAR,
  TOKEN.SLASH,
  TOKEN.PERCENT,
]);
