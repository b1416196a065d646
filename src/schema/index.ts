/** Structural schemas of custom resources: default, prune and validate objects as the server does. */
export { compileSchema } from './compile-schema.ts';
export type { CompiledSchema, CompileOptions, ValidateOptions } from './compiled-schema.ts';
export { rulesOf } from './rules/rules-of.ts';
export { parseStructural } from './structural/parse-structural.ts';
export type { NestedValidation, StructuralSchema, ValidationRule, ValueValidation } from './structural/structural.ts';
export { validateStructural } from './structural/validate-structural.ts';
