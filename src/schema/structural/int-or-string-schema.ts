/** The two ways to spell out `x-kubernetes-int-or-string` that structural schemas may hold although they name types under a logic operator. */
import type { JsonValue } from '../../base/json-value.ts';
import { type SchemaSource, schemasOf } from './schema-source.ts';

/** `anyOf` is exactly an integer or a string. */
export function hasIntOrStringAnyOf(source: SchemaSource): boolean {
  const [first, second, ...rest] = schemasOf(source, 'anyOf');
  return rest.length === 0 && isOnlyType(first, 'integer') && isOnlyType(second, 'string');
}

/** The first of `allOf` has that `anyOf`. */
export function hasIntOrStringAllOf(source: SchemaSource): boolean {
  const first = schemasOf(source, 'allOf')[0];
  return first !== undefined && hasIntOrStringAnyOf(first);
}

export const INT_OR_STRING_ANY_OF: readonly SchemaSource[] = [{ type: 'integer' }, { type: 'string' }];

function isOnlyType(source: SchemaSource | undefined, type: string): boolean {
  return source?.['type'] === type && Object.keys(source).every((name) => name === 'type' || !says(source, name));
}

/** Fields whose empty list means nothing; of others the reference tells an empty list from none. */
const EMPTY_MEANS_NONE: ReadonlySet<string> = new Set(['enum', 'allOf', 'anyOf', 'oneOf']);
/** Fields that a structural schema does not take over, or refuses. */
const NOT_TAKEN: ReadonlySet<string> = new Set([
  'id',
  '$schema',
  '$ref',
  'patternProperties',
  'dependencies',
  'definitions',
]);

/** True if the schema says something with this field: it has another value than the one that means nothing. */
export function says(source: SchemaSource, name: string): boolean {
  const value = (source[name] ?? null) as JsonValue;
  if (value === null || value === false || value === '' || NOT_TAKEN.has(name)) return false;
  return !(EMPTY_MEANS_NONE.has(name) && Array.isArray(value) && value.length === 0);
}
