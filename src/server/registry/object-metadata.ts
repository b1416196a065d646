/**
 * The metadata that the server owns: set on create and kept on update. Invariant: uid and creationTimestamp never come
 * from a client.
 */
import { formatTime, instantFromMillis } from '../../apimachinery/scalars/time.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { badRequest } from '../../apimachinery/status/status-catalogue.ts';
import { equalJson, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import type { RegistryHost } from '../resource/registry-host.ts';
import type { Strategy } from '../resource/strategy.ts';
import { metadataIn } from './stored-object.ts';

const NAMESPACE_MISMATCH = 'the namespace of the provided object does not match the namespace sent on the request';

let lastSecond = Number.NaN;
let lastTimestamp = '';

/**
 * A time with seconds, as in metadata. Keeps the last text: most objects are written in the second of the previous one.
 */
export function timestamp(millis: number): string {
  const second = Math.floor(millis / 1000);
  if (second !== lastSecond) {
    lastTimestamp = formatTime(instantFromMillis(millis));
    lastSecond = second;
  }
  return lastTimestamp;
}

/** Sets the namespace of the request; throws a 400 for another one. `namespace` is '' for cluster-scoped resources. */
export function settleNamespace(metadata: JsonObject, namespace: string): void {
  const own = metadata['namespace'] ?? '';
  if (own === namespace) return;
  if (namespace === '') delete metadata['namespace'];
  else if (own === '') metadata['namespace'] = namespace;
  else throw new StatusError(badRequest(NAMESPACE_MISMATCH));
}

/** Sets what only the server sets on a new object, except its name, and drops the rest of the system metadata. */
export function fillSystemFields(metadata: JsonObject, host: RegistryHost): void {
  metadata['uid'] = host.newUid();
  metadata['creationTimestamp'] = timestamp(host.clock.now());
  drop(metadata, 'deletionTimestamp');
  drop(metadata, 'deletionGracePeriodSeconds');
  drop(metadata, 'selfLink');
}

/** Runs before `prepareForUpdate`: restores the generation, and drops fields that are never stored. */
export function keepGeneration(metadata: JsonObject, old: JsonObject): void {
  keep(metadata, old, 'generation');
  drop(metadata, 'selfLink');
}

/** Runs after `prepareForUpdate`: restores what identifies the object, and the marks of a deletion. */
export function keepSystemFields(metadata: JsonObject, old: JsonObject): void {
  if (isUnset(metadata['uid'])) keep(metadata, old, 'uid');
  if (!isUnset(old['creationTimestamp'])) keep(metadata, old, 'creationTimestamp');
  if (!isUnset(old['deletionTimestamp'])) keep(metadata, old, 'deletionTimestamp');
  if (isAbsent(metadata['deletionGracePeriodSeconds'])) keep(metadata, old, 'deletionGracePeriodSeconds');
}

/** Increments the generation if the strategy counts it and anything but metadata and status differs. */
export function countGeneration(strategy: Strategy, object: JsonObject, old: JsonObject): void {
  if (!strategy.countsGeneration || !differs(object, old)) return;
  const metadata = metadataIn(object);
  metadata['generation'] = incremented(metadata['generation']);
}

export function incremented(generation: JsonValue | undefined): number | bigint {
  if (typeof generation === 'bigint') return generation + 1n;
  return typeof generation === 'number' ? generation + 1 : 1;
}

function differs(object: JsonObject, old: JsonObject): boolean {
  for (const name of Object.keys(object)) if (counts(name) && !sameField(object, old, name)) return true;
  for (const name of Object.keys(old)) if (counts(name) && !Object.hasOwn(object, name)) return true;
  return false;
}

function counts(name: string): boolean {
  return name !== 'metadata' && name !== 'status' && name !== 'apiVersion' && name !== 'kind';
}

function sameField(object: JsonObject, old: JsonObject, name: string): boolean {
  return Object.hasOwn(old, name) && equalJson(object[name] as JsonValue, old[name] as JsonValue);
}

function keep(metadata: JsonObject, old: JsonObject, name: string): void {
  const value = old[name];
  if (isAbsent(value)) drop(metadata, name);
  else metadata[name] = value;
}

/** Deletes a field that is present. Deleting an absent one would still move the object to a slower representation. */
export function drop(object: JsonObject, name: string): void {
  if (object[name] !== undefined) delete object[name];
}

function isAbsent(value: JsonValue | undefined): value is null | undefined {
  return value === undefined || value === null;
}

function isUnset(value: JsonValue | undefined): boolean {
  return isAbsent(value) || value === '';
}
