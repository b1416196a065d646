/**
 * The implementation of `StructuralSchema` over JSON. Each property reads the JSON when it is used.
 *
 * Invariant: reading a part twice returns the same object.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import {
  countOf,
  EMBEDDED_RESOURCE,
  flagOf,
  INT_OR_STRING,
  LIST_MAP_KEYS,
  LIST_TYPE,
  listOf,
  MAP_TYPE,
  namedSchema,
  namesOf,
  numberOf,
  PRESERVE_UNKNOWN,
  type SchemaSource,
  schemaOf,
  schemasOf,
  textOf,
  textsOf,
  VALIDATIONS,
} from './schema-source.ts';
import type { NestedValidation, StructuralSchema, ValidationRule, ValueValidation } from './structural.ts';

/**
 * The schema of a source that `parseStructural` accepted. In other sources, keywords that cannot be structural are
 * ignored.
 */
export function structuralOf(source: SchemaSource): StructuralSchema {
  return new StructuralNode(source);
}

/** A copy of the schema with some parts replaced. */
export function deriveSchema(schema: StructuralSchema, changes: SchemaChanges): StructuralSchema {
  return schema instanceof StructuralNode ? new StructuralNode(schema.source, changes) : { ...schema, ...changes };
}

export type SchemaChanges = Partial<Pick<StructuralSchema, 'properties' | 'additionalProperties'>>;

const NONE: readonly never[] = [];
const NO_PROPERTIES: ReadonlyMap<string, never> = new Map<string, never>();

/** `undefined` until first read, then the part, or null if the schema has none. */
type Lazy<T> = T | null | undefined;

class ValueNode implements ValueValidation {
  readonly source: SchemaSource;
  #required: readonly string[] | undefined;
  #allOf: readonly NestedValidation[] | undefined;
  #oneOf: readonly NestedValidation[] | undefined;
  #anyOf: readonly NestedValidation[] | undefined;
  #not: Lazy<NestedValidation>;
  #rules: readonly ValidationRule[] | undefined;

  constructor(source: SchemaSource) {
    this.source = source;
  }

  get format(): string {
    return textOf(this.source, 'format');
  }
  get maximum(): number | bigint | undefined {
    return numberOf(this.source, 'maximum');
  }
  get exclusiveMaximum(): boolean {
    return flagOf(this.source, 'exclusiveMaximum');
  }
  get minimum(): number | bigint | undefined {
    return numberOf(this.source, 'minimum');
  }
  get exclusiveMinimum(): boolean {
    return flagOf(this.source, 'exclusiveMinimum');
  }
  get maxLength(): number | undefined {
    return countOf(this.source, 'maxLength');
  }
  get minLength(): number | undefined {
    return countOf(this.source, 'minLength');
  }
  get pattern(): string {
    return textOf(this.source, 'pattern');
  }
  get maxItems(): number | undefined {
    return countOf(this.source, 'maxItems');
  }
  get minItems(): number | undefined {
    return countOf(this.source, 'minItems');
  }
  get uniqueItems(): boolean {
    return flagOf(this.source, 'uniqueItems');
  }
  get multipleOf(): number | bigint | undefined {
    return numberOf(this.source, 'multipleOf');
  }
  get enum(): readonly JsonValue[] | undefined {
    const values = listOf(this.source, 'enum');
    return values.length === 0 ? undefined : values;
  }
  get maxProperties(): number | undefined {
    return countOf(this.source, 'maxProperties');
  }
  get minProperties(): number | undefined {
    return countOf(this.source, 'minProperties');
  }
  get required(): readonly string[] {
    this.#required ??= textsOf(this.source, 'required');
    return this.#required;
  }
  get allOf(): readonly NestedValidation[] {
    this.#allOf ??= nestedOf(this.source, 'allOf');
    return this.#allOf;
  }
  get oneOf(): readonly NestedValidation[] {
    this.#oneOf ??= nestedOf(this.source, 'oneOf');
    return this.#oneOf;
  }
  get anyOf(): readonly NestedValidation[] {
    this.#anyOf ??= nestedOf(this.source, 'anyOf');
    return this.#anyOf;
  }
  get not(): NestedValidation | undefined {
    if (this.#not === undefined) this.#not = nested(schemaOf(this.source, 'not')) ?? null;
    return this.#not ?? undefined;
  }
  get rules(): readonly ValidationRule[] {
    this.#rules ??= rulesOf(this.source);
    return this.#rules;
  }
}

function nested(source: SchemaSource | undefined): NestedValidation | undefined {
  return source === undefined ? undefined : new NestedNode(source);
}

function nestedOf(source: SchemaSource, name: string): readonly NestedValidation[] {
  const sources = schemasOf(source, name);
  return sources.length === 0 ? NONE : sources.map((each) => new NestedNode(each));
}

function rulesOf(source: SchemaSource): readonly ValidationRule[] {
  const rules = listOf(source, VALIDATIONS).filter(isJsonObject);
  return rules.length === 0 ? NONE : rules.map(ruleOf);
}

function ruleOf(rule: JsonObject): ValidationRule {
  const optional = rule['optionalOldSelf'];
  return {
    rule: textOf(rule, 'rule'),
    message: textOf(rule, 'message'),
    messageExpression: textOf(rule, 'messageExpression'),
    reason: textOf(rule, 'reason') as ValidationRule['reason'],
    fieldPath: textOf(rule, 'fieldPath'),
    optionalOldSelf: typeof optional === 'boolean' ? optional : undefined,
  };
}

class NestedNode extends ValueNode implements NestedValidation {
  #items: Lazy<NestedValidation>;
  #properties: ReadonlyMap<string, NestedValidation> | undefined;
  #additional: Lazy<NestedValidation>;

