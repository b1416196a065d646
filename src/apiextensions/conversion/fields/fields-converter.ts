/**
 * Conversion by field rules. Invariant: synchronous and pure. Versions that no chain of rules connects differ only in
 * apiVersion, as with strategy None.
 */
import { formatGroupVersion } from '../../../apimachinery/meta/gvk.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { unknown } from '../../../apimachinery/status/status-catalogue.ts';
import { BugError, toError } from '../../../base/errors.ts';
import { cloneJson, type JsonObject } from '../../../base/json-value.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import type { Converter } from '../custom-converter.ts';
import { applyFieldRules, type Expressions } from './apply-field-rules.ts';
import { compileExpression } from './field-expression.ts';
import { type FieldRule, formatRulePath, type VersionPair } from './field-rules.ts';

export interface FieldsConverterOptions {
  readonly group: string;
  readonly kind: string;
  readonly pairs: readonly VersionPair[];
  /** Returns the schema that expressions on objects of the version are checked with. Undefined: none. */
  schemaOf(version: string): StructuralSchema | undefined;
}

export function fieldsConverter(options: FieldsConverterOptions): Converter {
  const { group, kind } = options;
  const routes = new Map<string, readonly Step[]>();
  const routeOf = (from: string, to: string): readonly Step[] => {
    const name = `${from} ${to}`;
    let route = routes.get(name);
    if (route === undefined) {
      route = findRoute(options.pairs, from, to).map((pair) => makeStep(pair, options));
      routes.set(name, route);
    }
    return route;
  };
  return {
    convert: (objects, from, to) =>
      objects.map((object) => {
        for (const step of routeOf(from, to)) {
          try {
            step(object);
          } catch (caught) {
            const place = `${formatGroupVersion({ group, version: from })}, Kind=${kind}`;
            throw new StatusError(unknown(`conversion of ${place} to ${to} failed: ${toError(caught).message}`));
          }
        }
        object['apiVersion'] = formatGroupVersion({ group, version: to });
        object['kind'] = kind;
        return object;
      }),
  };
}

/** Modifies an object in place. */
type Step = (object: JsonObject) => void;

function makeStep(pair: VersionPair, { schemaOf }: FieldsConverterOptions): Step {
  const expressions = new Map<FieldRule, ReturnType<typeof compileExpression>>();
  for (const rule of pair.rules)
    if (rule.kind === 'set') expressions.set(rule, compileExpression(rule.expression, schemaOf(pair.from)));
  const evaluate: Expressions = (rule, before) => {
    const compiled = expressions.get(rule);
    if (compiled === undefined) throw new BugError('the rule belongs to another pair of versions');
    // Validation refuses such rules. A definition that another server stored may still have them.
    if (!compiled.ok) throw new StatusError(unknown(`${formatRulePath(rule.path)}: ${compiled.message}`));
    return compiled.evaluate(before);
  };
  const reads = expressions.size > 0;
  return (object) => applyFieldRules(object, reads ? cloneJson(object) : object, pair.rules, evaluate);
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
