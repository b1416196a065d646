/** The search for rules in the JSON of a schema. It creates no nodes, and does not need the compiler of rules. */
import { getField, type JsonObject } from '../../base/json-value.ts';
import { someNode } from '../structural/schema-source.ts';
import type { StructuralSchema } from '../structural/structural.ts';

/**
 * True if the schema has a rule outside of logic operators: like in kube-apiserver, rules under `allOf` alone do not
 * run.
 */
export function hasRules({ source }: StructuralSchema): boolean {
  return someNode(source, carriesRules);
}

/** True if the JSON of a node has rules of its own. */
export function carriesRules(source: Readonly<JsonObject>): boolean {
  const rules = getField(source, 'x-kubernetes-validations');
  return Array.isArray(rules) && rules.length > 0;
}