  get items(): NestedValidation | undefined {
    if (this.#items === undefined) this.#items = nested(schemaOf(this.source, 'items')) ?? null;
    return this.#items ?? undefined;
  }
  get properties(): ReadonlyMap<string, NestedValidation> {
    this.#properties ??= propertiesOf(this.source, (source) => new NestedNode(source));
    return this.#properties;
  }
  get additionalProperties(): NestedValidation | undefined {
    if (this.#additional === undefined) {
      const value = this.source['additionalProperties'];
      this.#additional = (value === true ? nested({}) : nested(schemaOf(this.source, 'additionalProperties'))) ?? null;
    }
    return this.#additional ?? undefined;
  }
}

class StructuralNode extends ValueNode implements StructuralSchema {
  // Pruning and defaulting read these for every value, so they are read from the JSON once.
  readonly preserveUnknownFields: boolean;
  readonly embeddedResource: boolean;
  readonly nullable: boolean;
  #items: Lazy<StructuralSchema>;
  #properties: ReadonlyMap<string, StructuralSchema> | undefined;
  #additional: Lazy<StructuralSchema | boolean>;
  #listMapKeys: readonly string[] | undefined;

  constructor(source: SchemaSource, changes?: SchemaChanges) {
    super(source);
    this.preserveUnknownFields = flagOf(source, PRESERVE_UNKNOWN);
    this.embeddedResource = flagOf(source, EMBEDDED_RESOURCE);
    this.nullable = flagOf(source, 'nullable');
    if (changes === undefined) return;
    this.#properties = changes.properties;
    if ('additionalProperties' in changes) this.#additional = changes.additionalProperties ?? null;
  }

  get description(): string {
    return textOf(this.source, 'description');
  }
  get title(): string {
    return textOf(this.source, 'title');
  }
  get type(): StructuralSchema['type'] {
    return textOf(this.source, 'type') as StructuralSchema['type'];
  }
  get default(): JsonValue | undefined {
    return this.source['default'] ?? undefined;
  }
  get items(): StructuralSchema | undefined {
    if (this.#items === undefined) {
      const items = schemaOf(this.source, 'items');
      this.#items = items === undefined ? null : structuralOf(items);
    }
    return this.#items ?? undefined;
  }
  get properties(): ReadonlyMap<string, StructuralSchema> {
    this.#properties ??= propertiesOf(this.source, structuralOf);
    return this.#properties;
  }
  get additionalProperties(): StructuralSchema | boolean | undefined {
    if (this.#additional === undefined) {
      const value = this.source['additionalProperties'];
      const schema = schemaOf(this.source, 'additionalProperties');
      this.#additional = schema !== undefined ? structuralOf(schema) : typeof value === 'boolean' ? value : null;
    }
    return this.#additional ?? undefined;
  }
  get intOrString(): boolean {
    return flagOf(this.source, INT_OR_STRING);
  }
  get listType(): StructuralSchema['listType'] {
    return textOf(this.source, LIST_TYPE) as StructuralSchema['listType'];
  }
  get listMapKeys(): readonly string[] {
    this.#listMapKeys ??= textsOf(this.source, LIST_MAP_KEYS);
    return this.#listMapKeys;
  }
  get mapType(): StructuralSchema['mapType'] {
    return textOf(this.source, MAP_TYPE) as StructuralSchema['mapType'];
  }
}

function propertiesOf<T>(source: SchemaSource, make: (source: SchemaSource) => T): ReadonlyMap<string, T> {
  const names = namesOf(source, 'properties');
  if (names.length === 0) return NO_PROPERTIES;
  const properties = new Map<string, T>();
  for (const name of names.sort(compareUtf8)) properties.set(name, make(namedSchema(source, 'properties', name) ?? {}));
  return properties;
}
