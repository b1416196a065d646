/** The token of a kind without a TypeScript type. */
import type { Kind, Scope } from '../kinds/kind.ts';
import type { UntypedObject } from './object-types.ts';

export interface UntypedKindNames<S extends Scope> {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The resource in paths, such as `deployments`. */
  readonly plural: string;
  readonly scope: S;
}

/** Makes a kind token whose objects have the type UntypedObject. Discovery can find one by its name alone. */
export function untypedKind<S extends Scope>(names: UntypedKindNames<S>): Kind<UntypedObject, S> {
  const { group, version, kind, plural, scope } = names;
  return { group, version, kind, plural, scope };
}
