/** An object that the server ensures at startup: it creates the object if it is missing, or updates it. */
import type { JsonObject } from '../../base/json-value.ts';

export interface EnsuredObject {
  /** The plural of a stored built-in kind. */
  readonly plural: string;
  /**
   * The object in the storage version, with `metadata.name` and, for a namespaced kind, `metadata.namespace`. Defaults
   * are filled in when it is written. It is shared and must not be modified.
   */
  readonly object: JsonObject;
  readonly strategy: EnsureStrategy;
  /** See OwnWriteOptions. */
  readonly fieldManager?: string;
  /** See OwnCreateOptions. */
  readonly sent?: JsonObject;
  /** See OwnCreateOptions. */
  readonly statusManager?: string;
}

/**
 * The treatment of a stored object. `create` leaves it unchanged. A function gets the stored object, which it must not
 * modify. It returns the whole object to store instead, and undefined if the stored one is right.
 */
export type EnsureStrategy = 'create' | ((stored: JsonObject) => JsonObject | undefined);
