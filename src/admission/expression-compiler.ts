/**
 * The compiler of CEL expressions in admission policies and match conditions. Objects and parameters have the type
 * `dyn`. Environments are created when an expression first needs them.
 */
import { formatDeclaredType } from '../cel/check/format-type.ts';
import { equalTypes } from '../cel/check/type-relations.ts';
import { createEnvironment } from '../cel/create-environment.ts';
import type { Environment, Program, Variable } from '../cel/environment.ts';
import { formatIssues } from '../cel/issues.ts';
import { AUTHORIZER, AUTHORIZER_LIBRARY, RESOURCE_CHECK } from '../cel/libraries/authorizer.ts';
import { JSON_PATCH, JSON_PATCH_LIBRARY } from '../cel/libraries/json-patch.ts';
import { KUBERNETES_LIBRARIES } from '../cel/libraries/kubernetes.ts';
import { type CelType, DYN, listOf, mapOf, type ObjectType } from '../cel/types.ts';
import { CelError } from '../cel/values.ts';
import { declaredObject, NAMESPACE, REQUEST, REQUEST_TYPES } from './request-types.ts';

/** The variables of an expression beyond `object`, `oldObject`, `namespaceObject` and `request`. */
export interface ExpressionScope {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** Declares the types `Object` and `JSONPatch`, for mutations. Default false. */
  readonly patches?: boolean;
}

/** `internal`: the expression is well typed, but every evaluation would fail, as that of `int('x')`. */
export type CompiledExpression =
  | { readonly ok: true; readonly type: CelType; readonly program: Program }
  | { readonly ok: false; readonly message: string; readonly internal: boolean };

/** The type of an apply configuration. Any field is `dyn`, and so are the fields of the objects inside. */
export const APPLIED_OBJECT: ObjectType = dynamicObject('Object');
/** The type of a JSON patch. */
export const PATCH_LIST: CelType = listOf(JSON_PATCH);

/** The types of objects and parameters for type checking. Undefined: `dyn`. */
export interface VariableTypes {
  readonly object?: CelType | undefined;
  readonly params?: CelType | undefined;
}

/**
 * Compiles the expressions of one policy. A policy with variables needs a compiler of its own: it collects their types.
 */
export class ExpressionCompiler {
  readonly #environments = new Map<string, Environment>();
  readonly #variables: Map<string, CelType> | undefined;
  readonly #types: VariableTypes;

  /** `composed`: expressions may read `variables`. */
  constructor(composed: boolean, types: VariableTypes = {}) {
    this.#variables = composed ? new Map() : undefined;
    this.#types = types;
  }

  /** Compiles a variable and declares it for later expressions. A variable that does not compile has the type `dyn`. */
  declareVariable(name: string, source: string, scope: ExpressionScope): CompiledExpression {
    const compiled = this.compile(source, scope);
    this.#variables?.set(name, compiled.ok ? variableType(compiled.type) : DYN);
    return compiled;
  }

  /** `results`: the types that the expression may have. Default any. Messages are those of kube-apiserver. */
  compile(source: string, scope: ExpressionScope, results?: readonly CelType[]): CompiledExpression {
    const environment = this.#environment(scope);
    const result = environment.check(source);
    if (!result.ok)
      return { ok: false, message: `compilation failed: ${formatIssues(source, result.issues)}`, internal: false };
    const { type } = result.checked;
    if (results !== undefined && !results.some((one) => equalTypes(one, type))) {
      const [only, ...more] = results.map(formatDeclaredType);
      const wanted = more.length === 0 ? only : `one of [${[only, ...more].join(' ')}]`;
      return {
        ok: false,
        message: `must evaluate to ${wanted} but got ${formatDeclaredType(type)}`,
        internal: false,
      };
    }
    try {
      return { ok: true, type, program: environment.program(result.checked) };
    } catch (thrown) {
      if (!(thrown instanceof CelError)) throw thrown;
      return { ok: false, message: `program instantiation failed: ${thrown.message}`, internal: true };
    }
  }

  /** Returns the issues of parsing and type checking; undefined if there are none. */
  issuesOf(source: string, scope: ExpressionScope): string | undefined {
    const result = this.#environment(scope).check(source);
    return result.ok ? undefined : formatIssues(source, result.issues);
  }

  #environment(scope: ExpressionScope): Environment {
    const key = `${scope.params} ${scope.authorizer} ${scope.patches === true}`;
    const known = this.#environments.get(key);
    if (known !== undefined) return known;
    const made = environmentOf(scope, this.#variables, this.#types);
    this.#environments.set(key, made);
    return made;
  }
}

let shared: ExpressionCompiler | undefined;

/** Returns the compiler that all policies without variables, and all match conditions, share. */
export function sharedCompiler(): ExpressionCompiler {
  shared ??= new ExpressionCompiler(false);
  return shared;
}

let plain: Environment | undefined;
let patching: Environment | undefined;

function environmentOf(
  scope: ExpressionScope,
  composed: ReadonlyMap<string, CelType> | undefined,
  { object = DYN, params = DYN }: VariableTypes,
): Environment {
  const variables: Variable[] = [
    { name: 'object', type: object },
    { name: 'oldObject', type: object },
    { name: 'namespaceObject', type: NAMESPACE },
    { name: 'request', type: REQUEST },
  ];
  if (scope.params) variables.push({ name: 'params', type: params });
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

/**
 * Returns the type of a variable in later expressions: basic types, lists and maps keep theirs, others become `dyn`.
 */
function variableType(type: CelType): CelType {
  if (type.kind === 'basic') return type;
  if (type.kind === 'list') return listOf(variableType(type.element));
  if (type.kind === 'map') return mapOf(variableType(type.key), variableType(type.value));
  return DYN;
}
