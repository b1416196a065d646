/**
 * Checks of the field rules of a definition. Invariant: rules without a problem convert every field of every version
 * there and back. Exceptions are fields that the author lists as lossy, and fields that an expression sets, which
 * cannot be known without real values.
 */
import { toError } from '../../../base/errors.ts';
import {
  cloneJson,
  equalJson,
  getField,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../base/json-value.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import { compileExpression } from './field-expression.ts';
import { EVERY, type FieldRule, formatRulePath, type RulePath, type VersionPair } from './field-rules.ts';
import { fieldsConverter } from './fields-converter.ts';
import { parseFieldRules } from './parse-field-rules.ts';
import { sampleObject } from './sample-object.ts';

export interface CheckedVersion {
  readonly name: string;
  /** Undefined for a version without a structural schema. */
  readonly schema: StructuralSchema | undefined;
  /** Drops fields that the schema does not have, in place. */
  prune(object: JsonObject): void;
}

/** Returns one sentence per problem. `text` is the value of the annotation. */
export function checkFieldRules(text: string, versions: readonly CheckedVersion[]): readonly string[] {
  const parsed = parseFieldRules(text);
  if (!parsed.ok) return parsed.problems;
  const byName = new Map(versions.map((version) => [version.name, version]));
  const problems: string[] = [];
  for (const pair of parsed.pairs) {
    const [from, to] = [byName.get(pair.from), byName.get(pair.to)];
    for (const [name, version] of [
      [pair.from, from],
      [pair.to, to],
    ] as const)
      if (version === undefined) problems.push(`there is no version ${name}`);
    if (from !== undefined && to !== undefined)
      for (const rule of pair.rules) addRuleProblems(rule, pair, from, to, problems);
  }
  if (problems.length > 0) return [...new Set(problems)];
  for (const pair of parsed.pairs) addLosses(pair, parsed.pairs, byName, problems);
  return problems;
}

function addRuleProblems(
  rule: FieldRule,
  pair: VersionPair,
  from: CheckedVersion,
  to: CheckedVersion,
  problems: string[],
): void {
  const missing = (path: RulePath, version: CheckedVersion): void => {
    if (version.schema !== undefined && !hasPath(version.schema, path))
      problems.push(`${formatRulePath(path)} is no field of ${version.name}`);
  };
  switch (rule.kind) {
    case 'move':
      missing(rule.from, from);
      missing(rule.to, to);
      break;
    case 'default':
      missing(rule.path, to);
      break;
    case 'set': {
      missing(rule.path, to);
      const compiled = compileExpression(rule.expression, from.schema);
      if (!compiled.ok) problems.push(`${pair.from} to ${pair.to}, ${formatRulePath(rule.path)}: ${compiled.message}`);
      break;
    }
    case 'remove':
      missing(rule.path, from);
  }
}

/** Reports whether a value may exist at the path. */
function hasPath(schema: StructuralSchema, path: RulePath): boolean {
  let at: StructuralSchema = schema;
  for (const step of path) {
    if (at === schema && step === 'metadata') return true;
    const { additionalProperties: values } = at;
    const next: StructuralSchema | undefined =
      step === EVERY ? at.items : (at.properties.get(step) ?? (typeof values === 'object' ? values : undefined));
    if (next === undefined) return at.preserveUnknownFields || values === true;
    at = next;
  }
  return true;
}

/** Converts an object that has every field there and back, and reports fields that are missing or different. */
function addLosses(
  pair: VersionPair,
  pairs: readonly VersionPair[],
  versions: ReadonlyMap<string, CheckedVersion>,
  problems: string[],
): void {
  const [from, to] = [versions.get(pair.from), versions.get(pair.to)];
  if (from?.schema === undefined || to?.schema === undefined) return;
  const converter = fieldsConverter({
    group: 'check.example',
    kind: 'Check',
    pairs,
    schemaOf: (version) => versions.get(version)?.schema,
  });
  const before = { apiVersion: '', kind: '', metadata: { name: 'check' }, ...sampleObject(from.schema) };
  const convert = (object: JsonObject, source: CheckedVersion, target: CheckedVersion): JsonObject => {
    const [converted] = converter.convert([object], source.name, target.name) as readonly JsonObject[];
    target.prune(converted as JsonObject);
    return converted as JsonObject;
  };
  let after: JsonObject;
  try {
    after = convert(convert(cloneJson(before), from, to), to, from);
  } catch (caught) {
    // The sample values may not suit an expression, which proves nothing about real values.
    if (pairs.some(({ rules }) => rules.some(({ kind }) => kind === 'set'))) return;
    problems.push(`${pair.from} to ${pair.to} and back: ${toError(caught).message}`);
    return;
  }
  const made = pairs.flatMap(({ rules }) =>
    rules.flatMap((rule) => (rule.kind === 'set' ? [formatRulePath(rule.path)] : [])),
  );
  const excused = [...pair.lossy, ...made];
  for (const path of lostPaths(before, after)) {
    if (excused.some((allowed) => path === allowed || path.startsWith(`${allowed}.`) || path.startsWith(`${allowed}[`)))
      continue;
    problems.push(
      `${path} of ${pair.from} does not survive the conversion to ${pair.to} and back: move it, or list it under lossy`,
    );
  }
}

/** Returns the shortest paths at which a part of `before` is missing or different in `after`. */
function lostPaths(before: JsonValue, after: JsonValue | undefined, path = ''): string[] {
  if (after === undefined) return [path];
  if (isJsonObject(before) && isJsonObject(after))
    return Object.keys(before)
      .filter((name) => path !== '' || (name !== 'apiVersion' && name !== 'kind'))
      .flatMap((name) => lostPaths(before[name] as JsonValue, getField(after, name), `${path}.${name}`));
  if (Array.isArray(before) && Array.isArray(after))
    return before.flatMap((item, i) => lostPaths(item, after[i], `${path}[*]`));
  return equalJson(before, after) ? [] : [path];
}
