/**
 * Field selectors: `metadata.name=a,spec.nodeName!=b`. Terms are sorted by their text, a term without field and value
 * is dropped, and an absent field counts as empty. Parsing is linear and never throws; messages are the reference's.
 */
import { compareUtf8 } from '../../base/utf8.ts';

export interface FieldTerm {
  readonly field: string;
  readonly operator: '=' | '!=';
  /** Without escapes. */
  readonly value: string;
}

export interface FieldSelector {
  /** All of them must hold. */
  readonly terms: readonly FieldTerm[];
}

export const EVERY_FIELD: FieldSelector = { terms: [] };

export type FieldSelectorResult =
  | { readonly ok: true; readonly selector: FieldSelector }
  | { readonly ok: false; readonly message: string };

/** The value of a field; undefined counts as ''. */
export type FieldLookup = (field: string) => string | undefined;

/**
 * Parses a selector. The empty text selects everything. `==` means `=`. Values escape `\`, `,` and `=` with a
 * backslash.
 */
export function parseFieldSelector(text: string): FieldSelectorResult {
  const terms: FieldTerm[] = [];
  for (const part of splitTerms(text).sort(compareUtf8)) {
    if (part === '') continue;
    const split = splitTerm(part);
    if (split === undefined) return bad(`invalid selector: '${text}'; can't understand '${part}'`);
    const value = unescapeFieldValue(split.rawValue);
    if (!value.ok) return value;
    terms.push({ field: split.field, operator: split.operator, value: value.value });
  }
  return { ok: true, selector: fieldSelectorOf(terms) };
}

function bad(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}

/** A selector of the terms in the given order. Terms without field and value are dropped. */
export function fieldSelectorOf(terms: readonly FieldTerm[]): FieldSelector {
  const kept = terms.filter(({ field, value }) => field !== '' || value !== '');
  return kept.length === 0 ? EVERY_FIELD : { terms: kept };
}

/** Splits at commas that are not escaped. Escapes are kept. */
function splitTerms(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

interface RawTerm {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly rawValue: string;
}

/** Splits at the first operator. Fields have no escapes. */
function splitTerm(part: string): RawTerm | undefined {
  for (let i = 0; i < part.length; i++) {
    if (part.startsWith('!=', i)) return { field: part.slice(0, i), operator: '!=', rawValue: part.slice(i + 2) };
    if (part.startsWith('==', i)) return { field: part.slice(0, i), operator: '=', rawValue: part.slice(i + 2) };
    if (part[i] === '=') return { field: part.slice(0, i), operator: '=', rawValue: part.slice(i + 1) };
  }
  return undefined;
}

/** The escaped form of a value. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&');
}

/** The value of an escaped text. Fails for an escape of any other character, and for `,` or `=` without one. */
export function unescapeFieldValue(
  text: string,
): { readonly ok: true; readonly value: string } | { readonly ok: false; readonly message: string } {
  let value = '';
  let escaping = false;
  for (const char of text) {
    const special = char === '\\' || char === ',' || char === '=';
    if (escaping && !special) return bad(`invalid field selector: invalid escape sequence: \\${char}`);
    if (!escaping && special && char !== '\\')
      return bad(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`);
    escaping = !escaping && char === '\\';
    if (!escaping) value += char;
  }
  return escaping ? bad('invalid field selector: invalid escape sequence: \\') : { ok: true, value };
}

/** The text of a selector, '' for one that matches everything. */
export function formatFieldSelector(selector: FieldSelector): string {
  return selector.terms.map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`).join(',');
}

/** Whether the fields of an object match the selector. */
export function matchesFields(selector: FieldSelector, lookup: FieldLookup): boolean {
  return selector.terms.every(({ field, operator, value }) => ((lookup(field) ?? '') === value) === (operator === '='));
}

/** Compiles `matchesFields`, for selectors that are applied to many objects. */
export function compileFieldSelector(selector: FieldSelector): (lookup: FieldLookup) => boolean {
  const { terms } = selector;
  const [only] = terms;
  if (only === undefined) return () => true;
  if (terms.length === 1) return (lookup) => ((lookup(only.field) ?? '') === only.value) === (only.operator === '=');
  return (lookup) => matchesFields(selector, lookup);
}

/** Whether the selector matches every object. */
export function isEveryField(selector: FieldSelector): boolean {
  return selector.terms.length === 0;
}

/** The value that the selector requires of a field (`RequiresExactMatch`); undefined if it requires none. */
export function requiredFieldValue(selector: FieldSelector, field: string): string | undefined {
  return selector.terms.find((term) => term.operator === '=' && term.field === field)?.value;
}
