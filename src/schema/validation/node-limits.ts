/**
 * The limits of one schema node, read from its JSON and ready to be compared. `accepts` and `quick-check` work on this
 * class; `validator-node` extends it with the child nodes. Nodes are built from JSON and not from a structural schema,
 * because schemas that are not structural are validated too.
 *
 * Invariant: only `lastText` changes after construction.
 */
import type { JsonValue } from '../../base/json-value.ts';
import { compileRe2, type Re2Result } from '../../base/re2/re2.ts';
import { type FormatCheck, formatCheck, isKnownFormat } from '../formats/format-check.ts';
import {
  countOf,
  flagOf,
  INT_OR_STRING,
  listOf,
  namesOf,
  type SchemaSource,
  schemaOf,
  textOf,
  textsOf,
} from '../structural/schema-source.ts';
import type { ValidationBudget } from './validation-budget.ts';
import { type NumberLimits, numberLimits } from './validator-number.ts';

/**
 * `object`: the rules for objects. A format that is unknown or does not fit the type is ignored, and int-or-string is a
 * type.
 * `default`: the rules for defaults when a definition is written. The schema is taken literally.
 */
export type ValidationMode = 'object' | 'default';

/** Returns true if the value satisfies a node. Throws BudgetExceeded. */
export type QuickCheck = (value: JsonValue, budget: ValidationBudget) => boolean;

/** The kinds of JSON values that the type of a node allows. */
export interface AllowedTypes {
  readonly string: boolean;
  readonly boolean: boolean;
  readonly array: boolean;
  readonly object: boolean;
  readonly integer: boolean;
  readonly fraction: boolean;
  /** Numbers within a relative error of 1e-9 of an integer, where integers are allowed and fractions are not. */
  readonly nearInteger: boolean;
  readonly null: boolean;
}

/** A field listed in `properties`. Its node is created when a value first has the field. */
export interface ListedField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly check: QuickCheck;
}

const NO_NAMES: readonly string[] = [];
const ALTERNATIVES = ['anyOf', 'oneOf', 'allOf'] as const;

export abstract class NodeLimits {
  readonly types: readonly string[];
  readonly format: string;
  readonly allows: AllowedTypes;
  readonly checkFormat: FormatCheck | undefined;
  readonly maxLength: number | undefined;
  readonly minLength: number | undefined;
  readonly pattern: string;
  readonly numbers: NumberLimits | undefined;
  readonly maxItems: number | undefined;
  readonly minItems: number | undefined;
  readonly uniqueItems: boolean;
  readonly maxProperties: number | undefined;
  readonly minProperties: number | undefined;
  readonly required: readonly string[];
  /**
   * True if every required field is listed in `properties` and required once: then counting the fields of an object
   * replaces looking each one up.
   */
  readonly requiresListed: boolean;
  readonly enum: readonly JsonValue[];
  readonly hasItems: boolean;
  readonly hasProperties: boolean;
  /** Fields that `properties` does not list: forbidden, validated by `additional`, or unrestricted. */
  readonly others: 'none' | 'schema' | 'free';
  /** True if the node has `anyOf`, `oneOf`, `allOf` or `not`. */
  readonly hasLogic: boolean;
  readonly hasStringLimits: boolean;
  /** The last short text that satisfied all limits. Most writes of an object repeat the text of the write before. */
  lastText: string | undefined;
  #regexp: Re2Result | undefined;
  #listedTexts: ReadonlySet<JsonValue> | undefined;

  abstract readonly anyOf: readonly NodeLimits[];
  abstract readonly oneOf: readonly NodeLimits[];
  abstract readonly allOf: readonly NodeLimits[];
  abstract readonly not: NodeLimits | undefined;
  /** The node of `items`; meaningful if `hasItems`. */
  abstract readonly items: NodeLimits;
  /** The node of `additionalProperties`; meaningful if `others` is `schema`. */
  abstract readonly additional: NodeLimits;
  /** The listed fields by name; meaningful if `hasProperties`. */
  abstract readonly fields: ReadonlyMap<string, ListedField>;
  /** Gives the same answer as `accepts` for this node. */
  abstract readonly check: QuickCheck;

