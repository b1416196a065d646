/**
 * The parser of field rules from the annotation, which is YAML or JSON. Invariant: all problems are reported at once,
 * each with its place in the annotation. It looks at no schema; `check-field-rules` does.
 */
import { readYaml } from '../../../apimachinery/codec/yaml/yaml.ts';
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.ts';
import { FieldMap } from './field-map.ts';
import {
  type FieldRule,
  formatRule,
  impliedRules,
  type RulePlace,
  type RuleProblem,
  sourceOf,
  targetOf,
  type VersionPair,
} from './field-rules.ts';
import { EVERY, formatRulePath, isWithin, itemPart, parseRulePath, type RulePath, samePath } from './rule-path.ts';

export interface ParsedFieldRules {
  /** The pairs in the annotation and the opposite of each. Incomplete if there are problems. */
  readonly pairs: readonly VersionPair[];
  readonly problems: readonly RuleProblem[];
}

/** Parses the value of the annotation. Moves work in both directions. */
export function parseFieldRules(text: string): ParsedFieldRules {
  const read = readYaml(text);
  if (!read.ok) return failed(read.error.message);
  if (!Array.isArray(read.value)) return failed('must be a list of {from, to, fields, lossy}');
  const problems: RuleProblem[] = [];
  const given = new Map<string, VersionPair>();
  for (const [i, value] of read.value.entries()) {
    const pair = readPair(value, [i], problems);
    if (pair === undefined) continue;
    const name = nameOf(pair.from, pair.to);
    if (given.has(name)) problems.push({ at: [i], message: `there are rules from ${pair.from} to ${pair.to} already` });
    else given.set(name, pair);
  }
  const pairs = withOpposites(given);
  for (const pair of pairs) addConflicts(pair, problems);
  return { pairs, problems };
}

function failed(message: string): ParsedFieldRules {
  return { pairs: [], problems: [{ at: [], message }] };
}

function nameOf(from: string, to: string): string {
  return `${from} ${to}`;
}

function withOpposites(given: ReadonlyMap<string, VersionPair>): readonly VersionPair[] {
  const pairs: VersionPair[] = [];
  for (const pair of given.values()) {
    const opposite = given.get(nameOf(pair.to, pair.from));
    const implied = opposite === undefined ? [] : impliedRules(opposite, pair.rules);
    pairs.push({ ...pair, rules: [...pair.rules, ...implied] });
    if (opposite === undefined)
      pairs.push({
        from: pair.to,
        to: pair.from,
        rules: impliedRules(pair, []),
        lossy: [],
        at: pair.at,
        isImplied: true,
      });
  }
  return pairs;
}

const PAIR_FIELDS: readonly string[] = ['from', 'to', 'fields', 'lossy'];

function readPair(value: JsonValue, at: RulePlace, problems: RuleProblem[]): VersionPair | undefined {
  if (!isJsonObject(value)) {
    problems.push({ at, value, message: 'must be an object with from, to, fields and lossy' });
    return undefined;
  }
  for (const name of Object.keys(value))
    if (!PAIR_FIELDS.includes(name))
      problems.push({ at: [...at, name], message: `unknown field: the fields are ${PAIR_FIELDS.join(', ')}` });
  const from = readText(value, 'from', at, problems);
  const to = readText(value, 'to', at, problems);
  if (from !== '' && from === to) problems.push({ at: [...at, 'to'], value: to, message: 'must be another version' });
  const rules: FieldRule[] = [];
  for (const [i, field] of readList(value, 'fields', at, problems).entries()) {
    const rule = readRule(field, [...at, 'fields', i], problems);
    if (rule !== undefined) rules.push(rule);
  }
  const lossy: RulePath[] = [];
  for (const [i, text] of readList(value, 'lossy', at, problems).entries()) {
    const path = readPath(text, [...at, 'lossy', i], problems);
    if (path !== undefined) lossy.push(path);
  }
  return from === '' || to === '' ? undefined : { from, to, rules, lossy, at, isImplied: false };
}

function readList(object: JsonObject, name: string, at: RulePlace, problems: RuleProblem[]): readonly JsonValue[] {
  const value = getField(object, name) ?? [];
  if (Array.isArray(value)) return value;
  problems.push({ at: [...at, name], value, message: 'must be a list' });
  return [];
}

function readText(object: JsonObject, name: string, at: RulePlace, problems: RuleProblem[]): string {
  const value = getField(object, name);
  if (typeof value === 'string' && value !== '') return value;
  problems.push({ at: [...at, name], value: value ?? null, message: 'must be a string' });
  return '';
}

