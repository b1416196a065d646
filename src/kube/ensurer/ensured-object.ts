/**
 * An object that a server contains from its first start, as data: a list of these is all that bootstrap needs to know. Invariant: lists are made when the server starts, not
 * at import, and name no object twice.
 */
import type { JsonObject } from '../../base/json-value.ts';

export interface BootstrapObject {
  /** Of a kind that the middle server stores. */
  readonly plural: string;
  /** In the storage version, `metadata.name` (and `metadata.namespace`) set; defaults are filled in when it is written. Not changed by anybody. */
  readonly object: JsonObject;
  readonly mode: BootstrapMode;
}

/**
 * What becomes of an object that is there already. `create`: nothing, whatever somebody made of it. A function gets what is stored (shared, not to be changed) and returns
 * the whole object that should be there instead, or undefined if it is right as it is.
 */
export type BootstrapMode = 'create' | ((stored: JsonObject) => JsonObject | undefined);
