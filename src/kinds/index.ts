/**
 * `keelson/kinds`: the type of kind tokens and the scalar types of objects. The kinds are exported by
 * `keelson/kinds/<group>/<version>`.
 */
export type { Kind, ObjectOf, Scope } from './kind.ts';
export type { Base64, Duration, Int64, IntOrString, MicroTime, Quantity, Time } from './scalar-types.ts';
