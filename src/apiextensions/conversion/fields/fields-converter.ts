/**
 * Conversion by field rules. Invariant: synchronous and pure. Versions that no chain of rules connects differ only in
 * apiVersion, as with strategy None. An object that cannot be converted fails alone.
 */
import { formatGroupVersion } from '../../../apimachinery/meta/gvk.ts';
import { nameOf, namespaceOf } from '../../../apimachinery/meta/meta.ts';
import { isStatusError, type StatusDetails, StatusError } from '../../../apimachinery/status/status.ts';
import { unknown } from '../../../apimachinery/status/status-catalogue.ts';
import { BugError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { CelError, CelStopped } from '../../../cel/values.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import type { Converter } from '../custom-converter.ts';
import { type ConversionPlan, compilePlan, type Evaluate } from './conversion-plan.ts';
import { compileExpression } from './field-expression.ts';
import { type FieldRule, formatRule, type SetRule, sourceOf, targetOf, type VersionPair } from './field-rules.ts';
import { EVERY, formatRulePath } from './rule-path.ts';
import { schemaAt } from './schema-fields.ts';

export interface FieldsConverterOptions {
  readonly group: string;
  readonly kind: string;
  readonly pairs: readonly VersionPair[];
  /** Returns the schema that expressions on objects of the version are checked with. Undefined: none. */
  schemaOf(version: string): StructuralSchema | undefined;
  /** Prunes an object between two steps of a chain and sets the defaults of its version, in place. */
  complete(object: JsonObject, version: string): void;
}

export function fieldsConverter(options: FieldsConverterOptions): Converter {
  const { group, kind } = options;
  const routes = new Map<string, ConversionPlan>();
  const routeOf = (from: string, to: string): ConversionPlan => {
    const name = `${from} ${to}`;
    let route = routes.get(name);
    if (route === undefined) {
      route = makeRoute(findRoute(options.pairs, from, to), options);
      routes.set(name, route);
    }
    return route;
  };
  return {
    keepsMetadata: !options.pairs.some(({ rules }) => rules.some(isAboutMetadata)),
    mayFail: (from, to) =>
      findRoute(options.pairs, from, to).some(({ rules }) =>
        rules.some((rule) => rule.kind === 'set' || targetOf(rule)?.[0] === 'metadata'),
      ),
    ruleOf: (steps, from, to) => {
      const rules = findRoute(options.pairs, from, to).at(-1)?.rules ?? [];
      const rule = rules.find((candidate) => writes(candidate, steps));
      return rule === undefined ? undefined : formatRule(rule);
    },
    convert: (objects, from, to) => {
      const route = routeOf(from, to);
      const apiVersion = formatGroupVersion({ group, version: to });
      return objects.map((object) => {
        try {
          route(object);
        } catch (caught) {
          const source = `${formatGroupVersion({ group, version: from })}, Kind=${kind}`;
          const what = `${source} ${placeOf(object)} cannot be converted to ${to}`;
          return failureOf(caught, what, { group, kind, name: nameOf(object) });
        }
        object['apiVersion'] = apiVersion;
        object['kind'] = kind;
        return object;
      });
    },
  };
}

function isAboutMetadata(rule: FieldRule): boolean {
  return sourceOf(rule)?.[0] === 'metadata' || targetOf(rule)?.[0] === 'metadata';
}

/** Reports whether a rule writes the field, or a field that it is in. */
function writes(rule: FieldRule, steps: readonly string[]): boolean {
  const target = targetOf(rule);
  if (target === undefined || target.length > steps.length) return false;
  return target.every((step, i) => (step === EVERY ? /^\d+$/.test(steps[i] as string) : step === steps[i]));
}

/** Names an object as `namespace/name`. */
function placeOf(object: JsonObject): string {
  const namespace = namespaceOf(object);
  return JSON.stringify(namespace === '' ? nameOf(object) : `${namespace}/${nameOf(object)}`);
}

/** The failure of an expression, with the field that it would set. */
function expressionFailure(rule: SetRule, message: string): StatusError {
  const because = `${formatRule(rule)}: ${message}`;
  const causes = [{ message: because, field: formatRulePath(rule.path).replace(/^\./, '') }];
  return new StatusError({ ...unknown(because), details: { causes } });
}

/** Returns the failure of one object, with the object in its message and details. Throws errors of other classes. */
function failureOf(caught: unknown, what: string, object: StatusDetails): StatusError {
  if (!isStatusError(caught)) throw caught;
  return new StatusError({
    ...unknown(`${what}: ${caught.message}`),
    details: { ...object, ...caught.status.details },
  });
}

function makeRoute(pairs: readonly VersionPair[], options: FieldsConverterOptions): ConversionPlan {
  const [first, ...rest] = pairs.map((pair) => makePlan(pair, options));
  if (first === undefined) return () => undefined;
  if (rest.length === 0) return first;
  return (object) => {
    first(object);
    for (const [i, plan] of rest.entries()) {
      const { from: version } = pairs[i + 1] as VersionPair;
      object['apiVersion'] = formatGroupVersion({ group: options.group, version });
      options.complete(object, version);
      plan(object);
    }
  };
}

function makePlan({ from, to, rules }: VersionPair, { schemaOf }: FieldsConverterOptions): ConversionPlan {
  const [source, target] = [schemaOf(from), schemaOf(to)];
  const expressions = new Map<SetRule, ReturnType<typeof compileExpression>>();
  for (const rule of rules) {
    if (rule.kind !== 'set') continue;
    const field = target === undefined ? undefined : schemaAt(target, rule.path);
    expressions.set(rule, compileExpression(rule.expression, source, field));
  }
  const evaluate: Evaluate = (rule, object) => {
    const compiled = expressions.get(rule);
    if (compiled === undefined) throw new BugError('the rule belongs to another pair of versions');
    // Validation refuses such rules. A definition that another server stored may still have them.
    if (!compiled.ok) throw expressionFailure(rule, compiled.message);
    try {
      return compiled.evaluate(object);
    } catch (caught) {
      if (caught instanceof CelError || caught instanceof CelStopped) throw expressionFailure(rule, caught.message);
      throw caught;
    }
  };
  return compilePlan(rules, evaluate);
}

/** Returns the shortest chain of pairs, or an empty one if there is none. */
export function findRoute(pairs: readonly VersionPair[], from: string, to: string): readonly VersionPair[] {
  const reached = new Map<string, readonly VersionPair[]>([[from, []]]);
  for (const [version, route] of reached) {
    if (version === to) return route;
    for (const pair of pairs)
      if (pair.from === version && !reached.has(pair.to)) reached.set(pair.to, [...route, pair]);
  }
  return [];
}
