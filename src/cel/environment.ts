/**
 * The interfaces of the CEL engine. An environment parses and checks sources and compiles them to programs.
 *
 * Invariants: an environment is immutable and may be shared. A program keeps no state between evaluations.
 */
import type { CelIssue, Expr } from './ast.ts';
import type { Library, Overload, Range } from './library.ts';
import type { CelType, ObjectType } from './types.ts';
import type { CelError, CelStopped, Value } from './values.ts';

export interface Variable {
  readonly name: string;
  readonly type: CelType;
}

export interface EnvironmentOptions {
  /** All libraries of the environment. The standard library (`STANDARD_LIBRARY`) must be listed like any other. */
  readonly libraries: readonly Library[];
  /** The variables, in the order in which `Program.evaluate` takes their values. */
  readonly variables: readonly Variable[];
  /**
   * The namespace of unqualified names. In the container `a.b` a name is tried as `a.b.name`, `a.name` and `name`.
   * Default ''.
   */
  readonly container?: string;
  /**
   * If true, the elements of a list or map literal must have one type, except where a library allows mixed types
   * (`mixedLiteralsIn`). If false, elements of different types become `dyn`. Default true, as in Kubernetes.
   */
  readonly homogeneousLiterals?: boolean;
  /** Object types that expressions may construct: `Name{field: value}`. Default none. */
  readonly types?: readonly ObjectType[];
  /**
   * Finds object types that are not listed. Called with a qualified name that nothing else declares. Default: there are
   * none.
   */
  findType?(name: string): ObjectType | undefined;
  /** If true, field names may be quoted: `` a.`b-c` ``. Default false, as in Kubernetes. */
  readonly escapedFields?: boolean;
  /**
   * If true, literal arguments of `duration`, `timestamp` and `matches` are checked, and the validators of libraries
   * run. Default true, as in Kubernetes.
   */
  readonly validateLiterals?: boolean;
}

/**
 * The meaning of a checked call or name. A select expression with a reference is a qualified name (`a.b.c`): its
 * operand is not checked and has no type.
 */
export type Reference =
  | { readonly kind: 'variable'; readonly index: number; readonly name: string }
  /** A variable or the accumulator of an enclosing comprehension: the innermost one with this name. */
  | { readonly kind: 'local'; readonly name: string }
  | { readonly kind: 'constant'; readonly value: Value }
  /** The possible overloads. There are several if the types of the arguments are known only at run time. */
  | { readonly kind: 'overloads'; readonly overloads: readonly Overload[] };

/** An expression that passed the type checker. */
export interface CheckedExpression {
  readonly source: string;
  readonly expr: Expr;
  readonly type: CelType;
  readonly types: ReadonlyMap<Expr, CelType>;
  readonly references: ReadonlyMap<Expr, Reference>;
}

export type CheckResult =
  | { readonly ok: true; readonly checked: CheckedExpression }
  /** `issues` has at least one element and is sorted by position. */
  | { readonly ok: false; readonly issues: readonly CelIssue[] };

export interface EvaluationLimits {
  /** The evaluation ends with CelStopped once it has cost more. Default: no limit. */
  readonly cost?: number;
  /**
   * Called every 100 iterations of comprehensions. If it returns true, the evaluation ends with CelStopped. Default:
   * never cancelled.
   */
  cancelled?(): boolean;
}

export interface Evaluation {
  readonly value: Value;
  /** The cost, as cel-go counts it. */
  readonly cost: number;
}

/**
 * The end of an evaluation: a value or an error, and in both cases its cost and the steps that it took
 * (`runtime/allowance`).
 */
export type Outcome =
  | { readonly value: Value; readonly cost: number; readonly steps: number }
  | { readonly error: CelError | CelStopped; readonly cost: number; readonly steps: number };

export interface Program {
  /**
   * Takes the variables in the order of the environment; undefined for a variable without a value. Throws CelError if
   * the expression fails, and CelStopped at a limit.
   */
  evaluate(variables: readonly (Value | undefined)[], limits?: EvaluationLimits): Evaluation;
  /**
   * Like `evaluate`, but returns a CelError or CelStopped instead of throwing it. Errors of other classes, thrown by
   * the caller's values, are thrown.
   */
  run(variables: readonly (Value | undefined)[], limits?: EvaluationLimits): Outcome;
}

export interface Environment {
  parse(
    source: string,
  ): { readonly ok: true; readonly expr: Expr } | { readonly ok: false; readonly issues: readonly CelIssue[] };
  /** Parses and type-checks a source. */
  check(source: string): CheckResult;
  /** Compiles an expression that this environment checked. Throws CelError if a constant part of it fails. */
  program(checked: CheckedExpression): Program;
  /**
   * An environment with other variables and types. It shares the declarations of the libraries, which makes it cheap.
   */
  extend(options: Pick<EnvironmentOptions, 'variables' | 'types' | 'findType'>): Environment;
}

/** The sizes of variables and their parts, for the cost estimate. */
export interface SizeHints {
  /**
   * Returns the size of a value; undefined if it is not known. `path` begins with the variable, followed by fields,
   * `@items`, `@keys` or `@values`, cel-go's names for the parts of lists and maps.
   */
  size(path: readonly string[], type: CelType): Range | undefined;
}
