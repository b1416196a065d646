/**
 * The syntax tree of an expression. Macros are expanded by the parser: a tree contains comprehensions and no macro
 * calls.
 *
 * Invariant: every node is an object of its own, because later passes use nodes as keys for types and references.
 */

export type Literal =
  | { readonly type: 'null' }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int' | 'uint'; readonly value: bigint }
  | { readonly type: 'double'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'bytes'; readonly value: Uint8Array };

interface Node {
  /**
   * The position of the node in the source, in code points. As in cel-go, the position of a binary operator is that of
   * the operator sign, and the position of a call is that of its parenthesis.
   */
  readonly at: number;
}

export interface LiteralExpr extends Node {
  readonly kind: 'literal';
  readonly literal: Literal;
}

/** A name. A name with a leading dot is resolved without the container. */
export interface IdentExpr extends Node {
  readonly kind: 'ident';
  readonly name: string;
}

/** `operand.field`, or `has(operand.field)` if `test` is true. */
export interface SelectExpr extends Node {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  readonly test: boolean;
}

/**
 * A call of a function, a method (with a target) or an operator. Operators have cel-go's names: `_+_`, `_?_:_`, `_[_]`,
 * `!_`, `_?._`, `@in`. In a checked tree a function with a qualified name (`optional.of(x)`) has the whole name and no
 * target.
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
  /** The indices of optional elements, written `?e`. */
  readonly optional: readonly number[];
}

export interface MapEntry {
  readonly at: number;
  readonly key: Expr;
  readonly value: Expr;
  /** True if written `?key: value`. */
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

/** `Name{field: value}`. In a checked tree the name is fully qualified. */
export interface StructExpr extends Node {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: readonly StructField[];
}

/**
 * A loop over `range`. The accumulator starts as `init`. For each item, the loop ends if `condition` is false;
 * otherwise the accumulator becomes `step`. The value of the comprehension is `result`. With two variables the first is
 * the index or key and the second the value.
 */
export interface ComprehensionExpr extends Node {
  readonly kind: 'comprehension';
  readonly range: Expr;
  readonly variable: string;
  /** '' for a comprehension with one variable. */
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

/** The name of the accumulator in comprehensions that macros create. A source cannot contain it. */
export const ACCUMULATOR = '@result';

/** A syntax error or type error at a position of the source. */
export interface CelIssue {
  readonly message: string;
  /** The position in code points; -1 for an issue with the whole source. */
  readonly at: number;
}
