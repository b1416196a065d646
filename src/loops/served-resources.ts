/** The interface of discovery for loops: which resources the server serves, and when that changes. */
import type { Kind } from '../kinds/kind.ts';

/** A resource in the version that discovery prefers. A value of this type is a token of its kind. */
export interface ServedResource extends Kind<unknown> {
  readonly verbs: readonly string[];
  /** Whether this server stores the objects, so that StoredObjects reports their changes. */
  readonly stored: boolean;
  /** Whether an extension API server has the objects. */
  readonly remote: boolean;
}

export interface ServedResources {
  /**
   * Every resource once, in the version that discovery prefers, in the order of discovery. Versions whose server is
   * unavailable are left out. Returns the same array until the resources change.
   */
  list(): readonly ServedResource[];
  /**
   * Returns the resource of a kind in exactly this version, also if its server is unavailable. Undefined if it is not
   * served.
   */
  find(apiVersion: string, kind: string): ServedResource | undefined;
  /**
   * Returns the resource of a kind in its preferred version, also if its server is unavailable. Undefined if no version
   * is served.
   */
  findKind(group: string, kind: string): ServedResource | undefined;
  /**
   * The group-versions, as `group/version`, whose server is unavailable and which had namespaced objects to delete when
   * it was last read. A version whose server was never read is not among them: nothing is known of its objects.
   */
  unavailable(): readonly string[];
  /** Calls the listener after changes; changes of one turn of the event loop are one call. */
  onChange(listener: () => void): { stop(): void };
}
