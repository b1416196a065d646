/**
 * Expressions of policies and match conditions, compiled as the reference compiles them when they are written. Invariant: objects and parameters are `dyn`; nothing is
 * evaluated here. An environment is made when the first expression needs it.
 */

import { type FieldIssue, internalError, invalid } from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { declaredName } from '../../../cel/check/format-type.ts';
import { equalTypes } from '../../../cel/check/type-relations.ts';
import { createEnvironment } from '../../../cel/create-environment.ts';
import type { CheckedExpression, Environment, Variable } from '../../../cel/environment.ts';
import { formatIssues } from '../../../cel/issues.ts';
import { AUTHORIZER, AUTHORIZER_LIBRARY, RESOURCE_CHECK } from '../../../cel/libraries/authorizer.ts';
import { JSON_PATCH, JSON_PATCH_LIBRARY } from '../../../cel/libraries/json-patch.ts';
import { KUBERNETES_LIBRARIES } from '../../../cel/libraries/kubernetes.ts';
import { type CelType, DYN, listOf, mapOf, type ObjectType } from '../../../cel/types.ts';
import { CelError } from '../../../cel/values.ts';
import { declaredObject, NAMESPACE, REQUEST, REQUEST_TYPES } from './request-types.ts';

/** Which variables an expression sees beside the object, the old one, its namespace and the request. */
export interface Scope {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** Objects and JSON patches may be written: in mutations. Default false. */
  readonly patches?: boolean;
}

/** The object that an apply configuration writes. Its fields are whatever the expression says they are, as are those of the objects inside. */
export const APPLIED_OBJECT: ObjectType = dynamicObject('Object');
export const PATCH_LIST: CelType = listOf(JSON_PATCH);

/** Compiles the expressions of one policy; a policy with variables needs one of its own, because later expressions see them. */
export class ExpressionCompiler {
  readonly #environments = new Map<string, Environment>();
  readonly #variables: Map<string, CelType> | undefined;

  /** `composed`: expressions may read `variables`. */
  constructor(composed: boolean) {
    this.#variables = composed ? new Map() : undefined;
  }

  /** The expression of a variable, which those after it see under its name; one that does not compile is `dyn`. */
  declareVariable(name: string, source: string, scope: Scope, path: FieldPath): FieldIssue[] {
    const compiled = this.#compile(source, scope);
    this.#variables?.set(name, 'type' in compiled ? variableType(compiled.type) : DYN);
    return 'type' in compiled ? [] : [issueOf(compiled, source, path)];
  }

  /** `results`: what the value may be. `shown` is the expression as the issue shows it; default the source. */
  check(
    source: string,
    scope: Scope,
    results: readonly CelType[],
    path: FieldPath,
    shown: string = source,
  ): FieldIssue[] {
    const compiled = this.#compile(source, scope, results);
    return 'type' in compiled ? [] : [issueOf(compiled, shown, path)];
  }

  #compile(source: string, scope: Scope, results?: readonly CelType[]): Compiled {
    const environment = this.#environment(scope);
    const result = environment.check(source);
    if (!result.ok) return { problem: `compilation failed: ${formatIssues(source, result.issues)}`, internal: false };
    const { type } = result.checked;
    if (results !== undefined && !results.some((one) => equalTypes(one, type))) {
      const [only, ...more] = results.map(typeText);
      const wanted = more.length === 0 ? only : `one of [${[only, ...more].join(' ')}]`;
      return { problem: `must evaluate to ${wanted} but got ${typeText(type)}`, internal: false };
    }
    const problem = programProblem(environment, result.checked);
    return problem === undefined ? { type } : { problem: `program instantiation failed: ${problem}`, internal: true };
  }

  #environment(scope: Scope): Environment {
    const key = `${scope.params} ${scope.authorizer} ${scope.patches === true}`;
    const known = this.#environments.get(key);
    if (known !== undefined) return known;
    const made = environmentOf(scope, this.#variables);
    this.#environments.set(key, made);
    return made;
  }
}

type Compiled = { readonly type: CelType } | { readonly problem: string; readonly internal: boolean };

let shared: ExpressionCompiler | undefined;

/** For expressions without variables: one for all. */
export function statelessCompiler(): ExpressionCompiler {
  shared ??= new ExpressionCompiler(false);
  return shared;
}

function issueOf(
  { problem, internal }: Exclude<Compiled, { type: CelType }>,
  source: string,
  path: FieldPath,
): FieldIssue {
  return internal ? internalError(path, problem) : invalid(path, source, problem);
}

/** Why an expression fails whatever is given to it: `int('x')`. */
function programProblem(environment: Environment, checked: CheckedExpression): string | undefined {
  try {
    environment.program(checked);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof CelError) return thrown.message;
    throw thrown;
  }
}

let plain: Environment | undefined;
let patching: Environment | undefined;

function environmentOf(scope: Scope, composed: ReadonlyMap<string, CelType> | undefined): Environment {
  const variables: Variable[] = [
    { name: 'object', type: DYN },
    { name: 'oldObject', type: DYN },
    { name: 'namespaceObject', type: NAMESPACE },
    { name: 'request', type: REQUEST },
  ];
  if (scope.params) variables.push({ name: 'params', type: DYN });
  if (scope.authorizer)
    variables.push(
      { name: 'authorizer', type: AUTHORIZER },
      { name: 'authorizer.requestResource', type: RESOURCE_CHECK },
    );
  const own = composed === undefined ? [] : [variablesObject(composed)];
  for (const type of own) variables.push({ name: 'variables', type });
  const options = { variables, types: [...REQUEST_TYPES, ...own] };
  if (scope.patches === true) {
    patching ??= createEnvironment({ libraries: [...libraries(), JSON_PATCH_LIBRARY], variables: [] });
    return patching.extend({ ...options, findType: findPatchType });
  }
  plain ??= createEnvironment({ libraries: libraries(), variables: [] });
  return plain.extend(options);
}

function libraries(): EnvironmentLibraries {
  return [...KUBERNETES_LIBRARIES, AUTHORIZER_LIBRARY];
}

type EnvironmentLibraries = Parameters<typeof createEnvironment>[0]['libraries'];

function variablesObject(fields: ReadonlyMap<string, CelType>): ObjectType {
  return {
    kind: 'object',
    name: 'kubernetes.variables',
    field: (name) => fields.get(name),
    fieldNames: () => fields.keys(),
  };
}

function findPatchType(name: string): ObjectType | undefined {
  if (name === JSON_PATCH.name) return JSON_PATCH;
  return name === 'Object' || name.startsWith('Object.') ? dynamicObject(name) : undefined;
}

function dynamicObject(name: string): ObjectType {
  return { ...declaredObject(name, {}), field: () => DYN };
}

/** The type that later expressions see: only basic types, lists and maps keep theirs. */
function variableType(type: CelType): CelType {
  if (type.kind === 'basic') return type;
  if (type.kind === 'list') return listOf(variableType(type.element));
  if (type.kind === 'map') return mapOf(variableType(type.key), variableType(type.value));
  return DYN;
}

/** A type by its declared name. */
export function typeText(type: CelType): string {
  const name = declaredName(type);
  switch (type.kind) {
    case 'list':
      return `${name}(${typeText(type.element)})`;
    case 'map':
      return `${name}(${typeText(type.key)}, ${typeText(type.value)})`;
    case 'type':
      return `${name}(${typeText(type.of)})`;
    case 'opaque':
      return type.params.length === 0 ? name : `${name}(${type.params.map(typeText).join(', ')})`;
    default:
      return name;
  }
}
