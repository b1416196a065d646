/** The public interface of the CEL engine: parse, check, estimate and evaluate expressions. */
export type { CelIssue, Expr } from './ast.ts';
export { estimateCost } from './cost/estimate.ts';
export { createEnvironment } from './create-environment.ts';
export type {
  CheckedExpression,
  CheckResult,
  Environment,
  EnvironmentOptions,
  Evaluation,
  EvaluationLimits,
  Outcome,
  Program,
  SizeHints,
  Variable,
} from './environment.ts';
export { formatIssues } from './issues.ts';
export { KUBERNETES_LIBRARIES, kubernetesLibraries } from './libraries/kubernetes.ts';
export { STANDARD_LIBRARY } from './libraries/standard/standard.ts';
export type { FunctionDeclaration, Library, Macro, Overload, Range } from './library.ts';
export { valueFromJson } from './runtime/native-values.ts';
export * from './types.ts';
export * from './values.ts';
