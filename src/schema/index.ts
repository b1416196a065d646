/** Structural schemas of custom resources: default, prune and validate objects as the server does. */
export { compileSchema } from './compile-schema.ts';
export type { CompiledSchema, CompileOptions, ValidateOptions } from './compiled-schema.ts';
export { parseStructural } from './parse-structural.ts';
export { rulesOf } from './rules/rules-of.ts';
export type { NestedValidation, StructuralSchema, ValidationRule, ValueValidation } from './structural.ts';
export { validateStructural } from './validate-structural.ts';
