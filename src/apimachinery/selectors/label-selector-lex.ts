/** The tokenizer of label selectors. It reads each character at most twice. The last token is `end`. */

export type SelectorTokenKind =
  | 'end'
  | ')'
  | ','
  | '!'
  | '=='
  | '='
  | '>'
  | '<'
  | '!='
  | '('
  | 'in'
  | 'notin'
  | 'identifier';

export interface SelectorToken {
  readonly kind: SelectorTokenKind;
  /** As written; '' for `end`. */
  readonly text: string;
}

const SYMBOLS = '=!(),><';
const SPACES = ' \t\r\n';

/**
 * All tokens of a selector. The reference treats NUL as the end of input: between tokens it ends the text, inside a
 * word or after a symbol it ends only that token.
 */
export function lexLabelSelector(text: string): SelectorToken[] {
  const tokens: SelectorToken[] = [];
  let at = 0;
  for (;;) {
    while (at < text.length && SPACES.includes(text[at] as string)) at++;
    const char = text[at];
    if (char === undefined || char === '\0') break;
    const token = SYMBOLS.includes(char) ? symbolAt(text, at) : wordAt(text, at);
    tokens.push(token);
    at += token.text.length;
    if (text[at] === '\0') at++;
  }
  tokens.push({ kind: 'end', text: '' });
  return tokens;
}

function symbolAt(text: string, at: number): SelectorToken {
  const char = text[at] as '=' | '!' | '(' | ')' | ',' | '>' | '<';
  if (text[at + 1] === '=' && char === '=') return { kind: '==', text: '==' };
  if (text[at + 1] === '=' && char === '!') return { kind: '!=', text: '!=' };
  return { kind: char, text: char };
}

function wordAt(text: string, start: number): SelectorToken {
  let end = start;
  while (end < text.length && !endsWord(text[end] as string)) end++;
  const word = text.slice(start, end);
  return { kind: word === 'in' || word === 'notin' ? word : 'identifier', text: word };
}

function endsWord(char: string): boolean {
  return char === '\0' || SYMBOLS.includes(char) || SPACES.includes(char);
}
