/**
 * The lexer. It reports and skips characters that belong to no token.
 *
 * Invariant: the tokens of every source end with EOF.
 */
import type { CelIssue } from '../ast.ts';
import { scanQuoted } from './quoted.ts';
import { TOKEN, type Token, type TokenKind } from './tokens.ts';

const MAX_ISSUES = 100;

const SINGLE: Readonly<Record<string, TokenKind>> = {
  '[': TOKEN.LBRACKET,
  ']': TOKEN.RBRACKET,
  '{': TOKEN.LBRACE,
  '}': TOKEN.RBRACE,
  '(': TOKEN.LPAREN,
  ')': TOKEN.RPAREN,
  '.': TOKEN.DOT,
  ',': TOKEN.COMMA,
  '-': TOKEN.MINUS,
  '?': TOKEN.QUESTION,
  ':': TOKEN.COLON,
  '+': TOKEN.PLUS,
  '*': TOKEN.STAR,
  '/': TOKEN.SLASH,
  '%': TOKEN.PERCENT,
};

const WORDS: ReadonlyMap<string, TokenKind> = new Map<string, TokenKind>([
  ['in', TOKEN.IN],
  ['true', TOKEN.TRUE],
  ['false', TOKEN.FALSE],
  ['null', TOKEN.NULL],
]);

/** Sticky patterns match only at their `lastIndex`. None of them backtracks far. */
const BLANK = /[\t \r\n\f]+/y;
const COMMENT = /\/\/[^\n]*/y;
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER =
  /0x[0-9a-fA-F]+([uU])?|(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)()|\d+([uU])?/y;
const ESCAPED = /`[A-Za-z0-9_.\-/ ]+`/y;

function endOf(pattern: RegExp, source: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(source) ? pattern.lastIndex : undefined;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isWordStart(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
}

/** The end of a token, or the position of the character at which no token matches. */
type Scan = { readonly kind: TokenKind; readonly end: number } | { readonly failsAt: number };

function scanNumber(source: string, from: number): Scan {
  NUMBER.lastIndex = from;
  const match = NUMBER.exec(source);
  if (match === null) return { kind: TOKEN.DOT, end: from + 1 };
  const kind =
    match[2] !== undefined ? TOKEN.FLOAT : match[1] !== undefined || match[3] !== undefined ? TOKEN.UINT : TOKEN.INT;
  return { kind, end: NUMBER.lastIndex };
}

/** Scans a word, or a literal with a prefix: `r""`, `b''`, `br""`. */
function scanWord(source: string, from: number): Scan {
  const prefix = /^(?:[rR]|[bB][rR]?)(?=["'])/.exec(source.slice(from, from + 3))?.[0] ?? '';
  if (prefix !== '') {
    const raw = /[rR]/.test(prefix);
    const scan = scanQuoted(source, from + prefix.length, raw);
    if (scan.ok) return { kind: /[bB]/.test(prefix) ? TOKEN.BYTES : TOKEN.STRING, end: scan.end };
  }
  const end = endOf(WORD, source, from) ?? from + 1;
  return { kind: WORDS.get(source.slice(from, end)) ?? TOKEN.IDENT, end };
}

/** Scans an operator of one or two characters. `alone` is the token of the first character alone, if there is one. */
function scanPair(source: string, from: number, second: string, pair: TokenKind, alone: TokenKind | undefined): Scan {
  if (source.startsWith(second, from + 1)) return { kind: pair, end: from + 2 };
  return alone === undefined ? { failsAt: from + 1 } : { kind: alone, end: from + 1 };
}

function scanToken(source: string, from: number): Scan {
  const code = source.charCodeAt(from);
  if (isWordStart(code)) return scanWord(source, from);
  if (isDigit(code) || (code === 46 && isDigit(source.charCodeAt(from + 1)))) return scanNumber(source, from);
  const char = source.charAt(from);
  switch (char) {
    case '=':
      return scanPair(source, from, '=', TOKEN.EQUALS, undefined);
    case '!':
      return scanPair(source, from, '=', TOKEN.NOT_EQUALS, TOKEN.EXCLAM);
    case '<':
      return scanPair(source, from, '=', TOKEN.LESS_EQUALS, TOKEN.LESS);
    case '>':
      return scanPair(source, from, '=', TOKEN.GREATER_EQUALS, TOKEN.GREATER);
    case '&':
      return scanPair(source, from, '&', TOKEN.AND, undefined);
    case '|':
      return scanPair(source, from, '|', TOKEN.OR, undefined);
    case '"':
    case "'": {
      const scan = scanQuoted(source, from, false);
      return scan.ok ? { kind: TOKEN.STRING, end: scan.end } : { failsAt: scan.failsAt };
    }
    case '`': {
      const end = endOf(ESCAPED, source, from);
      if (end !== undefined) return { kind: TOKEN.ESCAPED_IDENT, end };
      return { failsAt: endOf(/`[A-Za-z0-9_.\-/ ]*/y, source, from) ?? from };
    }
    default: {
      const kind = SINGLE[char];
      return kind === undefined ? { failsAt: from } : { kind, end: from + 1 };
    }
  }
}

function hasPairs(source: string): boolean {
  return /[\ud800-\udbff]/.test(source);
}

function unitsAt(source: string, index: number): number {
  return (source.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}

/** Adds at most a hundred syntax errors to `issues`. */
export function tokenize(source: string, issues: CelIssue[]): readonly Token[] {
  const tokens: Token[] = [];
  const pairs = hasPairs(source);
  // The number of UTF-16 units minus the number of code points, up to `counted`.
  let extra = 0;
  let counted = 0;
  const codePoint = (index: number): number => {
    if (!pairs) return index;
    while (counted < index) {
      const units = unitsAt(source, counted);
      extra += units - 1;
      counted += units;
    }
    return index - extra;
  };
  let index = 0;
  while (index < source.length) {
    const code = source.charCodeAt(index);
    const skipped =
      code <= 32
        ? endOf(BLANK, source, index)
        : code === 47 && source.charCodeAt(index + 1) === 47
          ? endOf(COMMENT, source, index)
          : undefined;
    if (skipped !== undefined) {
      index = skipped;
      continue;
    }
    const scan = scanToken(source, index);
    if ('end' in scan) {
      tokens.push({ kind: scan.kind, start: index, end: scan.end, at: codePoint(index) });
      index = scan.end;
    } else {
      const end = scan.failsAt < source.length ? scan.failsAt + unitsAt(source, scan.failsAt) : source.length;
      if (issues.length < MAX_ISSUES) {
        const message = `Syntax error: token recognition error at: '${source.slice(index, end)}'`;
        issues.push({ message, at: codePoint(index) });
      }
      index = end;
    }
  }
  tokens.push({ kind: TOKEN.EOF, start: source.length, end: source.length, at: codePoint(source.length) });
  return tokens;
}
