/** The fields by which events are selected, under the names that each group has for them. Invariant: the lists are the reference's. */

const REFERENCE = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;

/** Of core v1. */
export const EVENT_FIELDS: readonly string[] = [
  ...REFERENCE.map((name) => `involvedObject.${name}`),
  'reason',
  'reportingComponent',
  'source',
  'type',
];

/** `source` is a struct; who selects by it means the component. */
export const EVENT_FIELD_SOURCES = { source: ['source.component', 'reportingComponent'] } as const;

/** Of events.k8s.io/v1. */
export const EVENTS_EVENT_FIELDS: readonly string[] = [
  'reason',
  ...REFERENCE.map((name) => `regarding.${name}`),
  'reportingController',
  'type',
];
