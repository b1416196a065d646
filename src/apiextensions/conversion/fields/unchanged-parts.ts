/**
 * The parts of a version that are the same in the other version. The checks skip them, because schemas can have tens of
 * thousands of fields of which rules concern a few.
 */
import { isJsonObject, type JsonValue } from '../../../base/json-value.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import type { CheckedPair } from './checked-version.ts';
import { FieldMap } from './field-map.ts';
import { type FieldRule, sourceOf, targetOf } from './field-rules.ts';
import { isWithin, type RulePath } from './rule-path.ts';
import { schemaAt } from './schema-fields.ts';

export class UnchangedParts {
  readonly #to: StructuralSchema;
  readonly #rules: readonly FieldRule[];
  readonly #map: FieldMap;
  readonly #known = new Map<StructuralSchema, boolean>();

  constructor({ pair, to }: CheckedPair) {
    this.#to = to.schema;
    this.#rules = pair.rules;
    this.#map = new FieldMap(pair.rules);
  }

  /**
   * Reports whether everything inside a field stays in it, as the field is kept or moved, and has the same schema in
   * both versions. `schema` is that of the field of `from`. Scalars are not compared.
   */
  has(schema: StructuralSchema, path: RulePath): boolean {
    if (schema.type !== 'object' && schema.type !== 'array') return false;
    let isUnchanged = this.#known.get(schema);
    if (isUnchanged === undefined) {
      isUnchanged = this.#compare(schema, path);
      this.#known.set(schema, isUnchanged);
    }
    return isUnchanged;
  }

  #compare(schema: StructuralSchema, path: RulePath): boolean {
    const image = this.#map.imageOf(path);
    if (image === undefined) return false;
    const decisive = this.#map.ownRuleOf(path);
    for (const rule of this.#rules) {
      if (rule === decisive) continue;
      const [source, target] = [sourceOf(rule), targetOf(rule)];
      if (source !== undefined && isWithin(source, path)) return false;
      if (
        target !== undefined &&
        (isWithin(target, image) || isWithin(image, target)) &&
        rule !== this.#map.ruleOf(path)
      )
        return false;
    }
    const target = schemaAt(this.#to, image);
    return target !== undefined && target !== 'any' && sameSchema(schema.source, target.source);
  }
}

const TEXTS: readonly string[] = ['description', 'title'];

/** Compares schemas without their texts. */
function sameSchema(left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true;
  if (Array.isArray(left))
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, i) => sameSchema(item, right[i] ?? null))
    );
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const names = Object.keys(left).filter((name) => !isText(name, left));
  if (names.length !== Object.keys(right).filter((name) => !isText(name, right)).length) return false;
  return names.every(
    (name) => Object.hasOwn(right, name) && sameSchema(left[name] as JsonValue, right[name] as JsonValue),
  );
}

/** A property may have the name of a text, but then its value is a schema. */
function isText(name: string, { [name]: value }: Readonly<Record<string, JsonValue>>): boolean {
  return TEXTS.includes(name) && !isJsonObject(value);
}
