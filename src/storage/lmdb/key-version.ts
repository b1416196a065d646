/** A write that was decided and the event it becomes. Invariant: what a change holds never changes again. */
import type { KeyValue, Revision, StorageEvent } from '../storage.ts';
import { type Position, revisionOf } from './layout.ts';

/** A key's state as the deciding code sees it. */
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
  /** The live state that this change replaces. */
  readonly previous: KeyValue | undefined;
  /** Of the version that this change replaces, a deletion included; 0 if there was none. */
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
