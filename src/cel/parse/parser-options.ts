/**
 * What the parser is told and what it answers.
 */
import type { CelIssue, Expr } from '../ast.ts';
import type { Macro } from '../library.ts';

export interface SyntaxOptions {
  readonly optionalSyntax: boolean;
  readonly escapedFields: boolean;
}

export interface ParserOptions extends SyntaxOptions {
  /** By name; of several with one name, arguments and target decide. */
  readonly macros: ReadonlyMap<string, readonly Macro[]>;
}

export type ParseResult =
  | { readonly ok: true; readonly expr: Expr }
  /** At least one, in order of position. */
  | { readonly ok: false; readonly issues: readonly CelIssue[] };
