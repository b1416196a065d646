/**
 * What one node of a schema asks of a value, as an interface: those who judge values know nodes by it, and nodes are made elsewhere. Invariant: a node never changes, but for the text that it remembers.
 */
import type { JsonValue } from '../../base/json-value.ts';
import type { Re2Result } from '../../base/re2/re2.ts';
import type { FormatCheck } from '../formats/format-check.ts';
import type { NumberLimits } from './validator-number.ts';

/** Whether a value keeps to a node. */
export type QuickCheck = (value: JsonValue) => boolean;

/** What kinds of JSON values the type of a node takes. */
export interface Takes {
  readonly string: boolean;
  readonly boolean: boolean;
  readonly array: boolean;
  readonly object: boolean;
  readonly integer: boolean;
  readonly fraction: boolean;
  /** Numbers that differ from an integer by next to nothing, where integers are taken but fractions are not. */
  readonly nearInteger: boolean;
  readonly null: boolean;
}

export interface NodeLimits {
  readonly types: readonly string[];
  readonly format: string;
  readonly takes: Takes;
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
  /** Every required field is one of the listed ones, each named once. */
  readonly requiresListed: boolean;
  readonly enum: readonly JsonValue[];
  readonly hasItems: boolean;
  readonly hasProperties: boolean;
  /** Fields that are not listed: none allowed, judged by a schema, or free. */
  readonly others: 'none' | 'schema' | 'free';
  readonly anyOf: readonly NodeLimits[];
  readonly oneOf: readonly NodeLimits[];
  readonly allOf: readonly NodeLimits[];
  readonly not: NodeLimits | undefined;
  /** Something is said that only a look at the whole tells. */
  readonly hasLogic: boolean;
  readonly hasStringLimits: boolean;
  /** The last text that kept to all limits: values change far less often than objects are written. */
  lastText: string | undefined;
  /** The pattern, compiled; only where there is one. */
  readonly regexp: Re2Result;
  /** The texts of `enum`. */
  readonly listedTexts: ReadonlySet<JsonValue>;
  readonly items: NodeLimits;
  readonly additional: NodeLimits;
  /** The fields that are listed, by name; only where `hasProperties`. */
  readonly fields: ReadonlyMap<string, ListedField>;
  readonly check: QuickCheck;
}

/** A listed field, whose node is made when a value first has it. */
export interface ListedField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly check: QuickCheck;
}
