/**
 * The compiler of rules: from the source of a rule to its programs, their maximum costs, or the reason why it does not
 * compile.
 */
import { estimateCost } from '../../cel/cost/estimate.ts';
import { createEnvironment } from '../../cel/create-environment.ts';
import type { CheckedExpression, Environment, Program, SizeHints } from '../../cel/environment.ts';
import { formatIssues } from '../../cel/issues.ts';
import { KUBERNETES_LIBRARIES } from '../../cel/libraries/kubernetes.ts';
import { BOOL, type CelType, optionalOf, STRING } from '../../cel/types.ts';
import { CelError } from '../../cel/values.ts';
import type { StructuralSchema, ValidationRule } from '../structural/structural.ts';
import { type DeclaredType, maxCardinality } from './declared-type.ts';
import { validFieldPath } from './valid-field-path.ts';

export interface CompiledExpression {
  readonly program: Program;
  /** The static estimate of the worst case. */
  readonly maxCost: number;
}

export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Undefined for an empty rule and for a rule with a problem. */
  readonly program: CompiledExpression | undefined;
  /** The reason why the rule does not compile, with kube-apiserver's text; undefined if it compiles. */
  readonly problem: string | undefined;
  readonly message: CompiledExpression | undefined;
  readonly messageProblem: string | undefined;
  readonly usesOldSelf: boolean;
  /** How often the node can occur in a request of the maximum size. */
  readonly maxCardinality: number;
  /** The path of `fieldPath` below the node; '' if the rule has no valid `fieldPath`. */
  readonly fieldPath: string;
}

const SELF = 'self';
const OLD_SELF = 'oldSelf';

let base: Environment | undefined;

/** The environment of all rules, without variables. Created on first use. */
export function ruleEnvironment(): Environment {
  base ??= createEnvironment({ libraries: KUBERNETES_LIBRARIES, variables: [] });
  return base;
}

/** Compiles the rules of a node. `schema` is the schema of the node and `declared` its declared type. */
export function compileRules(
  rules: readonly ValidationRule[],
  schema: StructuralSchema,
  declared: DeclaredType,
): readonly CompiledRule[] {
  const environments = new Map<boolean, Environment>();
  const environmentOf = (optional: boolean): Environment => {
    let environment = environments.get(optional);
    if (environment === undefined) {
      environment = ruleEnvironment().extend({ variables: variables(declared.type, optional) });
      environments.set(optional, environment);
    }
    return environment;
  };
  const hints = sizeHints(declared);
  return rules.map((rule) => compileRule(rule, schema, declared, environmentOf(rule.optionalOldSelf === true), hints));
}

function variables(self: CelType, optionalOld: boolean): readonly { readonly name: string; readonly type: CelType }[] {
  return [
    { name: SELF, type: self },
    { name: OLD_SELF, type: optionalOld ? optionalOf(self) : self },
  ];
}

function compileRule(
  rule: ValidationRule,
  schema: StructuralSchema,
  declared: DeclaredType,
  environment: Environment,
  hints: SizeHints,
): CompiledRule {
  const place = rule.fieldPath === '' ? undefined : validFieldPath(rule.fieldPath, schema);
  const empty: CompiledRule = {
    rule,
    program: undefined,
    problem: undefined,
    message: undefined,
    messageProblem: undefined,
    usesOldSelf: false,
    maxCardinality: maxCardinality(declared.minSize),
    fieldPath: place?.ok === true && place.path !== undefined ? place.path.toString() : '',
  };
  if (rule.rule.trim() === '') return empty;
  const checked = environment.check(rule.rule);
  if (!checked.ok) return { ...empty, problem: `compilation failed: ${formatIssues(rule.rule, checked.issues)}` };
  if (checked.checked.type !== BOOL) return { ...empty, problem: 'cel expression must evaluate to a bool' };
  const program = expression(environment, checked.checked, hints);
  const reads = usesOldSelf(checked.checked);
  if (typeof program === 'string')
    return { ...empty, problem: `program instantiation failed: ${program}`, usesOldSelf: reads };
  const compiled = { ...empty, program, usesOldSelf: reads };
  if (rule.messageExpression === '') return compiled;
  const message = environment.check(rule.messageExpression);
  if (!message.ok) {
    const issues = formatIssues(rule.messageExpression, message.issues);
    return { ...compiled, messageProblem: `messageExpression compilation failed: ${issues}` };
  }
  if (message.checked.type !== STRING)
    return { ...compiled, messageProblem: 'messageExpression must evaluate to a string' };
  const text = expression(environment, message.checked, hints);
  if (typeof text === 'string')
    return { ...compiled, messageProblem: `messageExpression instantiation failed: ${text}` };
  return { ...compiled, message: text };
}

/** The compiled expression, or the reason why it always fails, such as `int('x')`. */
function expression(
  environment: Environment,
  checked: CheckedExpression,
  hints: SizeHints,
): CompiledExpression | string {
  let program: Program;
  try {
    program = environment.program(checked);
  } catch (thrown) {
    if (thrown instanceof CelError) return thrown.message;
    throw thrown;
  }
  let maxCost: number | undefined;
  return {
    program,
    get maxCost(): number {
      maxCost ??= estimateCost(checked, hints).max;
      return maxCost;
    },
  };
}

function usesOldSelf({ references }: CheckedExpression): boolean {
  for (const reference of references.values())
    if (reference.kind === 'variable' && reference.name === OLD_SELF) return true;
  return false;
}

/** The declared maximum sizes, for the cost estimate. */
export function sizeHints(root: DeclaredType): SizeHints {
  return {
    size: (path) => {
      if (path.length === 0) return undefined;
      let at: DeclaredType | undefined = root;
      for (const step of path.slice(1)) {
        if (step === '@items' || step === '@values') at = at.element;
        else if (step === '@keys') at = at.key;
        else at = at.fields?.get(step);
        if (at === undefined) return undefined;
      }
      return { min: 0, max: at.maxElements };
    },
  };
}
