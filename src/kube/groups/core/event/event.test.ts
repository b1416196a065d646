import { describe, expect, test } from 'vitest';
import { formatIssue } from '../../../../apimachinery/validation/field-issue.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { eventFromCore, eventToCore } from './event-conversion.ts';
import { coreEventTable, eventsEventTable } from './event-table.ts';
import { validateEvent, validateEventUpdate } from './validate-event.ts';

const CORE = { group: '', version: 'v1' };
const EVENTS = { group: 'events.k8s.io', version: 'v1' };
const TIME = '2030-01-01T00:00:00.000000Z';
const OLD_TIME = '2030-01-01T00:00:00Z';

/** A valid event of events.k8s.io/v1, in core v1. */
const modern: JsonObject = {
  kind: 'Event',
  apiVersion: 'v1',
  metadata: { name: 'a', namespace: 'ns', resourceVersion: '1' },
  involvedObject: { kind: 'Pod', namespace: 'ns', name: 'p' },
  reason: 'R',
  message: 'M',
  source: {},
  firstTimestamp: null,
  lastTimestamp: null,
  type: 'Normal',
  eventTime: TIME,
  action: 'A',
  reportingComponent: 'example.com/c',
  reportingInstance: 'i',
};
const complaints = (changes: JsonObject, version = EVENTS) =>
  validateEvent({ ...modern, ...changes }, version).map(formatIssue);

describe('an event', () => {
  test('without an eventTime is about an object in its namespace', () => {
    const old = { eventTime: null };
    expect(complaints({ ...old, involvedObject: { namespace: 'other' } }, CORE)).toEqual([
      'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
    ]);
    expect(complaints({ ...old, involvedObject: {} }, CORE)).toHaveLength(1);
    expect(complaints({ ...old, involvedObject: {}, metadata: { namespace: 'default' } }, CORE)).toEqual([]);
  });

  test('with an eventTime names the reporting controller, under the field name of the group', () => {
    const anonymous = { reportingComponent: '', action: '', reason: '', reportingInstance: '' };
    expect(complaints(anonymous, CORE)[0]).toBe('reportingComponent: Required value');
    expect(complaints(anonymous)[0]).toBe('reportingController: Required value');
    expect(complaints(anonymous)).toContain('action: Required value');
    expect(complaints({ message: 'é'.repeat(513) })).toEqual([
      'message: Invalid value: "": can have at most 1024 characters',
    ]);
  });

  test('in events.k8s.io has the new fields and none of the deprecated ones', () => {
    expect(complaints({})).toEqual([]);
    const old = { type: 'Odd', count: 1, firstTimestamp: OLD_TIME, source: { host: 'h' }, series: { count: 1 } };
    expect(complaints(old)).toEqual([
      'series.count: Invalid value: "": should be at least 2',
      'series.lastObservedTime: Required value',
      'type: Invalid value: "": has invalid value: Odd',
      'firstTimestamp: Invalid value: "": needs to be unset',
      'count: Invalid value: "": needs to be unset',
      'source: Invalid value: "": needs to be unset',
    ]);
    expect(complaints(old, CORE)).toEqual([]);
  });

  test('in events.k8s.io can change only its series', () => {
    const update = (changes: JsonObject) =>
      validateEventUpdate({ ...modern, ...changes }, modern, EVENTS).map(formatIssue);
    expect(update({ series: { count: 2, lastObservedTime: TIME } })).toEqual([]);
    expect(update({ source: { host: 'h' }, message: 'other' })).toEqual([
      'message: Invalid value: "other": field is immutable',
      'source: Invalid value: {"Component":"","Host":"h"}: field is immutable',
    ]);
    expect(validateEventUpdate({ ...modern, message: 'other' }, modern, CORE)).toEqual([]);
  });

  test('is equal after conversion there and back', () => {
    const event = { ...modern, series: { count: 2, lastObservedTime: TIME }, related: { name: 'r' }, count: 3 };
    const shown = eventFromCore(event);
    expect(shown).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      regarding: { name: 'p' },
      note: 'M',
      deprecatedCount: 3,
    });
    expect(Object.keys(shown).slice(0, 5)).toEqual(['kind', 'apiVersion', 'metadata', 'eventTime', 'series']);
    expect(eventToCore(shown)).toEqual(event);
  });

  test('shows the same columns in both groups', () => {
    const now = Date.parse(OLD_TIME) + 90_000;
    const event = { ...modern, source: { component: 'c' }, message: ' text \n', count: 0 };
    const cells = coreEventTable().cells(event, now);
    expect(cells).toEqual(['90s', 'Normal', 'R', 'pod/p', '', 'c, i', 'text', '90s', 1, 'a']);
    expect(eventsEventTable().cells(eventFromCore(event), now)).toEqual(cells);
  });

  test('with a series was last seen when the series was last observed', () => {
    const series = { count: 5, lastObservedTime: '2030-01-01T00:01:00.000000Z' };
    const cells = coreEventTable().cells({ ...modern, series }, Date.parse(OLD_TIME) + 90_000);
    expect([cells[0], cells[7], cells[8]]).toEqual(['30s', '90s', 5]);
  });
});
