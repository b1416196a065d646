/**
 * The parser of field rules from the annotation, which is YAML or JSON. Invariant: all problems are reported at once,
 * each with its place in the document.
 */
import { readYaml } from '../../../apimachinery/codec/yaml/yaml.ts';
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.ts';
import { EVERY, type FieldRule, formatRulePath, inverse, type RulePath, type VersionPair } from './field-rules.ts';

export type ParsedFieldRules =
  | { readonly ok: true; readonly pairs: readonly VersionPair[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Returns the pairs in the annotation and those that follow from them: moves and defaults can be inverted. */
export function parseFieldRules(text: string): ParsedFieldRules {
  const read = readYaml(text);
  if (!read.ok) return { ok: false, problems: [read.error.message] };
  if (!Array.isArray(read.value)) return { ok: false, problems: ['must be a list of {from, to, fields}'] };
  const problems: string[] = [];
  const pairs = read.value.map((value, i) => readPair(value, `[${i}]`, problems));
  const byName = new Map<string, VersionPair>();
  pairs.forEach((pair, i) => {
    if (pair === undefined) return;
    const name = `${pair.from} ${pair.to}`;
    if (byName.has(name)) problems.push(`[${i}]: ${pair.from} to ${pair.to} is there already`);
    byName.set(name, pair);
  });
  if (problems.length > 0) return { ok: false, problems };
  for (const pair of [...byName.values()]) {
    const name = `${pair.to} ${pair.from}`;
    if (byName.has(name)) continue;
    const back = inverse(pair);
    if (back === undefined)
      problems.push(
        `the way back from ${pair.to} to ${pair.from} is missing: it follows by itself only from moves and defaults`,
      );
    else byName.set(name, back);
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, pairs: [...byName.values()] };
}

const PAIR_FIELDS: readonly string[] = ['from', 'to', 'fields', 'lossy'];

function readPair(value: JsonValue, place: string, problems: string[]): VersionPair | undefined {
  if (!isJsonObject(value)) {
    problems.push(`${place}: must be an object with from, to and fields`);
    return undefined;
  }
  for (const name of Object.keys(value))
    if (!PAIR_FIELDS.includes(name)) problems.push(`${place}.${name}: unknown field`);
  const from = readText(value, 'from', place, problems);
  const to = readText(value, 'to', place, problems);
  const fields = getField(value, 'fields') ?? [];
  const lossy = getField(value, 'lossy') ?? [];
  if (!Array.isArray(fields)) problems.push(`${place}.fields: must be a list`);
  if (!Array.isArray(lossy) || !lossy.every((path) => typeof path === 'string'))
    problems.push(`${place}.lossy: must be a list of paths`);
  if (from === to) problems.push(`${place}: from and to are the same version`);
  const rules: FieldRule[] = [];
  if (Array.isArray(fields))
    fields.forEach((field, i) => {
      const rule = readRule(field, `${place}.fields[${i}]`, problems);
      if (rule !== undefined) rules.push(rule);
    });
  return { from, to, rules, lossy: Array.isArray(lossy) ? lossy.filter((path) => typeof path === 'string') : [] };
}

function readText(object: JsonObject, name: string, place: string, problems: string[]): string {
  const value = getField(object, name);
  if (typeof value === 'string' && value !== '') return value;
  problems.push(`${place}.${name}: must be a text`);
  return '';
}

/** The second field that each kind of rule has, beside the one that names it. */
const BESIDE: Readonly<Record<FieldRule['kind'], string | undefined>> = {
  move: 'to',
  default: 'value',
  set: 'expression',
  remove: undefined,
};

function readRule(value: JsonValue, place: string, problems: string[]): FieldRule | undefined {
  const kind = isJsonObject(value)
    ? (Object.keys(BESIDE) as FieldRule['kind'][]).find((name) => Object.hasOwn(value, name))
    : undefined;
  if (kind === undefined || !isJsonObject(value)) {
    problems.push(`${place}: must have one of move, default, set, remove`);
    return undefined;
  }
  const beside = BESIDE[kind];
  for (const name of Object.keys(value))
    if (name !== kind && name !== beside) problems.push(`${place}.${name}: unknown field beside ${kind}`);
  if (beside !== undefined && getField(value, beside) === undefined) {
    problems.push(`${place}.${beside}: is missing`);
    return undefined;
  }
  const path = readPath(value, kind, place, problems);
  if (path === undefined) return undefined;
  switch (kind) {
    case 'move': {
      const to = readPath(value, 'to', place, problems);
      if (to === undefined) return undefined;
      if (listPart(path) !== listPart(to)) {
        problems.push(`${place}: both paths must be the same up to their last [*]`);
        return undefined;
      }
      return { kind, from: path, to };
    }
    case 'default':
      return { kind, path, value: getField(value, 'value') as JsonValue };
    case 'set': {
      if (path.includes(EVERY)) {
        problems.push(`${place}.set: an expression makes a whole list, not its items`);
        return undefined;
      }
      return { kind, path, expression: readText(value, 'expression', place, problems) };
    }
    case 'remove':
      return { kind, path };
  }
}

function listPart(path: RulePath): string {
  return formatRulePath(path.slice(0, path.lastIndexOf(EVERY) + 1));
}

function readPath(object: JsonObject, name: string, place: string, problems: string[]): RulePath | undefined {
  const text = getField(object, name);
  const path = typeof text === 'string' ? parseRulePath(text) : undefined;
  if (path === undefined) {
    problems.push(`${place}.${name}: must be a path such as .spec.ports[*].port`);
    return undefined;
  }
  const [first] = path;
  if (first === 'apiVersion' || first === 'kind' || (first === 'metadata' && !mayTouchMetadata(path))) {
    problems.push(`${place}.${name}: of the metadata only labels and annotations may change`);
    return undefined;
  }
  return path;
}

function mayTouchMetadata(path: RulePath): boolean {
  return path.length === 3 && (path[1] === 'labels' || path[1] === 'annotations');
}

/** Returns undefined for an invalid path. Names that contain dots are quoted: `.metadata.annotations['a.b/c']`. */
export function parseRulePath(text: string): RulePath | undefined {
  const path: (string | typeof EVERY)[] = [];
  let rest = text;
  while (rest !== '') {
    const match = /^(?:\.([A-Za-z0-9_$-]+)|\['([^']+)'\]|(\[\*\]))/.exec(rest);
    if (match === null) return undefined;
    path.push(match[3] === undefined ? ((match[1] ?? match[2]) as string) : EVERY);
    rest = rest.slice(match[0].length);
  }
  const last = path.at(-1);
  return path.length === 0 || path[0] === EVERY || last === EVERY ? undefined : path;
}
