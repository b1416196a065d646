/**
 * The parser of label selectors: `app in (a,b),!old,tier=web`. Parsing is linear and never throws; messages are the
 * reference's.
 */
import { formatIssue, formatIssues } from '../validation/field-issue.ts';
import type { FieldPath } from '../validation/field-path.ts';
import {
  type LabelOperator,
  type LabelRequirement,
  type LabelSelector,
  labelKeyIssue,
  labelSelectorOf,
  validateRequirement,
} from './label-selector.ts';
import { lexLabelSelector, type SelectorToken, type SelectorTokenKind } from './label-selector-lex.ts';

export type LabelSelectorResult =
  | { readonly ok: true; readonly selector: LabelSelector }
  | { readonly ok: false; readonly message: string };

/**
 * Parses a selector. The empty text selects everything. `path` is the start of paths in messages, for a text that is
 * part of an object.
 */
export function parseLabelSelector(text: string, path?: FieldPath): LabelSelectorResult {
  const reader = new TokenReader(lexLabelSelector(text));
  const requirements: LabelRequirement[] = [];
  for (;;) {
    const next = reader.peekValue();
    if (next.kind === 'end') break;
    if (!beginsRequirement(next)) return bad(`found '${next.text}', expected: !, identifier, or 'end of string'`);
    const requirement = parseRequirement(reader, path);
    if (typeof requirement === 'string') return bad(`unable to parse requirement: ${requirement}`);
    requirements.push(requirement);
    const separator = reader.nextValue();
    if (separator.kind === 'end') break;
    if (separator.kind !== ',') return bad(`found '${separator.text}', expected: ',' or 'end of string'`);
    const following = reader.peekValue();
    if (!beginsRequirement(following)) return bad(`found '${following.text}', expected: identifier after ','`);
  }
  return { ok: true, selector: labelSelectorOf(requirements) };
}

function bad(message: string): LabelSelectorResult {
  return { ok: false, message };
}

function beginsRequirement(token: SelectorToken): boolean {
  return token.kind === 'identifier' || token.kind === '!';
}

/** Reads tokens. The last one, `end`, is never consumed. */
class TokenReader {
  readonly #tokens: readonly SelectorToken[];
  #at = 0;

  constructor(tokens: readonly SelectorToken[]) {
    this.#tokens = tokens;
  }

  /** The next token, where an operator may stand. */
  next(): SelectorToken {
    const token = this.#tokens[this.#at] as SelectorToken;
    if (token.kind !== 'end') this.#at++;
    return token;
  }

  /** The next token, where `in` and `notin` are ordinary words. */
  nextValue(): SelectorToken {
    return asWord(this.next());
  }

  peekValue(): SelectorToken {
    return asWord(this.#tokens[this.#at] as SelectorToken);
  }
}

function asWord(token: SelectorToken): SelectorToken {
  return token.kind === 'in' || token.kind === 'notin' ? { kind: 'identifier', text: token.text } : token;
}

/** Returns a requirement or the message of its problem. */
function parseRequirement(reader: TokenReader, path: FieldPath | undefined): LabelRequirement | string {
  let token = reader.nextValue();
  const negated = token.kind === '!';
  if (negated) token = reader.nextValue();
  if (token.kind !== 'identifier') return `found '${token.text}', expected: identifier`;
  const key = token.text;
  const keyIssue = labelKeyIssue(key, path);
  if (keyIssue !== undefined) return formatIssue(keyIssue);
  if (negated) return checked({ key, operator: '!', values: [] }, path);
  if (endsRequirement(reader.peekValue())) return checked({ key, operator: 'exists', values: [] }, path);
  const operatorToken = reader.next();
  const operator = BINARY_OPERATORS[operatorToken.kind];
  if (operator === undefined) return `found '${operatorToken.text}', expected: in, notin, =, ==, !=, gt, lt`;
  const values = operator === 'in' || operator === 'notin' ? parseValues(reader) : parseValue(reader);
  if (typeof values === 'string') return values;
  return checked({ key, operator, values }, path);
}

const BINARY_OPERATORS: Readonly<Partial<Record<SelectorTokenKind, LabelOperator>>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
};

function endsRequirement(token: SelectorToken): boolean {
  return token.kind === 'end' || token.kind === ',';
}

function checked(requirement: LabelRequirement, path: FieldPath | undefined): LabelRequirement | string {
  const issues = validateRequirement(requirement, path);
  return issues.length === 0 ? requirement : formatIssues(issues);
}

function parseValue(reader: TokenReader): readonly string[] | string {
  if (endsRequirement(reader.peekValue())) return [''];
  const token = reader.nextValue();
  return token.kind === 'identifier' ? [token.text] : `found '${token.text}', expected: identifier`;
}

/** Parses `(a,b)`. A missing value is '': `()`, `(,a)`, `(a,)`, `(a,,b)`. */
function parseValues(reader: TokenReader): readonly string[] | string {
  const open = reader.nextValue();
  if (open.kind !== '(') return `found '${open.text}' expected: '('`;
  const first = reader.peekValue();
  if (first.kind === ')') {
    reader.next();
    return [''];
  }
  if (first.kind !== 'identifier' && first.kind !== ',')
    return `found '${first.text}', expected: ',', ')' or identifier`;
  const values = new Set<string>();
  for (;;) {
    const token = reader.nextValue();
    const after = reader.peekValue();
    if (token.kind === 'identifier') {
      values.add(token.text);
      if (after.kind !== ',' && after.kind !== ')') return `found '${after.text}', expected: ',' or ')'`;
    } else if (token.kind === ',') {
      if (values.size === 0 || after.kind === ',' || after.kind === ')') values.add('');
    } else return `found '${token.text}', expected: ',', or identifier`;
    if (after.kind === ')') {
      reader.next();
      return [...values].sort();
    }
  }
}
