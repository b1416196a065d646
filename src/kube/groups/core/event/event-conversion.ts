/**
 * Conversion of Events between core v1 and events.k8s.io/v1. Invariant: converting there and back gives an equal event.
 */
import type { JsonObject } from '../../../../base/json-value.ts';

/** The fields of core v1, in the order of the type. */
const CORE_ORDER = [
  'kind',
  'apiVersion',
  'metadata',
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'series',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
] as const;

/** The fields of events.k8s.io/v1, in the order of the type. */
const EVENTS_ORDER = [
  'kind',
  'apiVersion',
  'metadata',
  'eventTime',
  'series',
  'reportingController',
  'reportingInstance',
  'action',
  'reason',
  'regarding',
  'related',
  'note',
  'type',
  'deprecatedSource',
  'deprecatedFirstTimestamp',
  'deprecatedLastTimestamp',
  'deprecatedCount',
] as const;

const TO_CORE: Readonly<Record<string, string>> = {
  regarding: 'involvedObject',
  note: 'message',
  reportingController: 'reportingComponent',
  deprecatedSource: 'source',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedCount: 'count',
};
const TO_EVENTS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(TO_CORE).map(([events, core]) => [core, events]),
);

/** Fields that core v1 always writes, even if empty. */
const CORE_TEXTS = ['reportingComponent', 'reportingInstance'] as const;
const CORE_TIMES = ['firstTimestamp', 'lastTimestamp', 'eventTime'] as const;
const EVENTS_TIMES = ['eventTime', 'deprecatedFirstTimestamp', 'deprecatedLastTimestamp'] as const;

/** The result shares its values with the argument. */
export function eventToCore(event: JsonObject): JsonObject {
  const fields = renamed(event, TO_CORE);
  fields['apiVersion'] = 'v1';
  for (const name of ['metadata', 'involvedObject', 'source'] as const) fields[name] ??= {};
  for (const name of CORE_TIMES) fields[name] ??= null;
  for (const name of CORE_TEXTS) fields[name] ??= '';
  return ordered(fields, CORE_ORDER);
}

/** The result shares its values with the argument. */
export function eventFromCore(event: JsonObject): JsonObject {
  const fields = renamed(event, TO_EVENTS);
  fields['apiVersion'] = 'events.k8s.io/v1';
  for (const name of ['metadata', 'regarding', 'deprecatedSource'] as const) fields[name] ??= {};
  for (const name of EVENTS_TIMES) fields[name] ??= null;
  for (const name of ['reportingController', 'reportingInstance'] as const)
    if (fields[name] === '') delete fields[name];
  return ordered(fields, EVENTS_ORDER);
}

function renamed(event: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  const fields: JsonObject = {};
  for (const name of Object.keys(event)) fields[names[name] ?? name] = event[name] ?? null;
  return fields;
}

function ordered(fields: JsonObject, order: readonly string[]): JsonObject {
  const result: JsonObject = {};
  for (const name of order) {
    const value = fields[name];
    if (value !== undefined) result[name] = value;
  }
  return result;
}
