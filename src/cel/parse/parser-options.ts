/** The options and the result of the parser. */
import type { CelIssue, Expr } from '../ast.ts';
import type { Macro } from '../library.ts';

export interface SyntaxOptions {
  readonly optionalSyntax: boolean;
  readonly escapedFields: boolean;
}

export interface ParserOptions extends SyntaxOptions {
  /** The macros by name. Macros of one name differ in their number of arguments or in having a target. */
  readonly macros: ReadonlyMap<string, readonly Macro[]>;
}

export type ParseResult =
  | { readonly ok: true; readonly expr: Expr }
  /** `issues` has at least one element and is sorted by position. */
  | { readonly ok: false; readonly issues: readonly CelIssue[] };
