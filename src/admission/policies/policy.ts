/** The parts of policies and bindings that both kinds share, and a ValidatingAdmissionPolicy, compiled. */
import { type GroupVersionKind, gvkOf } from '../../apimachinery/meta/gvk.ts';
import { nameOf } from '../../apimachinery/meta/meta.ts';
import { listAt, objectAt, objectsAt, textAt, textsAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { BOOL, DYN, NULL, STRING } from '../../cel/types.ts';
import {
  type CompiledExpression,
  ExpressionCompiler,
  type ExpressionScope,
  sharedCompiler,
} from '../expression-compiler.ts';
import { compileConditions, type MatchCondition } from '../matching/match-conditions.ts';
import { type IndexedHook, MatchIndex } from '../matching/match-index.ts';
import { matchRulesAt } from '../matching/match-rules.ts';
import { compileSelector, type LabelTest } from '../matching/match-selectors.ts';

/** The part of a policy or binding that selects requests. */
export interface MatchedHook extends IndexedHook {
  readonly namespaces: LabelTest;
  readonly objects: LabelTest;
}

export interface PolicyExpression {
  readonly source: string;
  readonly compiled: CompiledExpression;
}

export interface PolicyVariable extends PolicyExpression {
  readonly name: string;
}

export interface PolicyValidation extends PolicyExpression {
  /** Trimmed; '' for none. */
  readonly message: string;
  readonly messageExpression: PolicyExpression | undefined;
  /** '' for the default, Invalid. */
  readonly reason: string;
}

export interface PolicyAnnotation extends PolicyExpression {
  readonly key: string;
}

/** The parts that validating and mutating policies share. */
export interface PolicyParts extends MatchedHook {
  readonly name: string;
  /** Whether a request is admitted although the policy cannot be evaluated: `failurePolicy: Ignore`. */
  readonly ignoresFailures: boolean;
  /** Undefined for a policy without parameters. */
  readonly paramKind: GroupVersionKind | undefined;
  readonly variables: readonly PolicyVariable[];
  readonly conditions: readonly MatchCondition[];
  /** The variables of all expressions but message expressions. */
  readonly scope: ExpressionScope;
}

/** A policy without its bindings. */
export interface CompiledPolicy extends PolicyParts {
  readonly validations: readonly PolicyValidation[];
  readonly annotations: readonly PolicyAnnotation[];
  /** The variables of message expressions. */
  readonly messageScope: ExpressionScope;
}

/** A policy with its bindings, which are ordered by name. */
export type Bound<P extends PolicyParts> = P & { readonly bindings: readonly PolicyBinding[] };

export type ValidatingPolicy = Bound<CompiledPolicy>;

export interface PolicyBinding extends MatchedHook {
  readonly name: string;
  /** Deny, Warn, Audit; none for a mutating policy. */
  readonly actions: readonly string[];
  /** Undefined: the policy is evaluated without parameters. */
  readonly paramRef: ParamRef | undefined;
  /** The rules of the binding alone. */
  readonly index: MatchIndex<MatchedHook>;
}

export interface ParamRef {
  /** '' to use the selector. */
  readonly name: string;
  readonly namespace: string;
  readonly selector: JsonObject | undefined;
  readonly deniesIfMissing: boolean;
}

/**
 * Compiles the shared parts of a stored policy. The compiler is for its other expressions, which may read its
 * variables.
 */
export function compileParts(policy: JsonObject): {
  readonly parts: PolicyParts;
  readonly compiler: ExpressionCompiler;
} {
  const spec = objectAt(policy, 'spec') ?? {};
  const kind = objectAt(spec, 'paramKind');
  const scope: ExpressionScope = { params: kind !== undefined, authorizer: true };
  const compiler = listAt(spec, 'variables').length > 0 ? new ExpressionCompiler(true) : sharedCompiler();
  // A variable may read those before it.
  const variables = objectsAt(spec, 'variables').map((variable) => {
    const [name, source] = [textAt(variable, 'name'), textAt(variable, 'expression')];
    return { name, source, compiled: compiler.declareVariable(name, source, scope) };
  });
  const parts = {
    ...matchedHook(objectAt(spec, 'matchConstraints') ?? {}, false),
    name: nameOf(policy),
    ignoresFailures: textAt(spec, 'failurePolicy') === 'Ignore',
    paramKind: kind && gvkOf(textAt(kind, 'apiVersion'), textAt(kind, 'kind')),
    variables,
    conditions: compileConditions(objectsAt(spec, 'matchConditions'), scope, compiler),
    scope,
  };
  return { parts, compiler };
}

/** Compiles a stored ValidatingAdmissionPolicy. Its expressions were compiled before when it was written. */
export function compilePolicy(policy: JsonObject): CompiledPolicy {
  const spec = objectAt(policy, 'spec') ?? {};
  const { parts, compiler } = compileParts(policy);
  const { scope } = parts;
  const messageScope: ExpressionScope = { ...scope, authorizer: false };
  return {
    ...parts,
    validations: objectsAt(spec, 'validations').map((validation) => {
      const source = textAt(validation, 'expression');
      const message = textAt(validation, 'messageExpression');
      return {
        source,
        compiled: compiler.compile(source, scope, [BOOL]),
        message: textAt(validation, 'message').trim(),
        messageExpression:
          message === '' ? undefined : { source: message, compiled: compiler.compile(message, messageScope, [STRING]) },
        reason: textAt(validation, 'reason'),
      };
    }),
    annotations: objectsAt(spec, 'auditAnnotations').map((annotation) => {
      const source = textAt(annotation, 'valueExpression');
      return {
        key: textAt(annotation, 'key'),
        source,
        compiled: compiler.compile(source, scope, [STRING, NULL, DYN]),
      };
    }),
    messageScope,
  };
}

/** Compiles a stored binding of either kind. */
export function compileBinding(binding: JsonObject): PolicyBinding {
  const spec = objectAt(binding, 'spec') ?? {};
  const ref = objectAt(spec, 'paramRef');
  const hook = matchedHook(objectAt(spec, 'matchResources') ?? {}, true);
  return {
    ...hook,
    name: nameOf(binding),
    actions: textsAt(spec, 'validationActions'),
    paramRef: ref && {
      name: textAt(ref, 'name'),
      namespace: textAt(ref, 'namespace'),
      selector: objectAt(ref, 'selector'),
      deniesIfMissing: textAt(ref, 'parameterNotFoundAction') === 'Deny',
    },
    index: new MatchIndex([hook]),
  };
}

/** Returns the name of the policy that a binding is for. */
export function policyNameOf(binding: JsonObject): string {
  return textAt(binding, 'spec', 'policyName');
}

function matchedHook(match: JsonObject, isBinding: boolean): MatchedHook {
  const policy = textAt(match, 'matchPolicy');
  return {
    rules: matchRulesAt(match, 'resourceRules'),
    excluded: matchRulesAt(match, 'excludeResourceRules'),
    equivalent: policy === 'Equivalent' || (policy === '' && !isBinding),
    matchesWithoutRules: true,
    namespaces: compileSelector(objectAt(match, 'namespaceSelector')),
    objects: compileSelector(objectAt(match, 'objectSelector')),
  };
}
