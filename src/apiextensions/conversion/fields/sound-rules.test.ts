/** Random versions and rules: rules without a problem convert valid objects to valid objects, and lose no field. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cloneJson, type JsonObject, type JsonValue } from '../../../base/json-value.ts';
import { checkFieldRules } from './check-field-rules.ts';
import { converted, listOf, objectOf, type TestVersion, version } from './fields.fixtures.ts';

/** The value of each type in objects and defaults. */
const VALUES: Readonly<Record<string, JsonValue>> = { string: 'x', integer: 7, boolean: true };

interface Field {
  readonly type: 'string' | 'integer' | 'boolean' | 'object' | 'list';
  readonly isRequired: boolean;
  readonly hasDefault: boolean;
  /** Fields of an object, or of the items of a list. */
  readonly inner: Readonly<Record<string, Omit<Field, 'inner'>>>;
  /** The fate of the field in the other version. */
  readonly fate: 'keep' | 'move' | 'nest' | 'drop' | 'retype';
  readonly isRequiredThere: boolean;
  readonly hasRule: boolean;
}

const scalar = fc.constantFrom('string' as const, 'integer' as const, 'boolean' as const);
const common = {
  isRequired: fc.boolean(),
  hasDefault: fc.boolean(),
  fate: fc.constantFrom('keep' as const, 'move' as const, 'nest' as const, 'drop' as const, 'retype' as const),
  isRequiredThere: fc.boolean(),
  // Most fields have the rule that they need.
  hasRule: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
};
const part = fc.record({ type: scalar, ...common });
const field: fc.Arbitrary<Field> = fc.oneof(
  fc.record({ type: scalar, inner: fc.constant({}), ...common }),
  fc.record({
    type: fc.constantFrom('object' as const, 'list' as const),
    inner: fc.dictionary(fc.constantFrom('p', 'q'), part, { maxKeys: 2 }),
    ...common,
  }),
);
const fields = fc.dictionary(fc.constantFrom('a', 'b', 'c'), field, { minKeys: 1, maxKeys: 3 });

interface Built {
  readonly properties: JsonObject;
  readonly required: string[];
}

interface Both {
  readonly from: Built;
  readonly to: Built;
  readonly rules: JsonObject[];
}

const NEST = 'nested';

function build(given: Readonly<Record<string, Omit<Field, 'inner'> | Field>>, at: string, there: string): Both {
  const both: Both = { from: { properties: {}, required: [] }, to: { properties: {}, required: [] }, rules: [] };
  const nested: Built = { properties: {}, required: [] };
  for (const [name, field] of Object.entries(given)) {
    const { type, fate, isRequired, hasDefault, isRequiredThere, hasRule } = field;
    const path = `${at}.${name}`;
    const target =
      fate === 'move' ? `${there}.${name}2` : fate === 'nest' ? `${there}.${NEST}.${name}` : `${there}.${name}`;
    const inside = 'inner' in field ? field.inner : {};
    const suffix = type === 'list' ? '[*]' : '';
    const parts = build(inside, `${path}${suffix}`, `${target}${suffix}`);
    const schemaOf = ({ properties, required }: Built, kind: string): JsonObject => {
      if (kind === 'object') return objectOf(properties, ...required);
      if (kind === 'list') return listOf(objectOf(properties, ...required));
      return hasDefault && kind === type ? { type: kind, default: VALUES[kind] as JsonValue } : { type: kind };
    };
    both.from.properties[name] = schemaOf(parts.from, type);
    if (isRequired) both.from.required.push(name);
    if (fate === 'drop') {
      if (hasRule) both.rules.push({ remove: path });
      continue;
    }
    both.rules.push(...parts.rules);
    const holder = fate === 'nest' ? nested : both.to;
    const key = fate === 'move' ? `${name}2` : name;
    holder.properties[key] = schemaOf(parts.to, fate === 'retype' ? (type === 'string' ? 'integer' : 'string') : type);
    if (isRequiredThere) holder.required.push(key);
    if (!hasRule) continue;
    if (target !== path) both.rules.push({ move: path, to: target });
    else if (fate === 'retype') both.rules.push({ remove: path });
    if (isRequiredThere && type in VALUES && fate !== 'retype')
      both.rules.push({ default: target, value: VALUES[type] as JsonValue });
  }
  if (Object.keys(nested.properties).length > 0)
    both.to.properties[NEST] = objectOf(nested.properties, ...nested.required);
  return both;
}

/** Returns a random valid object. `chance` decides which optional fields it has. */
function objectFor({ properties, required }: JsonObject, chance: () => boolean): JsonObject {
  const object: JsonObject = {};
  for (const [name, schema] of Object.entries((properties ?? {}) as Record<string, JsonObject>)) {
    if (!((required ?? []) as string[]).includes(name) && !chance()) continue;
    const { type, items } = schema;
    if (type === 'object') object[name] = objectFor(schema, chance);
    else if (type === 'array')
      object[name] = chance() ? [objectFor(items as JsonObject, chance), objectFor(items as JsonObject, chance)] : [];
    else object[name] = VALUES[String(type)] as JsonValue;
  }
  return object;
}

/** An object whose parts all have rules of their own is lost if it is empty. */
function withoutEmpty(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((item) => withoutEmpty(item) ?? {});
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).flatMap(([name, inner]) => {
    const part = withoutEmpty(inner);
    return part === undefined ? [] : [[name, part] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function issuesOf({ compiled }: TestVersion, object: JsonObject): readonly string[] {
  return compiled.validate(object).map(({ path, detail }) => `${String(path)}: ${detail}`);
}

it('rules without a problem convert valid objects to valid objects, and lose no field', () => {
  let accepted = 0;
  fc.assert(
    fc.property(fields, fc.boolean(), fc.infiniteStream(fc.boolean()), (given, isLossy, chances) => {
      const { from, to, rules } = build(given, '.spec', '.spec');
      const [a, b] = [version('a', from.properties, ...from.required), version('b', to.properties, ...to.required)];
      const back = isLossy ? [{ from: 'b', to: 'a', fields: [], lossy: ['.spec'] }] : [];
      const text = JSON.stringify([{ from: 'a', to: 'b', fields: rules, lossy: isLossy ? ['.spec'] : [] }, ...back]);
      if (checkFieldRules(text, [a, b]).length > 0) return;
      accepted++;
      const chance = (): boolean => chances.next().value;
      for (let i = 0; i < 10; i++) {
        const spec = objectFor({ properties: from.properties, required: [...from.required] }, chance);
        const before: JsonObject = { apiVersion: 'g.example/a', kind: 'Thing', metadata: { name: 'a' }, spec };
        a.compiled.setDefaults(before);
        expect(issuesOf(a, before)).toEqual([]);
        const there = converted(text, ['a', 'b'], before['spec'] as JsonObject, [a, b]);
        b.compiled.prune(there);
        const unchanged = cloneJson(there);
        b.compiled.setDefaults(there);
        expect(issuesOf(b, there), text).toEqual([]);
        if (isLossy) continue;
        const again = converted(text, ['b', 'a'], unchanged['spec'] as JsonObject, [a, b]);
        a.compiled.prune(again);
        expect(withoutEmpty(again['spec']) ?? {}, text).toMatchObject(
          (withoutEmpty(before['spec']) ?? {}) as JsonObject,
        );
      }
    }),
    { numRuns: 500 },
  );
  expect(accepted).toBeGreaterThan(20);
});
