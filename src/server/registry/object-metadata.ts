/**
 * The metadata that the server owns: filled in at creation, kept through updates. Invariant: what a client may not set never comes from a client; what
 * identifies an object never changes.
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

/** Seconds of the clock, as metadata has them. Most objects are made in the same second as the one before. */
export function timestamp(millis: number): string {
  const second = Math.floor(millis / 1000);
  if (second !== lastSecond) {
    lastTimestamp = formatTime(instantFromMillis(millis));
    lastSecond = second;
  }
  return lastTimestamp;
}

/** The object's namespace becomes the request's; 400 if it names another. `namespace` is '' for cluster-scoped resources. */
export function settleNamespace(metadata: JsonObject, namespace: string): void {
  const own = metadata['namespace'] ?? '';
  if (own === namespace) return;
  if (namespace === '') delete metadata['namespace'];
  else if (own === '') metadata['namespace'] = namespace;
  else throw new StatusError(badRequest(NAMESPACE_MISMATCH));
}

/** Everything that only the server sets on a new object, except its name. */
export function fillSystemFields(metadata: JsonObject, host: RegistryHost): void {
  metadata['uid'] = host.newUid();
  metadata['creationTimestamp'] = timestamp(host.clock.now());
  drop(metadata, 'deletionTimestamp');
  drop(metadata, 'deletionGracePeriodSeconds');
  drop(metadata, 'selfLink');
  drop(metadata, 'managedFields');
}

/** Before the strategy looks at an update: what it sees of the generation is the old one. */
export function keepGeneration(metadata: JsonObject, old: JsonObject): void {
  keep(metadata, old, 'generation');
  drop(metadata, 'selfLink');
  drop(metadata, 'managedFields');
}

/** After the strategy has prepared an update. */
export function keepSystemFields(metadata: JsonObject, old: JsonObject): void {
  if (isUnset(metadata['uid'])) keep(metadata, old, 'uid');
  if (!isUnset(old['creationTimestamp'])) keep(metadata, old, 'creationTimestamp');
  if (!isUnset(old['deletionTimestamp'])) keep(metadata, old, 'deletionTimestamp');
  if (isAbsent(metadata['deletionGracePeriodSeconds'])) keep(metadata, old, 'deletionGracePeriodSeconds');
}

/** One more if anything beside metadata and status differs. */
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

/** Deleting a field that is not there would still cost the object its shape. */
export function drop(object: JsonObject, name: string): void {
  if (object[name] !== undefined) delete object[name];
}

function isAbsent(value: JsonValue | undefined): value is null | undefined {
  return value === undefined || value === null;
}

function isUnset(value: JsonValue | undefined): boolean {
  return isAbsent(value) || value === '';
}
