/**
 * The interfaces of libraries: functions with overloads, macros and named constants. An environment consists of
 * libraries. Libraries are immutable data; an overload contains its types, its implementation and its costs.
 */
import type { CelIssue, Expr } from './ast.ts';
import type { CelType } from './types.ts';
import type { Value } from './values.ts';

// ── Functions ────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Overload {
  /** cel-go's id of the overload: `add_int64`, `string_starts_with_string`. Unique in an environment. */
  readonly id: string;
  /** True for a method, `target.f(args)`; the target is the first of `params`. Default false. */
  readonly member?: boolean;
  /** The types of the arguments. They may contain type parameters (`paramType`). */
  readonly params: readonly CelType[];
  readonly result: CelType;
  /**
   * Computes the result. Called with values of the types in `params`; items of containers may have any type. Throws
   * CelError to fail; errors of other classes end the evaluation and are thrown to the caller of the program. Must be
   * deterministic and must not modify its arguments. Absent for operators that the evaluator implements: `_&&_`,
   * `_||_`, `_?_:_`, `@not_strictly_false`, `_[_]`, `_==_`.
   */
  evaluate?(...args: Value[]): Value;
  /** The cost of a call. Called after `evaluate`; `result` is null if the call failed. Default 1. */
  runtimeCost?(args: readonly Value[], result: Value): number;
  /** The static estimate of the cost of a call. Default: cost 1, and a result of unknown size. */
  estimateCost?(call: CallToEstimate): CallEstimate;
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

// ── Static cost ──────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A range of costs or sizes. `max` is UNBOUNDED (`cost/cost-range.ts`) or more if there is no bound. A size is a number
 * of characters, bytes, items or entries.
 */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** An argument of a call in a cost estimate. */
export interface EstimatedArg {
  readonly expr: Expr;
  readonly type: CelType;
  /** Undefined if the size is not known. */
  readonly size: Range | undefined;
}

/** The type and size of the items of a list, or of the keys of a map. */
export interface EstimatedItem {
  readonly type: CelType;
  readonly size: Range;
}

export interface CallToEstimate {
  /** The arguments; the target of a method comes first. */
  readonly args: readonly EstimatedArg[];
  /** The size of an argument; from 0 to UNBOUNDED if it is not known, as in cel-go. */
  sizeOf(arg: EstimatedArg): Range;
  /** The items of an argument; undefined if its type has no items. */
  itemOf(arg: EstimatedArg): EstimatedItem | undefined;
}

export interface CallEstimate {
  readonly cost: Range;
  readonly resultSize?: Range;
}

// ── Macros ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The context of a macro expansion. */
export interface MacroContext {
  /** The position of the macro call, for new nodes. */
  readonly at: number;
  /**
   * Copies an expression that the expansion contains twice. Ends the parse with an issue if macros copy too many nodes.
   */
  copy(expr: Expr): Expr;
  /** Reports an issue with the call. The result of `expand` is then ignored. */
  issue(issue: CelIssue): void;
}

export interface Macro {
  readonly name: string;
  /** True for a macro with a target: `target.name(...)`. */
  readonly member: boolean;
  /** The number of arguments; undefined for any number. */
  readonly args: number | undefined;
  /** Returns the expansion; undefined leaves the call unchanged. */
  expand(context: MacroContext, target: Expr | undefined, args: readonly Expr[]): Expr | undefined;
}

// ── Libraries ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A name with a fixed value in every expression, such as a type (`int`). */
export interface NamedConstant {
  readonly name: string;
  readonly type: CelType;
  readonly value: Value;
}

/** The part of a CheckedExpression that validators of libraries see. */
export interface ValidatedExpression {
  readonly source: string;
  readonly expr: Expr;
  readonly types: ReadonlyMap<Expr, CelType>;
  /** The overloads of each call. References of names have no overloads. */
  readonly references: ReadonlyMap<Expr, { readonly kind: string; readonly overloads?: readonly Overload[] }>;
}

/** Reports issues with an expression that passed the type checker, such as calls that always fail. */
export type Validator = (checked: ValidatedExpression, issue: (issue: CelIssue) => void) => void;

export interface Library {
  /** cel-go's name of the library: `cel.lib.ext.strings`, `kubernetes.quantity`. */
  readonly name: string;
  readonly functions: readonly FunctionDeclaration[];
  readonly macros?: readonly Macro[];
  readonly constants?: readonly NamedConstant[];
  /** If true, the syntax of optionals is allowed: `a.?b`, `a[?b]`, `{?k: v}`. Default false. */
  readonly optionalSyntax?: boolean;
  /** Run if `EnvironmentOptions.validateLiterals` is true. */
  readonly validators?: readonly Validator[];
  /** The functions whose arguments may contain list and map literals of mixed types, at any depth: `format`. */
  readonly mixedLiteralsIn?: readonly string[];
}
