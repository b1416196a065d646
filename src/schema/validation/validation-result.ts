/**
 * The findings of a validation while it walks the schema. `matches` counts passed checks as kube-apiserver counts them,
 * because it decides which of several alternatives is explained.
 *
 * Invariant: each message text occurs once.
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
import type { ValidationBudget } from './validation-budget.ts';

/**
 * Validation of an object stops at this number of findings: more would not help the client and would cost time and
 * memory.
 */
export const MAX_FINDINGS = 1000;
/** Validation of an object stops at this total length of the messages, in UTF-16 units. */
export const MAX_MESSAGE_TEXT = 1_000_000;

/** The path of a value below the validated value, such as `spec.ports[0]`; '' for the validated value itself. */
export type Place = string;

export class ValidationResult {
  /** Passed on to every check of this validation. */
  readonly budget: ValidationBudget;
  /** The findings by message text. */
  readonly findings: Map<string, FieldIssue> = new Map();
  matches = 0;
  #textLength = 0;
  /** The path of the validated value; undefined for the whole object. */
  readonly #base: FieldPath | undefined;

  constructor(base: FieldPath | undefined, budget: ValidationBudget) {
    this.#base = base;
    this.budget = budget;
  }

  get isValid(): boolean {
    return this.findings.size === 0;
  }

  /** True once a limit on findings is reached. kube-apiserver has no such limit. */
  get isFull(): boolean {
    return this.findings.size >= MAX_FINDINGS || this.#textLength >= MAX_MESSAGE_TEXT;
  }

  /** An empty result for the same validation. */
  fresh(): ValidationResult {
    return new ValidationResult(this.#base, this.budget);
  }

  merge(other: ValidationResult): void {
    for (const [text, issue] of other.findings) {
      if (this.isFull) break;
      this.#add(text, issue);
    }
    this.matches += other.matches;
  }

  /** Adds a finding without a path of its own: a failed logic operator, or a limit that contradicts its type. */
  addGeneral(text: string): void {
    this.#add(text, invalid(this.#base, '', text));
  }

  addInvalid(place: Place, value: JsonValue, text: string): void {
    this.#add(text, invalid(this.#path(place), value, text));
  }

  /**
   * `shown` is printed instead of the value: the name of its type, the inferred format, or the text that does not match
   * the format.
   */
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
