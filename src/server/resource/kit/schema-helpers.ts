/**
 * Kubernetes extensions of JSON Schema as plain objects. Each is the argument of `.meta()` of a Zod schema, and can be
 * spread into a plain JSON Schema:
 *
 * ```ts
 * z.array(Card).meta(listMap('name'))
 * { type: 'array', items: CARD, ...listMap('name') }
 * ```
 */
import { ConfigError } from '../../../base/errors.ts';
import { FIELD_NUMBER } from '../../../schema/structural/schema-source.ts';

/** A list whose items are identified by the values of these properties. Apply and patches merge item by item. */
export function listMap(...keys: readonly [string, ...string[]]): {
  readonly 'x-kubernetes-list-type': 'map';
  readonly 'x-kubernetes-list-map-keys': string[];
} {
  if (keys.length === 0) throw new ConfigError('listMap needs the name of at least one key');
  return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [...keys] };
}

/** A list of scalars without duplicates. Apply and patches merge it as a set. */
export function listSet(): { readonly 'x-kubernetes-list-type': 'set' } {
  return { 'x-kubernetes-list-type': 'set' };
}

/** A list or an object that apply and patches replace as one value. Lists are atomic by default. */
export function atomic(): { readonly 'x-kubernetes-list-type': 'atomic'; readonly 'x-kubernetes-map-type': 'atomic' } {
  return { 'x-kubernetes-list-type': 'atomic', 'x-kubernetes-map-type': 'atomic' };
}

/** One CEL rule of a schema. A type and not an interface, so that it is a JSON object. */
export type SchemaRule = { rule: string } | { rule: string; message: string };

/**
 * A CEL rule. `self` is the value of the schema; a rule that names `oldSelf` is checked on updates only. `message` is
 * the text of a refusal; default: the rule itself.
 */
export function rule(cel: string, message?: string): { readonly 'x-kubernetes-validations': SchemaRule[] } {
  return { 'x-kubernetes-validations': [message === undefined ? { rule: cel } : { rule: cel, message }] };
}

/** Several rules of one schema: `rules(rule('self.min <= self.max'), rule('self.max < 10'))`. */
export function rules(...all: readonly ReturnType<typeof rule>[]): ReturnType<typeof rule> {
  return { 'x-kubernetes-validations': all.flatMap((one) => one['x-kubernetes-validations']) };
}

/** A value that is an integer or a string: a port by number or by name. A schema with it needs no type. */
export function intOrString(): { readonly 'x-kubernetes-int-or-string': true } {
  return { 'x-kubernetes-int-or-string': true };
}

/** Keeps the fields of an object that the schema does not list. They are stored and not validated. */
export function preserveUnknown(): { readonly 'x-kubernetes-preserve-unknown-fields': true } {
  return { 'x-kubernetes-preserve-unknown-fields': true };
}

/**
 * The number of a field in protobuf, for resources with `protobuf: true`. It must never change, and the number of a
 * removed field must not be used again.
 */
export function fieldNumber(number: number): { readonly [FIELD_NUMBER]: number } {
  return { [FIELD_NUMBER]: number };
}
