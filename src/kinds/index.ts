/** What all kinds share: the type of their tokens, and the scalars of their objects. The kinds themselves are behind `keelson/kinds/<group>/<version>`. */
export type { Kind, ObjectOf, Scope } from './kind.ts';
export type { Base64, Duration, Int64, IntOrString, MicroTime, Quantity, Time } from './scalar-types.ts';
