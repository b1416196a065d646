/**
 * The check of losses. Every scalar of a sample object is a mark that names its field. The object is converted there
 * and back; an expression yields the marks of everything that it reads. Invariant: a field whose own mark does not come
 * back is reported, unless it is listed as lossy. A mark that comes back through an expression proves only that the
 * value was read, not that it is restored.
 */
import { cloneJson, getField, isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.ts';
import type { CheckedExpression } from '../../../cel/environment.ts';
import type { CheckedPair } from './checked-version.ts';
import { compilePlan, type Evaluate } from './conversion-plan.ts';
import { readsOf } from './expression-reads.ts';
import { FieldMap } from './field-map.ts';
import type { RuleProblem, SetRule } from './field-rules.ts';
import { EVERY, formatRulePath, isWithin, type RulePath } from './rule-path.ts';
import { SAMPLE_KEY, sampleObject, sampleValue, UNLISTED } from './sample-object.ts';
import { schemaAt } from './schema-fields.ts';
import { UnchangedParts } from './unchanged-parts.ts';

/** `there` and `back` are opposite pairs. `checkedOf` returns the expression of a rule, which has no problem. */
export function checkLosses(
  there: CheckedPair,
  back: CheckedPair,
  checkedOf: (rule: SetRule) => CheckedExpression,
): readonly RuleProblem[] {
  let marks = 0;
  const [keptThere, keptBack] = [new UnchangedParts(there), new UnchangedParts(back)];
  const map = new FieldMap(there.pair.rules);
  const before = sampleObject(there.from.schema, {
    scalar: () => markOf([marks++]),
    // A part that no rule concerns has one mark.
    isScalar: (schema, path) => {
      const image = keptThere.has(schema, path) ? map.imageOf(path) : undefined;
      const target = image === undefined ? undefined : schemaAt(there.to.schema, image);
      return image !== undefined && target !== undefined && target !== 'any' && keptBack.has(target, image);
    },
  });
  const object: JsonObject = { apiVersion: '', kind: '', metadata: { name: 'sample' }, ...cloneJson(before) };
  convert(object, there, checkedOf);
  convert(object, back, checkedOf);
  const { pair, from, to } = there;
  const problems: RuleProblem[] = [];
  for (const path of lostPaths(before, object, [])) {
    if (pair.lossy.some((allowed) => isWithin(path, allowed))) continue;
    const field =
      path.at(-1) === UNLISTED ? `an unlisted field of ${formatRulePath(path.slice(0, -1))}` : formatRulePath(path);
    const message =
      `${field} of ${from.name} does not survive the conversion to ${to.name} and back: move it, convert it in both ` +
      `directions with set, or list it under lossy of the rules from ${from.name} to ${to.name}`;
    problems.push({ at: pair.at, message });
  }
  return problems;
}

/** Converts a sample in place. */
function convert(
  object: JsonObject,
  { pair, from, to }: CheckedPair,
  checkedOf: (rule: SetRule) => CheckedExpression,
): void {
  const evaluate: Evaluate = (rule, given) => {
    const read = readsOf(checkedOf(rule), from.schema).flatMap((path) => marksAt(given, path));
    const mark = markOf(read);
    const target = schemaAt(to.schema, rule.path);
    return target === undefined || target === 'any' ? mark : sampleValue(target, { scalar: () => mark }, rule.path);
  };
  // A default replaces no value that the object has.
  const rules = pair.rules.filter(({ kind }) => kind !== 'default');
  compilePlan(rules, evaluate)(object);
  to.prune(object);
}

function markOf(marks: readonly number[]): string {
  return [...new Set(marks)].join(' ');
}

function marksIn(mark: string): readonly number[] {
  return mark === '' ? [] : mark.split(' ').map(Number);
}

/** Returns all marks at and below a path. The whole value counts if the path goes deeper than the sample. */
function marksAt(value: JsonValue | undefined, path: RulePath): readonly number[] {
  const [step, ...rest] = path;
  if (value === undefined) return [];
  if (typeof value === 'string') return marksIn(value);
  if (step === undefined || step === EVERY)
    return Object.values(value as object).flatMap((part) => marksAt(part, rest));
  if (!isJsonObject(value)) return [];
  return marksAt(getField(value, step) ?? getField(value, SAMPLE_KEY), rest);
}

/** Returns the paths of scalars whose own mark is not in the scalar at the same path of `after`. */
function lostPaths(before: JsonValue, after: JsonValue | undefined, path: RulePath): readonly RulePath[] {
  if (typeof before === 'string') {
    const [mark] = marksIn(before);
    const isKept = typeof after === 'string' && marksIn(after).includes(mark as number);
    return isKept ? [] : [path];
  }
  if (after === undefined) return [path];
  if (Array.isArray(before))
    return before.flatMap((item, i) => lostPaths(item, Array.isArray(after) ? after[i] : undefined, [...path, EVERY]));
  if (!isJsonObject(before)) return [];
  return Object.keys(before).flatMap((name) =>
    lostPaths(before[name] as JsonValue, isJsonObject(after) ? getField(after, name) : undefined, [...path, name]),
  );
}
