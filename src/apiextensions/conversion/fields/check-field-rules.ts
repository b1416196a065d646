/**
 * The checks of the field rules of a definition. Invariant: rules without a problem convert every valid object of one
 * version to an object of the other that has the right types and every required field, and lose no field that is not
 * listed as lossy. Limits of values (a maximum, a pattern) are not compared, and functions in expressions may fail: the
 * server checks both when an object is stored.
 */
import { formatIssue } from '../../../apimachinery/validation/field-issue.ts';
import { findAbsentReads } from '../../../cel/check/absent-reads.ts';
import type { CheckedExpression } from '../../../cel/environment.ts';
import { formatIssues } from '../../../cel/issues.ts';
import { checkLosses } from './check-losses.ts';
import { checkRequired } from './check-required.ts';
import { checkTypes } from './check-types.ts';
import { type CheckedPair, type CheckedVersion, missingField } from './checked-version.ts';
import { mayBeEmpty, misfitOf } from './expression-fit.ts';
import { alwaysSetIn } from './expression-types.ts';
import { compileExpression } from './field-expression.ts';
import { type FieldRule, type RuleProblem, type SetRule, sourceOf, targetOf, type VersionPair } from './field-rules.ts';
import { parseFieldRules } from './parse-field-rules.ts';
import { formatRulePath } from './rule-path.ts';
import { schemaAt } from './schema-fields.ts';
import { valueIssues } from './value-issues.ts';

/** Returns the problems of an annotation. Later checks run only if earlier ones found nothing. */
export function checkFieldRules(text: string, versions: readonly CheckedVersion[]): readonly RuleProblem[] {
  const { pairs, problems } = parseFieldRules(text);
  const unknown = unknownVersions(pairs, versions);
  if (problems.length + unknown.length > 0) return unique([...problems, ...unknown]);
  const checked = pairs.flatMap((pair) => checkedPairs(pair, versions));
  const expressions = new Map<FieldRule, CheckedExpression>();
  const found = [
    ...pairs.flatMap((pair) => withoutSchema(pair, versions)),
    ...checked.flatMap((pair) => checkFields(pair)),
    ...checked.flatMap((pair) => checkExpressions(pair, expressions)),
  ];
  if (found.length > 0) return unique(found);
  const isOptional = (rule: FieldRule): boolean => {
    const expression = expressions.get(rule);
    return expression !== undefined && mayBeEmpty(expression);
  };
  const mismatches = checked.flatMap((pair) => [...checkTypes(pair), ...checkRequired(pair, isOptional)]);
  if (mismatches.length > 0) return unique(mismatches);
  return unique(
    checked.flatMap((there) => {
      const back = checked.find(({ pair }) => pair.from === there.pair.to && pair.to === there.pair.from);
      return back === undefined ? [] : checkLosses(there, back, (rule) => expressions.get(rule) as CheckedExpression);
    }),
  );
}

/** A rule that works in both directions can have the same problem twice. */
function unique(problems: readonly RuleProblem[]): readonly RuleProblem[] {
  const known = new Set<string>();
  return problems.filter(({ at, message }) => {
    const key = `${at.join('.')} ${message}`;
    if (known.has(key)) return false;
    known.add(key);
    return true;
  });
}

function unknownVersions(pairs: readonly VersionPair[], versions: readonly CheckedVersion[]): readonly RuleProblem[] {
  const names = versions.map(({ name }) => name);
  const problems: RuleProblem[] = [];
  for (const { from, to, at, isImplied } of pairs) {
    if (isImplied) continue;
    if (!names.includes(from)) problems.push(unknownVersion(from, [...at, 'from'], names));
    if (!names.includes(to)) problems.push(unknownVersion(to, [...at, 'to'], names));
  }
  return problems;
}

function unknownVersion(name: string, at: RuleProblem['at'], names: readonly string[]): RuleProblem {
  return { at, value: name, message: `is not a version of the definition; its versions are ${names.join(', ')}` };
}

function checkedPairs(pair: VersionPair, versions: readonly CheckedVersion[]): readonly CheckedPair[] {
  const [from, to] = [pair.from, pair.to].map((wanted) => versions.find(({ name }) => name === wanted));
  if (from?.schema === undefined || to?.schema === undefined) return [];
  return [{ pair, from: { ...from, schema: from.schema }, to: { ...to, schema: to.schema } }];
}

/** Expressions cannot be checked without a schema. */
function withoutSchema(pair: VersionPair, versions: readonly CheckedVersion[]): readonly RuleProblem[] {
  const { schema } = versions.find(({ name }) => name === pair.from) ?? {};
  if (schema !== undefined) return [];
  return pair.rules
    .filter((rule): rule is SetRule => rule.kind === 'set')
    .map(({ at }) => ({ at, message: `an expression needs a structural schema of ${pair.from}` }));
}

/** Checks that every path is a field of its version, and that defaults are valid. */
function checkFields({ pair, from, to }: CheckedPair): readonly RuleProblem[] {
  const problems: (RuleProblem | undefined)[] = pair.lossy.map((path, i) =>
    missingField(path, [...pair.at, 'lossy', i], from, to),
  );
  for (const rule of pair.rules) {
    const [source, target] = [sourceOf(rule), targetOf(rule)];
    if (source !== undefined) problems.push(missingField(source, [...rule.at, rule.kind], from, to));
    const second = rule.kind === 'move' ? 'to' : rule.kind;
    if (target !== undefined) problems.push(missingField(target, [...rule.at, second], to, from));
    if (rule.kind !== 'default') continue;
    for (const issue of valueIssues(to.schema, rule))
      problems.push({ at: [...rule.at, 'value'], value: rule.value, message: formatIssue(issue) });
  }
  return problems.filter((problem) => problem !== undefined);
}

/** Checks the type of each expression and that it reads no field that may be absent. Adds it to `expressions`. */
function checkExpressions(
  { pair, from, to }: CheckedPair,
  expressions: Map<FieldRule, CheckedExpression>,
): readonly RuleProblem[] {
  const problems: RuleProblem[] = [];
  const isAlwaysSet = alwaysSetIn(from.schema);
  for (const rule of pair.rules) {
    if (rule.kind !== 'set') continue;
    const refuse = (message: string): void => {
      problems.push({ at: [...rule.at, 'expression'], value: rule.expression, message });
    };
    const target = schemaAt(to.schema, rule.path);
    const compiled = compileExpression(rule.expression, from.schema, target);
    if (!compiled.ok) {
      refuse(compiled.message);
      continue;
    }
    expressions.set(rule, compiled.checked);
    const misfit = target === undefined ? undefined : misfitOf(compiled.checked, from.schema, target);
    if (misfit !== undefined) refuse(`does not fit ${formatRulePath(rule.path)} of ${to.name}: ${misfit}`);
    const absent = findAbsentReads(compiled.checked, isAlwaysSet);
    if (absent.length > 0) refuse(formatIssues(rule.expression, absent));
  }
  return problems;
}
