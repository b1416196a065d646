/**
 * The progress marker, for releases of etcd whose answers to progress requests may overtake events (etcd#15220). On
 * such a release the driver writes a marker key next to the store's keys. etcd orders the events of one watcher, so the
 * event of the marker proves that every earlier event has arrived.
 */
import type { KeyMap } from './key-map.ts';

export interface ProgressMarker {
  /** The marker key. It sorts right before the keys of the store. */
  readonly key: string;
  /** The end of the range of the store's keys. */
  readonly end: string;
  write(): Promise<void>;
}

/** The first patch releases that kube-apiserver trusts (`apiserver/pkg/storage/feature/feature_support_checker.go`). */
const FIXED: Readonly<Record<string, number>> = { '3.4': 31, '3.5': 13 };

/** Whether a release of etcd answers progress requests in order with the events. False for text that is not a version. */
export function ordersProgress(version: string): boolean {
  const found = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (found === null) return false;
  const [major, minor, patch] = found.slice(1).map(Number) as [number, number, number];
  if (major !== 3) return major > 3;
  return minor > 5 || patch >= (FIXED[`3.${minor}`] ?? Number.POSITIVE_INFINITY);
}

/** `/registry.progress` for keys `/registry/...`. */
export function markerKey({ start }: KeyMap): string {
  return `${start.endsWith('/') ? start.slice(0, -1) : start}.progress`;
}
