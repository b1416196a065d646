/**
 * Findings of validation on their way up. Invariant: a text is kept once, however often it is found; `matches` counts checks that passed as the reference does, because the
 * best of several alternatives is chosen by it.
 */

import { formatJson, quote } from '../../apimachinery/go-format.ts';
import {
  type FieldIssue,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from '../../apimachinery/validation/field-issue.ts';
import { childPath, type FieldPath } from '../../apimachinery/validation/field-path.ts';
import type { JsonValue } from '../../base/json-value.ts';

/** Findings, and characters of their texts: whoever broke so many rules is not helped by more, and each takes time and memory. */
export const MANY_FINDINGS = 1000;
export const MUCH_TEXT = 1_000_000;

/** The place of a value inside what is validated, such as `spec.ports[0]`; '' for itself. */
export type Place = string;

export class ValidationResult {
  /** By text. */
  readonly findings: Map<string, FieldIssue> = new Map();
  matches = 0;
  #textLength = 0;
  /** Where what is validated stands; undefined for the whole object. */
  readonly #base: FieldPath | undefined;

  constructor(base: FieldPath | undefined) {
    this.#base = base;
  }

  get isValid(): boolean {
    return this.findings.size === 0;
  }

  /** So much is wrong that nothing more is looked for. The reference goes on. */
  get isFull(): boolean {
    return this.findings.size >= MANY_FINDINGS || this.#textLength >= MUCH_TEXT;
  }

  /** An empty one for the same object. */
  fresh(): ValidationResult {
    return new ValidationResult(this.#base);
  }

  merge(other: ValidationResult): void {
    for (const [text, issue] of other.findings) {
      if (this.isFull) break;
      this.#add(text, issue);
    }
    this.matches += other.matches;
  }

  /** A finding without a place of its own: alternatives, limits that make no sense. */
  addGeneral(text: string): void {
    this.#add(text, invalid(this.#base, '', text));
  }

  addInvalid(place: Place, value: JsonValue, text: string): void {
    this.#add(text, invalid(this.#path(place), value, text));
  }

  /** `shown` is what the reference shows instead of the value: the name of its type, its format, or a text that has not the format. */
  addType(place: Place, expected: string, shown: string): void {
    const text = `${place} in body must be of type ${expected}: ${quote(shown)}`;
    this.#add(text, typeInvalid(this.#path(place), shown, text));
  }

  addRequired(place: Place): void {
    this.#add(`${place} in body is required`, required(this.#path(place), ''));
  }

  addNotSupported(place: Place, value: JsonValue, listed: readonly JsonValue[]): void {
    const supported = listed.map((each) => (typeof each === 'string' ? each : formatJson(each)));
    this.#add(
      `${place} in body should be one of [${supported.join(' ')}]`,
      notSupported(this.#path(place), value, supported),
    );
  }

  addTooLong(place: Place, max: number): void {
    this.#add(`${place} in body should be at most ${max} chars long`, tooLong(this.#path(place), undefined, max));
  }

  addTooMany(place: Place, actual: number, max: number, what: 'items' | 'properties'): void {
    this.#add(`${place} in body should have at most ${max} ${what}`, tooMany(this.#path(place), actual, max));
  }

  #add(text: string, issue: FieldIssue): void {
    if (this.findings.has(text)) return;
    this.findings.set(text, issue);
    this.#textLength += text.length;
  }

  #path(place: Place): FieldPath | undefined {
    if (place === '' || place === '.') return this.#base;
    return childPath(this.#base, place.startsWith('.') ? place.slice(1) : place);
  }
}
