/**
 * A schema as validation reads it: the limits of one node, ready to be compared. Invariant: a node is made when a value first reaches it and never changed; nodes that say
 * no more than a type are shared by all schemas. Made from the JSON itself, because schemas that are not structural are validated too.
 */
import type { JsonValue } from '../../base/json-value.ts';
import { compileRe2, type Re2Result } from '../../base/re2/re2.ts';
import { type FormatCheck, formatCheck, isKnownFormat } from '../formats/format-check.ts';
import {
  countOf,
  flagOf,
  INT_OR_STRING,
  listOf,
  namedSchema,
  namesOf,
  type SchemaSource,
  schemaOf,
  schemasOf,
  textOf,
  textsOf,
} from '../structural/schema-source.ts';
import type { ListedField, NodeLimits, QuickCheck, Takes } from './node-limits.ts';
import { quickCheck } from './quick-check.ts';
import { type NumberLimits, numberLimits } from './validator-number.ts';

/**
 * `object`: as objects are validated: formats that are unknown or do not fit the type are dropped, int-or-string is a type.
 * `default`: as defaults are when a definition is written: the schema as it stands.
 */
export type ValidationMode = 'object' | 'default';

const NO_NODES: readonly ValidatorNode[] = [];
const NO_NAMES: readonly string[] = [];

export class ValidatorNode implements NodeLimits {
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
  readonly requiresListed: boolean;
  readonly enum: readonly JsonValue[];
  readonly hasItems: boolean;
  readonly hasProperties: boolean;
  readonly others: 'none' | 'schema' | 'free';
  readonly anyOf: readonly ValidatorNode[];
  readonly oneOf: readonly ValidatorNode[];
  readonly allOf: readonly ValidatorNode[];
  readonly not: ValidatorNode | undefined;
  readonly hasLogic: boolean;
  readonly hasStringLimits: boolean;
  lastText: string | undefined;
  readonly #source: SchemaSource;
  readonly #mode: ValidationMode;
  #regexp: Re2Result | undefined;
  #items: ValidatorNode | undefined;
  #additional: ValidatorNode | undefined;
  #fields: Map<string, FieldSlot> | undefined;
  #check: QuickCheck | undefined;
  #listedTexts: ReadonlySet<JsonValue> | undefined;

  constructor(source: SchemaSource, mode: ValidationMode) {
    this.#source = source;
    this.#mode = mode;
    this.types = typesOf(source, mode);
    this.format = formatOf(source, this.types, mode);
    this.takes = takesOf(this.types, this.format, flagOf(source, 'nullable'));
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
    this.requiresListed = this.hasProperties && isAmong(this.required, listed);
    this.others = othersOf(source);
    this.anyOf = partsOf(source, 'anyOf', mode);
    this.oneOf = partsOf(source, 'oneOf', mode);
    this.allOf = partsOf(source, 'allOf', mode);
    const not = schemaOf(source, 'not');
    this.not = not === undefined ? undefined : new ValidatorNode(not, mode);
    this.hasLogic = this.anyOf.length + this.oneOf.length + this.allOf.length > 0 || not !== undefined;
    this.hasStringLimits =
      this.maxLength !== undefined ||
      this.minLength !== undefined ||
      this.pattern !== '' ||
      this.checkFormat !== undefined;
  }

  /** The pattern, compiled; only where there is one. */
  get regexp(): Re2Result {
    this.#regexp ??= compileRe2(this.pattern);
    return this.#regexp;
  }

  /** The texts of `enum`. */
  get listedTexts(): ReadonlySet<JsonValue> {
    this.#listedTexts ??= new Set(this.enum);
    return this.#listedTexts;
  }

  get items(): ValidatorNode {
    this.#items ??= validatorNode(schemaOf(this.#source, 'items') ?? {}, this.#mode);
    return this.#items;
  }

  get additional(): ValidatorNode {
    this.#additional ??= validatorNode(schemaOf(this.#source, 'additionalProperties') ?? {}, this.#mode);
    return this.#additional;
  }

  /** The fields that are listed, by name; only where `hasProperties`. */
  get fields(): ReadonlyMap<string, FieldSlot> {
    this.#fields ??= this.#makeFields();
    return this.#fields;
  }

  #makeFields(): Map<string, FieldSlot> {
    const required = new Set(this.required);
    const slot = (name: string): [string, FieldSlot] => [name, new FieldSlot(this, name, required.has(name))];
    return new Map(namesOf(this.#source, 'properties').map(slot));
  }

  /** Whether a value keeps to all of this. */
  get check(): QuickCheck {
    this.#check ??= quickCheck(this);
    return this.#check;
  }

  property(name: string): ValidatorNode | undefined {
    return this.hasProperties ? this.fields.get(name)?.node : undefined;
  }

  /** Makes the node of a listed field. */
  make(name: string): ValidatorNode {
    return validatorNode(namedSchema(this.#source, 'properties', name) ?? {}, this.#mode);
  }
}

/** A listed field, whose node is made when a value first has it. */
export class FieldSlot implements ListedField {
  readonly name: string;
  readonly isRequired: boolean;
  check: QuickCheck;
  readonly #owner: ValidatorNode;
  #node: ValidatorNode | undefined;

  constructor(owner: ValidatorNode, name: string, isRequired: boolean) {
    this.#owner = owner;
    this.name = name;
    this.isRequired = isRequired;
    this.check = (value) => {
      this.check = this.node.check;
      return this.check(value);
    };
  }

  get node(): ValidatorNode {
    this.#node ??= this.#owner.make(this.name);
    return this.#node;
  }
}

function isAmong(names: readonly string[], listed: readonly string[]): boolean {
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

/** A format other than a number's makes strings and arrays pass whatever the type, and without a type nothing else: the reference's rule. */
function takesOf(types: readonly string[], format: string, nullable: boolean): Takes {
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
    // Where the type is integer alone, the range of integers refuses them all the same.
    nearInteger: types.length > 1 && has('integer'),
    null: types.length === 0 || nullable || has('null'),
  };
}

function othersOf(source: SchemaSource): 'none' | 'schema' | 'free' {
  const value = source['additionalProperties'];
  if (value === false) return 'none';
  return schemaOf(source, 'additionalProperties') === undefined ? 'free' : 'schema';
}

function partsOf(source: SchemaSource, name: string, mode: ValidationMode): readonly ValidatorNode[] {
  const parts = schemasOf(source, name);
  return parts.length === 0 ? NO_NODES : parts.map((part) => new ValidatorNode(part, mode));
}

/** Fields that do not change what a value may be. */
const SILENT: ReadonlySet<string> = new Set([
  'type',
  'description',
  'title',
  'default',
  'example',
  'externalDocs',
  'nullable',
]);
const SHARED_TYPES: ReadonlySet<string> = new Set(['', 'object', 'array', 'string', 'integer', 'number', 'boolean']);
const shared = new Map<string, ValidatorNode>();

/** The node of a source; the same one for all sources that only name a type. */
export function validatorNode(source: SchemaSource, mode: ValidationMode): ValidatorNode {
  for (const name in source) if (!SILENT.has(name)) return new ValidatorNode(source, mode);
  const type = textOf(source, 'type');
  if (!SHARED_TYPES.has(type)) return new ValidatorNode(source, mode);
  const nullable = flagOf(source, 'nullable');
  const key = `${type}|${nullable}`;
  let node = shared.get(key);
  if (node === undefined) {
    node = new ValidatorNode({ type, nullable }, mode);
    shared.set(key, node);
  }
  return node;
}
