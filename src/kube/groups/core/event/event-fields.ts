/** The selectable fields of Events in both groups. */

const REFERENCE = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;

/** Fields of core v1. */
export const EVENT_FIELDS: readonly string[] = [
  ...REFERENCE.map((name) => `involvedObject.${name}`),
  'reason',
  'reportingComponent',
  'source',
  'type',
];

/** The selector `source` compares source.component or, if that is empty, reportingComponent. */
export const EVENT_FIELD_SOURCES = { source: ['source.component', 'reportingComponent'] } as const;

/** Fields of events.k8s.io/v1. */
export const EVENTS_EVENT_FIELDS: readonly string[] = [
  'reason',
  ...REFERENCE.map((name) => `regarding.${name}`),
  'reportingController',
  'type',
];
