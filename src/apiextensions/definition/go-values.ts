/**
 * Parts of a definition as messages show them. The reference's internal types have no names for JSON, so Go's own names appear, every field of them. Invariant: fields stand
 * in the order in which Go declares them; print the result with `declared`.
 */
import { getField, isJsonObject, type JsonObject, type JsonValue, setField } from '../../base/json-value.ts';

/** How a field is shown: its zero value if it is absent, and what becomes of a value that is there. */
interface Shape {
  readonly zero: JsonValue;
  show(value: JsonValue): JsonValue;
}

type Fields = readonly (readonly [goName: string, jsonName: string, shape: () => Shape])[];

const same = (value: JsonValue): JsonValue => value;
const plain = (zero: JsonValue) => (): Shape => ({ zero, show: same });
const TEXT = plain('');
const FLAG = plain(false);
const NUMBER = plain(0);
const POINTER = plain(null);
const pointer = (fields: Fields) => (): Shape => ({ zero: null, show: (value) => showFields(value, fields) });
const listOf = (fields: Fields) => (): Shape => ({
  zero: null,
  show: (value) => (Array.isArray(value) ? value.map((item) => showFields(item, fields)) : null),
});
const schemas = (): Shape => listOf(SCHEMA_FIELDS)();
const schemaMap = (): Shape => ({
  zero: null,
  show: (value) => {
    if (!isJsonObject(value)) return null;
    const out: JsonObject = {};
    for (const key of Object.keys(value).sort()) setField(out, key, showFields(value[key] as JsonValue, SCHEMA_FIELDS));
    return out;
  },
});
const schemaOrBool = (): Shape => ({
  zero: null,
  show: (value) =>
    isJsonObject(value)
      ? { Allows: true, Schema: showFields(value, SCHEMA_FIELDS) }
      : { Allows: value === true, Schema: null },
});
const schemaOrList = (): Shape => ({ zero: null, show: itemsValue });
const dependencies = (): Shape => ({
  zero: null,
  show: (value) => {
    if (!isJsonObject(value)) return null;
    const out: JsonObject = {};
    for (const key of Object.keys(value).sort()) {
      const item = value[key] as JsonValue;
      const shown: JsonObject = isJsonObject(item)
        ? { Schema: showFields(item, SCHEMA_FIELDS), Property: null }
        : { Schema: null, Property: item };
      setField(out, key, shown);
    }
    return out;
  },
});

const RULE_FIELDS: Fields = [
  ['Rule', 'rule', TEXT],
  ['Message', 'message', TEXT],
  ['MessageExpression', 'messageExpression', TEXT],
  ['Reason', 'reason', POINTER],
  ['FieldPath', 'fieldPath', TEXT],
  ['OptionalOldSelf', 'optionalOldSelf', POINTER],
];

/** In Go's order, which is also that in which the root of a schema is looked through. */
const SCHEMA_FIELDS: Fields = [
  ['ID', 'id', TEXT],
  ['Schema', '$schema', TEXT],
  ['Ref', '$ref', POINTER],
  ['Description', 'description', TEXT],
  ['Type', 'type', TEXT],
  ['Nullable', 'nullable', FLAG],
  ['Format', 'format', TEXT],
  ['Title', 'title', TEXT],
  ['Default', 'default', POINTER],
  ['Maximum', 'maximum', POINTER],
  ['ExclusiveMaximum', 'exclusiveMaximum', FLAG],
  ['Minimum', 'minimum', POINTER],
  ['ExclusiveMinimum', 'exclusiveMinimum', FLAG],
  ['MaxLength', 'maxLength', POINTER],
  ['MinLength', 'minLength', POINTER],
  ['Pattern', 'pattern', TEXT],
  ['MaxItems', 'maxItems', POINTER],
  ['MinItems', 'minItems', POINTER],
  ['UniqueItems', 'uniqueItems', FLAG],
  ['MultipleOf', 'multipleOf', POINTER],
  ['Enum', 'enum', POINTER],
  ['MaxProperties', 'maxProperties', POINTER],
  ['MinProperties', 'minProperties', POINTER],
  ['Required', 'required', POINTER],
  ['Items', 'items', schemaOrList],
  ['AllOf', 'allOf', schemas],
  ['OneOf', 'oneOf', schemas],
  ['AnyOf', 'anyOf', schemas],
  ['Not', 'not', () => pointer(SCHEMA_FIELDS)()],
  ['Properties', 'properties', schemaMap],
  ['AdditionalProperties', 'additionalProperties', schemaOrBool],
  ['PatternProperties', 'patternProperties', schemaMap],
  ['Dependencies', 'dependencies', dependencies],
  ['AdditionalItems', 'additionalItems', schemaOrBool],
  ['Definitions', 'definitions', schemaMap],
  [
    'ExternalDocs',
    'externalDocs',
    pointer([
      ['Description', 'description', TEXT],
      ['URL', 'url', TEXT],
    ]),
  ],
  ['Example', 'example', POINTER],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', POINTER],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', FLAG],
  ['XIntOrString', 'x-kubernetes-int-or-string', FLAG],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', POINTER],
  ['XListType', 'x-kubernetes-list-type', POINTER],
  ['XMapType', 'x-kubernetes-map-type', POINTER],
  ['XValidations', 'x-kubernetes-validations', listOf(RULE_FIELDS)],
];