/** The second field that each kind of rule has, beside the one that names it. */
const BESIDE: Readonly<Record<FieldRule['kind'], string | undefined>> = {
  move: 'to',
  default: 'value',
  set: 'expression',
  remove: undefined,
};

function readRule(value: JsonValue, at: RulePlace, problems: RuleProblem[]): FieldRule | undefined {
  const kind = isJsonObject(value)
    ? (Object.keys(BESIDE) as FieldRule['kind'][]).find((name) => Object.hasOwn(value, name))
    : undefined;
  if (kind === undefined || !isJsonObject(value)) {
    problems.push({ at, value, message: 'must have one of move, default, set, remove' });
    return undefined;
  }
  const beside = BESIDE[kind];
  for (const name of Object.keys(value))
    if (name !== kind && name !== beside) problems.push({ at: [...at, name], message: `unknown field beside ${kind}` });
  if (beside !== undefined && getField(value, beside) === undefined) {
    problems.push({ at: [...at, beside], message: `is missing beside ${kind}` });
    return undefined;
  }
  const path = readPath(value[kind], [...at, kind], problems);
  if (path === undefined) return undefined;
  switch (kind) {
    case 'move': {
      const to = readPath(value['to'], [...at, 'to'], problems);
      return to === undefined ? undefined : { kind, from: path, to, at };
    }
    case 'default':
      return { kind, path, value: value['value'] as JsonValue, at };
    case 'set': {
      if (path.includes(EVERY)) {
        const message = 'an expression makes a whole list, not its items: set the list';
        problems.push({ at: [...at, 'set'], value: formatRulePath(path), message });
        return undefined;
      }
      const expression = readText(value, 'expression', at, problems);
      return expression === '' ? undefined : { kind, path, expression, at };
    }
    case 'remove':
      return { kind, path, at };
  }
}

function readPath(value: JsonValue | undefined, at: RulePlace, problems: RuleProblem[]): RulePath | undefined {
  const path = typeof value === 'string' ? parseRulePath(value) : undefined;
  const refuse = (message: string): undefined => {
    problems.push({ at, value: value ?? null, message });
    return undefined;
  };
  if (path === undefined) return refuse('must be a path such as .spec.ports[*].port');
  if (path[0] === 'apiVersion' || path[0] === 'kind') return refuse('conversion sets apiVersion and kind itself');
  if (path[0] === 'metadata' && !isChangeableMetadata(path))
    return refuse("of the metadata only labels and annotations may change: .metadata.labels['a.b/c']");
  return path;
}

function isChangeableMetadata(path: RulePath): boolean {
  return path.length === 3 && (path[1] === 'labels' || path[1] === 'annotations');
}

/** Reports rules that take or write the same field, and items that would leave their list. */
function addConflicts({ rules }: VersionPair, problems: RuleProblem[]): void {
  const map = new FieldMap(rules);
  for (const [i, rule] of rules.entries()) {
    const earlier = rules.slice(0, i);
    const conflict = earlier.find((other) => isConflict(other, rule));
    if (conflict !== undefined)
      problems.push({ at: rule.at, message: `conflicts with ${formatRule(conflict)}: both are about the same field` });
    if (rule.kind === 'move') addLeavingItems(rule.from, rule.to, rule.at, map, problems);
  }
}

function isConflict(left: FieldRule, right: FieldRule): boolean {
  const [source, otherSource] = [sourceOf(left), sourceOf(right)];
  if (source !== undefined && otherSource !== undefined && samePath(source, otherSource)) return true;
  const [target, otherTarget] = [targetOf(left), targetOf(right)];
  if (target === undefined || otherTarget === undefined) return false;
  const [isDefault, isOtherDefault] = [left.kind === 'default', right.kind === 'default'];
  if (isDefault || isOtherDefault) return isDefault && isOtherDefault && samePath(target, otherTarget);
  // A set field replaces everything inside it.
  return (
    samePath(target, otherTarget) ||
    (left.kind === 'set' && isWithin(otherTarget, target)) ||
    (right.kind === 'set' && isWithin(target, otherTarget))
  );
}

function addLeavingItems(from: RulePath, to: RulePath, at: RulePlace, map: FieldMap, problems: RuleProblem[]): void {
  const items = itemPart(from);
  const image = items.length === 0 ? [] : (map.imageOf(items) ?? []);
  if (samePath(itemPart(to), image)) return;
  const [list, place] = [formatRulePath(items.slice(0, -1)), formatRulePath(image)];
  const message =
    items.length === 0
      ? 'a value from outside of a list cannot be moved into its items'
      : `must begin with ${place}, where the items of ${list} are after conversion; {move: ${list}, to: ...} moves the list itself`;
  problems.push({ at: [...at, 'to'], value: formatRulePath(to), message });
}
