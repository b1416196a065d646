/**
 * The kinds of tokens. Invariant: they are numbered as in cel-go's grammar, because messages list what was expected in that order.
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

/** How messages name them, by kind. */
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
  /** Where it begins and ends, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** Where it begins, in code points. */
  readonly at: number;
}

/** `')'` of one kind, `{']', ','}` of more. */
export function formatExpected(kinds: ReadonlySet<TokenKind>): string {
  const names = [...kinds].sort((left, right) => left - right).map((kind) => NAMES[kind] ?? '');
  return names.length === 1 ? (names[0] ?? '') : `{${names.join(', ')}}`;
}

/** What an operand begins with, but for its signs. */
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

/** What an expression begins with. */
export const EXPR_FIRST: ReadonlySet<TokenKind> = new Set<TokenKind>([...MEMBER_FIRST, TOKEN.EXCLAM]);

/** What continues an expression. Wherever the parser gives up, it goes on from one of these. */
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
