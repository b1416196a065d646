/**
 * Sets the metadata that the server owns on create, and keeps it on update.
 * Invariant: uid and creationTimestamp never come from a client.
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
 * Formats a time with seconds, as in metadata. Caches the last text, because most objects are written in the same
 * second as the previous one.
 */
export function timestamp(millis: number): string {
  const second = Math.floor(millis / 1000);
  if (second !== lastSecond) {
    lastTimestamp = formatTime(instantFromMillis(millis));
    lastSecond = second;
  }
  return lastTimestamp;
}

/**
 * Sets the namespace of the request. Throws a 400 if the object has another namespace. `namespace` is '' for
 * cluster-scoped resources.
 */
export function settleNamespace(metadata: JsonObject, namespace: string): void {
  const own = metadata['namespace'] ?? '';
  if (own === namespace) return;
  if (namespace === '') delete metadata['namespace'];
  else if (own === '') metadata['namespace'] = namespace;
  else throw new StatusError(badRequest(NAMESPACE_MISMATCH));
}

/** Called on create. Sets uid and creationTimestamp, and drops other system metadata that the client has sent. */
export function fillSystemFields(metadata: JsonObject, host: RegistryHost): void {
  metadata['uid'] = host.newUid();
  metadata['creationTimestamp'] = timestamp(host.clock.now());
  drop(metadata, 'deletionTimestamp');
  drop(metadata, 'deletionGracePeriodSeconds');
  drop(metadata, 'selfLink');
}

/** Called on update, before `prepareForUpdate`. Restores the generation, and drops fields that are never stored. */
export function keepGeneration(metadata: JsonObject, old: JsonObject): void {
  keep(metadata, old, 'generation');
  drop(metadata, 'selfLink');
}

/** Called on update, after `prepareForUpdate`. Restores uid, creationTimestamp and the deletion marks. */
export function keepSystemFields(metadata: JsonObject, old: JsonObject): void {
  if (isUnset(metadata['uid'])) keep(metadata, old, 'uid');
  if (!isUnset(old['creationTimestamp'])) keep(metadata, old, 'creationTimestamp');
  if (!isUnset(old['deletionTimestamp'])) keep(metadata, old, 'deletionTimestamp');
  if (isAbsent(metadata['deletionGracePeriodSeconds'])) keep(metadata, old, 'deletionGracePeriodSeconds');
}

/** Increments the generation if the strategy counts generations and a field other than metadata and status differs. */
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

/**
 * Deletes a field if it is present. In V8, deleting an absent field would also move the object to a slower
 * representation.
 */
export function drop(object: JsonObject, name: string): void {
  if (object[name] !== undefined) delete object[name];
}

function isAbsent(value: JsonValue | undefined): value is null | undefined {
  return value === undefined || value === null;
}

function isUnset(value: JsonValue | undefined): boolean {
  return isAbsent(value) || value === '';
}
