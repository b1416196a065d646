/**
 * What an environment is made of: functions with their overloads, macros, named types. Invariant: a library is immutable data; which ones an environment has decides
 * what its expressions may say, and an overload carries everything about itself: types, what it does, what it costs.
 */
import type { CelIssue, Expr } from './ast.ts';
import type { CelType } from './types.ts';
import type { Value } from './values.ts';

// ── Functions ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Overload {
  /** cel-go's name of it: `add_int64`, `string_starts_with_string`. Unique. */
  readonly id: string;
  /** True for `target.f(args)`; the target is the first of `params`. Default false. */
  readonly member?: boolean;
  /** They may hold type parameters (`paramType`). */
  readonly params: readonly CelType[];
  readonly result: CelType;
  /**
   * Called with values of the types in `params` (containers: of that container type; their items may be anything). Throws CelError. Absent for operators
   * that the evaluator knows itself: `_&&_`, `_||_`, `_?_:_`, `@not_strictly_false`, `_[_]`, `_==_`.
   */
  evaluate?(...args: Value[]): Value;
  /** What one call costs; default 1. Called after the evaluation. */
  runtimeCost?(args: readonly Value[], result: Value): number;
  /** What a call costs at least and at most, from what is known without running it. Default: 1, and a result of unknown size. */
  estimateCost?(call: CallToEstimate): CallEstimate;
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

// ── Static cost ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** From least to most; UNBOUNDED (`cost/range.ts`) or more where there is no bound. A size is a number of characters, bytes, items or entries. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** An argument of a call whose cost is estimated. */
export interface EstimatedArg {
  readonly expr: Expr;
  readonly type: CelType;
  /** Undefined where nothing bounds it. */
  readonly size: Range | undefined;
}

/** What is known of the items of a list; of a map it is its keys. */
export interface EstimatedItem {
  readonly type: CelType;
  readonly size: Range;
}

export interface CallToEstimate {
  /** With the target of a method as the first. */
  readonly args: readonly EstimatedArg[];
  /** The size of an argument, with cel-go's default for one of unknown size: from 0 to UNBOUNDED. */
  sizeOf(arg: EstimatedArg): Range;
  /** Undefined where the argument's type has no items. */
  itemOf(arg: EstimatedArg): EstimatedItem | undefined;
}

export interface CallEstimate {
  readonly cost: Range;
  readonly resultSize?: Range;
}

// ── Macros ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Makes nodes at the place of the macro's call. */
export interface MacroContext {
  readonly at: number;
  /** The same tree of new nodes, for an expression that is needed twice. Ends the parse where copies of copies have become too many. */
  copy(expr: Expr): Expr;
  /** Says that the call is faulty; the macro then returns anything, usually undefined. */
  issue(issue: CelIssue): void;
}

export interface Macro {
  readonly name: string;
  /** True for `target.name(...)`. */
  readonly member: boolean;
  /** How many arguments; undefined for any number. */
  readonly args: number | undefined;
  /** The expansion; undefined leaves the call as it is written. */
  expand(context: MacroContext, target: Expr | undefined, args: readonly Expr[]): Expr | undefined;
}

// ── Libraries ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A name that stands for a value in every expression: types (`int`), constants. */
export interface NamedConstant {
  readonly name: string;
  readonly type: CelType;
  readonly value: Value;
}

/** What a validator sees of an expression that has the right types: a CheckedExpression, as far as libraries know of one. */
export interface ValidatedExpression {
  readonly source: string;
  readonly expr: Expr;
  readonly types: ReadonlyMap<Expr, CelType>;
  /** The overloads that a call means; names have references without. */
  readonly references: ReadonlyMap<Expr, { readonly kind: string; readonly overloads?: readonly Overload[] }>;
}

/** Complains of what it sees to fail. */
export type Validator = (checked: ValidatedExpression, issue: (issue: CelIssue) => void) => void;

export interface Library {
  /** For messages and for listing: `cel.lib.ext.strings`, `kubernetes.quantity`. */
  readonly name: string;
  readonly functions: readonly FunctionDeclaration[];
  readonly macros?: readonly Macro[];
  readonly constants?: readonly NamedConstant[];
  /** `a.?b`, `a[?b]`, `{?k: v}` are allowed. Default false. */
  readonly optionalSyntax?: boolean;
  /** Asked where `EnvironmentOptions.validateLiterals` is on. */
  readonly validators?: readonly Validator[];
  /** Functions in whose arguments, at any depth, list and map literals may mix types: `format`. */
  readonly mixedLiteralsIn?: readonly string[];
}
