/** The kind Event, served in two groups and stored as core v1. */

import { storedResource, strategyWithDefaults } from '../../../../server/resource/stored-resource.ts';
import type { KubeResource } from '../../../kube-context.ts';
import { builtInVersion } from '../../../shared/built-in.ts';
import { eventFromCore, eventToCore } from './event-conversion.ts';
import { EVENT_FIELD_SOURCES, EVENT_FIELDS, EVENTS_EVENT_FIELDS } from './event-fields.ts';
import { coreEventTable, eventsEventTable } from './event-table.ts';
import { isCoreEvent, validateEvent, validateEventUpdate } from './validate-event.ts';

/** `ttlSeconds` is `--event-ttl`; 0 keeps events for ever. */
export function eventResource(ttlSeconds: number): KubeResource {
  return {
    definition: storedResource({
      plural: 'events',
      shortNames: ['ev'],
      scope: 'Namespaced',
      versions: [
        builtInVersion({
          group: '',
          version: 'v1',
          kind: 'Event',
          table: coreEventTable,
          selectableFields: EVENT_FIELDS,
          fieldSources: EVENT_FIELD_SOURCES,
        }),
        builtInVersion({
          group: 'events.k8s.io',
          version: 'v1',
          kind: 'Event',
          table: eventsEventTable,
          selectableFields: EVENTS_EVENT_FIELDS,
        }),
      ],
      convert: (objects, _from, to) => objects.map(isCoreEvent(to) ? eventToCore : eventFromCore),
      strategy: strategyWithDefaults({
        allowCreateOnUpdate: true,
        validate: (event, { version }) => validateEvent(event, version),
        validateUpdate: (event, old, { version }) => validateEventUpdate(event, old, version),
        defaultGarbageCollection: 'unsupported',
        ttlSeconds: () => ttlSeconds,
      }),
    }),
  };
}