const VERSION_FIELDS: Fields = [
  ['Name', 'name', TEXT],
  ['Served', 'served', FLAG],
  ['Storage', 'storage', FLAG],
  ['Deprecated', 'deprecated', FLAG],
  ['DeprecationWarning', 'deprecationWarning', POINTER],
  ['Schema', 'schema', pointer([['OpenAPIV3Schema', 'openAPIV3Schema', () => pointer(SCHEMA_FIELDS)()]])],
  [
    'Subresources',
    'subresources',
    pointer([
      ['Status', 'status', pointer([])],
      [
        'Scale',
        'scale',
        pointer([
          ['SpecReplicasPath', 'specReplicasPath', TEXT],
          ['StatusReplicasPath', 'statusReplicasPath', TEXT],
          ['LabelSelectorPath', 'labelSelectorPath', POINTER],
        ]),
      ],
    ]),
  ],
  [
    'AdditionalPrinterColumns',
    'additionalPrinterColumns',
    listOf([
      ['Name', 'name', TEXT],
      ['Type', 'type', TEXT],
      ['Format', 'format', TEXT],
      ['Description', 'description', TEXT],
      ['Priority', 'priority', NUMBER],
      ['JSONPath', 'JSONPath', TEXT],
    ]),
  ],
  ['SelectableFields', 'selectableFields', listOf([['JSONPath', 'jsonPath', TEXT]])],
];

function showFields(value: JsonValue, fields: Fields): JsonObject {
  const out: JsonObject = {};
  for (const [goName, jsonName, shapeOf] of fields) {
    const shape = shapeOf();
    const given = isJsonObject(value) ? getField(value, jsonName) : undefined;
    out[goName] = given === undefined || given === null ? shape.zero : shape.show(given);
  }
  return out;
}

/** `spec.versions` of the form of v1beta1; null for none. */
export function versionsValue(spec: JsonObject): JsonValue {
  return listOf(VERSION_FIELDS)().show(getField(spec, 'versions') ?? null);
}

export function schemaValue(schema: JsonObject): JsonValue {
  return showFields(schema, SCHEMA_FIELDS);
}

export function ruleValue(rule: JsonObject): JsonValue {
  return showFields(rule, RULE_FIELDS);
}

/** `items`: one schema or several. */
export function itemsValue(value: JsonValue): JsonValue {
  return isJsonObject(value)
    ? { Schema: showFields(value, SCHEMA_FIELDS), JSONSchemas: null }
    : { Schema: null, JSONSchemas: schemas().show(value) };
}

/** Go's names of the fields that a schema sets, in Go's order. */
export function fieldsSet(schema: JsonObject): readonly string[] {
  return SCHEMA_FIELDS.filter(([, name]) => (getField(schema, name) ?? undefined) !== undefined).map(
    ([goName]) => goName,
  );
}
