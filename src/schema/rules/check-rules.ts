/** The check of rules when a definition is written. */
import type { RuleCheck } from '../rule-check.ts';
import { declaredType } from './declared-type.ts';
import { compileRules } from './rule-program.ts';

export const checkRules: RuleCheck = (schema, isResource) => {
  const declared = declaredType(schema, isResource);
  if (declared === undefined) return { ok: false, message: 'unable to convert structural schema to CEL declarations' };
  const verdicts = compileRules(schema.rules, schema, declared).map((compiled) => ({
    problem: compiled.problem,
    maxCost: compiled.program?.maxCost ?? 0,
    maxCardinality: compiled.maxCardinality,
    messageProblem: compiled.messageProblem,
    messageMaxCost: compiled.message?.maxCost,
    usesOldSelf: compiled.usesOldSelf,
  }));
  return { ok: true, verdicts };
};
