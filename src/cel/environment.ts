/**
 * What callers of the engine use: an environment compiles sources to programs. Invariant: an environment is immutable and may be shared; a program holds no state between
 * evaluations.
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
  /** The standard library is one of them (`libraries/standard`). */
  readonly libraries: readonly Library[];
  /** In the order in which `Program.evaluate` takes their values. */
  readonly variables: readonly Variable[];
  /** What unqualified names are resolved in: `a.b` tries `a.b.name`, `a.name`, `name`. Default ''. */
  readonly container?: string;
  /** Elements of list and map literals must agree in type (`mixedLiteralsIn` of libraries excepted); otherwise they are `dyn`. The reference's environments are so. Default true. */
  readonly homogeneousLiterals?: boolean;
  /** Objects that expressions may make by name: `Name{field: value}`. Default none. */
  readonly types?: readonly ObjectType[];
  /** Types that are known by a rule, not by a list: asked for a whole name that nothing else has. Default none. */
  findType?(name: string): ObjectType | undefined;
  /** Fields may be written in backquotes: `` a.`b-c` ``. The reference's environments do not have it. Default false. */
  readonly escapedFields?: boolean;
  /**
   * Literal arguments of `duration`, `timestamp` and `matches` must be good ones, and validators of libraries are asked. The reference's environments are so. Default
   * true.
   */
  readonly validateLiterals?: boolean;
}

/** What a checked call or name means. A selection that has one is a qualified name (`a.b.c`), and its operand is not checked and has no type. */
export type Reference =
  | { readonly kind: 'variable'; readonly index: number; readonly name: string }
  /** A variable or the accumulator of an enclosing comprehension; the innermost with that name. */
  | { readonly kind: 'local'; readonly name: string }
  | { readonly kind: 'constant'; readonly value: Value }
  /** More than one where the types of the arguments are known only at run time. */
  | { readonly kind: 'overloads'; readonly overloads: readonly Overload[] };

/** A source that has the types it should. */
export interface CheckedExpression {
  readonly source: string;
  readonly expr: Expr;
  readonly type: CelType;
  readonly types: ReadonlyMap<Expr, CelType>;
  readonly references: ReadonlyMap<Expr, Reference>;
}

export type CheckResult =
  | { readonly ok: true; readonly checked: CheckedExpression }
  /** At least one, in order of position. */
  | { readonly ok: false; readonly issues: readonly CelIssue[] };

export interface EvaluationLimits {
  /** Evaluation throws CelStopped once it has cost more. Default: no limit. */
  readonly cost?: number;
  /** Asked every so many steps of comprehensions; true throws CelStopped. */
  cancelled?(): boolean;
}

export interface Evaluation {
  readonly value: Value;
  /** What it has cost, as cel-go counts. */
  readonly cost: number;
}

/** How an evaluation ended; what it has cost is known in any case. */
export type Outcome =
  | { readonly value: Value; readonly cost: number }
  | { readonly error: CelError | CelStopped; readonly cost: number };

export interface Program {
  /** `variables` in the environment's order; undefined for one that has no value. Throws CelError where there is no value, CelStopped at a limit. */
  evaluate(variables: readonly (Value | undefined)[], limits?: EvaluationLimits): Evaluation;
  /** As `evaluate`, without throwing either. */
  run(variables: readonly (Value | undefined)[], limits?: EvaluationLimits): Outcome;
}

export interface Environment {
  parse(
    source: string,
  ): { readonly ok: true; readonly expr: Expr } | { readonly ok: false; readonly issues: readonly CelIssue[] };
  /** Parses and checks. */
  check(source: string): CheckResult;
  /** Makes closures. Cheap enough to do on first use, and to keep. */
  program(checked: CheckedExpression): Program;
  /** The same with other variables (and types) instead of its own. Cheap: everything that libraries bring is shared. */
  extend(options: Pick<EnvironmentOptions, 'variables' | 'types' | 'findType'>): Environment;
}

/** What is known of sizes that the source does not tell: of variables and what is reached from them. */
export interface SizeHints {
  /** `path` is the variable, then fields, `@items`, `@keys`, `@values`: as cel-go names them. Undefined: nothing is known. */
  size(path: readonly string[], type: CelType): Range | undefined;
}
