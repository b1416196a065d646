/**
 * The two forms of `x-kubernetes-int-or-string` in plain OpenAPI. Structural schemas may contain them although they
 * have types under a logic operator.
 */
import type { JsonValue } from '../../base/json-value.ts';
import { type SchemaSource, schemasOf } from './schema-source.ts';

/** True if `anyOf` is exactly: an integer, a string. */
export function hasIntOrStringAnyOf(source: SchemaSource): boolean {
  const [first, second, ...rest] = schemasOf(source, 'anyOf');
  return rest.length === 0 && isOnlyType(first, 'integer') && isOnlyType(second, 'string');
}

/** True if the first schema of `allOf` has that `anyOf`. */
export function hasIntOrStringAllOf(source: SchemaSource): boolean {
  const first = schemasOf(source, 'allOf')[0];
  return first !== undefined && hasIntOrStringAnyOf(first);
}

export const INT_OR_STRING_ANY_OF: readonly SchemaSource[] = [{ type: 'integer' }, { type: 'string' }];

function isOnlyType(source: SchemaSource | undefined, type: string): boolean {
  return source?.['type'] === type && Object.keys(source).every((name) => name === 'type' || !hasKeyword(source, name));
}

/** Keywords whose empty list means the same as no list. For other keywords kube-apiserver distinguishes the two. */
const EMPTY_MEANS_NONE: ReadonlySet<string> = new Set(['enum', 'allOf', 'anyOf', 'oneOf']);
/** Keywords that `parseStructural` ignores or refuses. */
const IGNORED: ReadonlySet<string> = new Set([
  'id',
  '$schema',
  '$ref',
  'patternProperties',
  'dependencies',
  'definitions',
]);

/** True if the keyword is present with a value that restricts or describes something. */
export function hasKeyword(source: SchemaSource, name: string): boolean {
  const value = (source[name] ?? null) as JsonValue;
  if (value === null || value === false || value === '' || IGNORED.has(name)) return false;
  return !(EMPTY_MEANS_NONE.has(name) && Array.isArray(value) && value.length === 0);
}
