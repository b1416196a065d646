/** The versions of keys, the changes between versions, and the storage events of changes. */
import type { KeyValue, Revision, StorageEvent } from '../storage.ts';
import { type Position, revisionOf } from './layout.ts';

/** One version of a key. A deletion is a version, too. */
export interface KeyVersion {
  readonly key: string;
  readonly position: Position;
  readonly deleted: boolean;
  readonly created: Revision;
  readonly value: Uint8Array;
  readonly expires: number;
}

export interface KeyChange extends KeyVersion {
  readonly time: number;
  /** The state that this change replaces; undefined if the key did not exist. */
  readonly previous: KeyValue | undefined;
  /** The position of the version that this change replaces, which may be a deletion; 0 if there was none. */
  readonly replacesPosition: Position;
  readonly replacesDeleted: boolean;
}

export function versionItem(version: KeyVersion): KeyValue {
  return {
    key: version.key,
    value: version.value,
    revision: revisionOf(version.position),
    created: version.created,
  };
}

export function eventOf(version: KeyVersion, previous: KeyValue | undefined): StorageEvent {
  const revision = revisionOf(version.position);
  return version.deleted
    ? { type: 'delete', key: version.key, revision, previous: previous as KeyValue }
    : { type: 'put', key: version.key, value: version.value, revision, created: version.created, previous };
}
