/** The environment that the stores of one server share: the storage, the clock, and sources of identifiers. */
import type { GroupResource, GroupVersionResource } from '../../apimachinery/meta/gvk.ts';
import type { Clock } from '../../base/clock.ts';
import type { Storage } from '../../storage/storage.ts';

export interface RegistryHost {
  readonly storage: Storage;
  /**
   * Returns the storage of a resource, which may be another one than `storage`. Called once per resource, when it is
   * opened. Absent: every resource is in `storage`.
   */
  storageOf?(resource: GroupResource): Storage;
  /** The storages besides `storage` that `storageOf` returns. Default: none. */
  readonly otherStorages?: readonly Storage[];
  /** The first segment of every key. Servers with different scopes can share one storage. */
  readonly scope: string;
  readonly clock: Clock;
  /** Returns a new version 4 UUID. */
  newUid(): string;
  /** Returns a random integer from 0 up to, not including, `below`. */
  random(below: number): number;
  /**
   * Called with failures that belong to no request, such as a lost storage watch or a stored object that cannot be
   * read. Stores and listers handle the failure themselves; the host only reports it.
   */
  onTrouble(error: Error): void;
  /** Called when the server writes an object of its own without managedFields. `reason` begins with its name. */
  onUntracked(resource: GroupVersionResource, reason: string): void;
}
