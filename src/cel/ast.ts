/**
 * The tree of an expression. Invariant: macros are expanded here, so a tree has comprehensions and no macro calls; every node is one object with its own identity, which
 * later passes use as a key for types and references.
 */

export type Literal =
  | { readonly type: 'null' }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int' | 'uint'; readonly value: bigint }
  | { readonly type: 'double'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'bytes'; readonly value: Uint8Array };

interface Node {
  /** Offset of the node's position in the source, in code points; for a binary operator that of the operator, for a call that of its parenthesis, as cel-go has it. */
  readonly at: number;
}

export interface LiteralExpr extends Node {
  readonly kind: 'literal';
  readonly literal: Literal;
}

/** A name; `.name` (rooted) begins with a dot. */
export interface IdentExpr extends Node {
  readonly kind: 'ident';
  readonly name: string;
}

/** `operand.field`, or `has(operand.field)` if `test`. */
export interface SelectExpr extends Node {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  readonly test: boolean;
}

/**
 * A function, a method (with a target) or an operator, the latter under cel-go's names: `_+_`, `_?_:_`, `_[_]`, `!_`, `_?._`, `@in`. In a checked tree a function with a
 * qualified name (`optional.of(x)`) has that whole name and no target.
 */
export interface CallExpr extends Node {
  readonly kind: 'call';
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface ListExpr extends Node {
  readonly kind: 'list';
  readonly elements: readonly Expr[];
  /** Indices of elements written `?e`. */
  readonly optional: readonly number[];
}

export interface MapEntry {
  readonly at: number;
  readonly key: Expr;
  readonly value: Expr;
  /** Written `?key: value`. */
  readonly optional: boolean;
}

export interface MapExpr extends Node {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

export interface StructField {
  readonly at: number;
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

/** `Name{field: value}`; in a checked tree with the full name. */
export interface StructExpr extends Node {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: readonly StructField[];
}

/**
 * For each item of `range`: while `condition` holds, `accumulator` becomes `step`; the outcome is `result`. With two variables the first is the index or key, the second
 * the value.
 */
export interface ComprehensionExpr extends Node {
  readonly kind: 'comprehension';
  readonly range: Expr;
  readonly variable: string;
  /** '' where there is one variable. */
  readonly variable2: string;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export type Expr =
  | LiteralExpr
  | IdentExpr
  | SelectExpr
  | CallExpr
  | ListExpr
  | MapExpr
  | StructExpr
  | ComprehensionExpr;

/** The name of the accumulator in the comprehensions that macros make; no source can say it. */
export const ACCUMULATOR = '@result';

/** Something wrong with an expression, at a place in its source. */
export interface CelIssue {
  readonly message: string;
  /** Offset in code points; -1 for what concerns the source as a whole. */
  readonly at: number;
}
