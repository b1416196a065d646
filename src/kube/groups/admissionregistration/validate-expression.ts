/** Validation of CEL expressions in the kinds of admissionregistration.k8s.io. */
import type {
  CompiledExpression,
  ExpressionCompiler,
  ExpressionScope,
} from '../../../admission/expression-compiler.ts';
import { type FieldIssue, internalError, invalid } from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { CelType } from '../../../cel/types.ts';

export interface ExpressionRules {
  readonly scope: ExpressionScope;
  /** The types that the expression may have. */
  readonly results: readonly CelType[];
  /** The path of the expression. */
  readonly path: FieldPath;
  /** The value in the issue; default the source. */
  readonly shown?: string;
}

export function validateExpression(compiler: ExpressionCompiler, source: string, rules: ExpressionRules): FieldIssue[] {
  const compiled = compiler.compile(source, rules.scope, rules.results);
  return issuesOf(compiled, rules.shown ?? source, rules.path);
}

/** Returns the issue of an expression that does not compile. */
export function issuesOf(compiled: CompiledExpression, source: string, path: FieldPath): FieldIssue[] {
  if (compiled.ok) return [];
  return [compiled.internal ? internalError(path, compiled.message) : invalid(path, source, compiled.message)];
}