  constructor(source: SchemaSource, mode: ValidationMode) {
    this.types = typesOf(source, mode);
    this.format = formatOf(source, this.types, mode);
    this.allows = allowedTypes(this.types, this.format, flagOf(source, 'nullable'));
    this.checkFormat = this.format === '' ? undefined : formatCheck(this.format);
    this.maxLength = countOf(source, 'maxLength');
    this.minLength = countOf(source, 'minLength');
    this.pattern = textOf(source, 'pattern');
    this.numbers = numberLimits(source, this.types, this.format);
    this.maxItems = countOf(source, 'maxItems');
    this.minItems = countOf(source, 'minItems');
    this.uniqueItems = flagOf(source, 'uniqueItems');
    this.maxProperties = countOf(source, 'maxProperties');
    this.minProperties = countOf(source, 'minProperties');
    const required = textsOf(source, 'required');
    this.required = required.length === 0 ? NO_NAMES : required;
    this.enum = listOf(source, 'enum');
    this.hasItems = schemaOf(source, 'items') !== undefined;
    const listed = namesOf(source, 'properties');
    this.hasProperties = listed.length > 0;
    this.requiresListed = this.hasProperties && areListedOnce(this.required, listed);
    this.others = othersOf(source);
    this.hasLogic =
      ALTERNATIVES.some((name) => listOf(source, name).length > 0) || schemaOf(source, 'not') !== undefined;
    this.hasStringLimits =
      this.maxLength !== undefined ||
      this.minLength !== undefined ||
      this.pattern !== '' ||
      this.checkFormat !== undefined;
  }

  /** The compiled pattern; meaningful if `pattern` is not empty. */
  get regexp(): Re2Result {
    this.#regexp ??= compileRe2(this.pattern);
    return this.#regexp;
  }

  /** The values of `enum`, for looking up texts. */
  get listedTexts(): ReadonlySet<JsonValue> {
    this.#listedTexts ??= new Set(this.enum);
    return this.#listedTexts;
  }
}

function areListedOnce(names: readonly string[], listed: readonly string[]): boolean {
  if (names.length === 0) return true;
  const known = new Set(listed);
  return names.every((name) => known.delete(name));
}

function typesOf(source: SchemaSource, mode: ValidationMode): readonly string[] {
  if (mode === 'object' && flagOf(source, INT_OR_STRING)) return ['integer', 'string'];
  const type = textOf(source, 'type');
  return type === '' ? NO_NAMES : [type];
}

function formatOf(source: SchemaSource, types: readonly string[], mode: ValidationMode): string {
  const format = textOf(source, 'format');
  if (format === '' || mode === 'default') return format;
  return isKnownFormat(types.length === 1 ? (types[0] as string) : '', format) ? format : '';
}

/**
 * kube-apiserver's rule for formats: a format that is not a number format allows strings and arrays of any declared
 * type. Without a declared type it allows nothing else.
 */
function allowedTypes(types: readonly string[], format: string, nullable: boolean): AllowedTypes {
  const has = (type: string): boolean => types.includes(type);
  const numeric = has('integer') || has('number');
  const any = types.length === 0 && format === '';
  const formatted = format !== '' && !numeric;
  return {
    string: any || formatted || has('string'),
    array: any || formatted || has('array'),
    boolean: any || has('boolean'),
    object: any || has('object'),
    integer: any || numeric,
    fraction: any || has('number'),
    // Where `integer` is the only type, the range check refuses near integers.
    nearInteger: types.length > 1 && has('integer'),
    null: types.length === 0 || nullable || has('null'),
  };
}

function othersOf(source: SchemaSource): 'none' | 'schema' | 'free' {
  const value = source['additionalProperties'];
  if (value === false) return 'none';
  return schemaOf(source, 'additionalProperties') === undefined ? 'free' : 'schema';
}
