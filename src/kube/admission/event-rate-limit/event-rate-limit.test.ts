import { describe, expect, it } from 'vitest';
import { decodeConfig } from '../../../apimachinery/codec/config-object.ts';
import { isStatusError } from '../../../apimachinery/status/status.ts';
import { formatIssue } from '../../../apimachinery/validation/field-issue.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { AdmissionAttributes } from '../../../server/admission.ts';
import { attributesFor, verdict } from '../admission.fixtures.ts';
import {
  EVENT_RATE_LIMIT_CONFIGURATION,
  type EventLimit,
  eventLimitsOf,
  validateEventLimits,
} from './configuration.ts';
import { eventRateLimit } from './event-rate-limit.ts';

const KIND = { group: '', version: 'v1', kind: 'Event' };

function event(more: Partial<AdmissionAttributes> = {}, fields: JsonObject = {}): AdmissionAttributes {
  return attributesFor('CREATE', 'events', { metadata: { name: 'e' }, ...fields }, { kind: KIND, ...more });
}

function limit(type: EventLimit['type'], more: Partial<EventLimit> = {}): EventLimit {
  return { type, perSecond: 1, burst: 1, cacheSize: 2, ...more };
}

const user = (name: string): AdmissionAttributes['user'] => ({ name, uid: '', groups: [], extra: {} });

describe('EventRateLimit', () => {
  it('refuses events beyond the burst with a 429, until the bucket has refilled', async () => {
    const clock = new VirtualClock();
    const plugin = eventRateLimit([limit('Server', { burst: 2 })], clock);
    expect([1, 2, 3].map(() => verdict(plugin, event()))).toEqual([
      undefined,
      undefined,
      'Too many requests: limit reached on type Server for key ',
    ]);
    await clock.advance(1000);
    expect(verdict(plugin, event())).toBeUndefined();
    try {
      plugin.validate?.(event());
      expect.unreachable();
    } catch (error) {
      expect(isStatusError(error) && error.status).toMatchObject({ code: 429, reason: 'TooManyRequests' });
      expect(isStatusError(error) && error.status.details).toBeUndefined();
    }
  });

  it('has one bucket per namespace, user, or source and object', () => {
    const plugin = eventRateLimit([limit('Namespace')], new VirtualClock());
    expect(verdict(plugin, event({ namespace: 'a' }))).toBeUndefined();
    expect(verdict(plugin, event({ namespace: 'b' }))).toBeUndefined();
    expect(verdict(plugin, event({ namespace: 'b' }))).toMatch('limit reached on type Namespace for key b');
    const users = eventRateLimit([limit('User')], new VirtualClock());
    expect(verdict(users, event({ user: user('jane') }))).toBeUndefined();
    expect(verdict(users, event({ user: user('joe') }))).toBeUndefined();
    expect(verdict(users, event({ user: user('joe') }))).toMatch('limit reached on type User for key joe');
    const objects = eventRateLimit([limit('SourceAndObject')], new VirtualClock());
    const about = { source: { component: 'c', host: 'h' }, involvedObject: { kind: 'Pod', namespace: 'n', name: 'p' } };
    expect(verdict(objects, event({}, about))).toBeUndefined();
    expect(verdict(objects, event({}, { ...about, source: {} }))).toBeUndefined();
    expect(verdict(objects, event({}, about))).toMatch('limit reached on type SourceAndObject for key chPodnp');
  });

  it('forgets the least recently used key', () => {
    const plugin = eventRateLimit([limit('Namespace')], new VirtualClock());
    for (const namespace of ['a', 'b', 'c']) expect(verdict(plugin, event({ namespace }))).toBeUndefined();
    expect(verdict(plugin, event({ namespace: 'c' }))).toBeDefined();
    expect(verdict(plugin, event({ namespace: 'a' }))).toBeUndefined();
  });

  it('names all limits that are reached', () => {
    const plugin = eventRateLimit([limit('Server'), limit('Namespace')], new VirtualClock());
    verdict(plugin, event());
    expect(verdict(plugin, event())).toBe(
      'Too many requests: [limit reached on type Server for key , limit reached on type Namespace for key ns]',
    );
  });

  it('ignores dry runs and Events of another group', () => {
    const plugin = eventRateLimit([limit('Server')], new VirtualClock());
    verdict(plugin, event());
    expect(verdict(plugin, event({ dryRun: true }))).toBeUndefined();
    expect(verdict(plugin, event({ kind: { ...KIND, group: 'events.k8s.io' } }))).toBeUndefined();
    expect(plugin.resources).toEqual(['events']);
    expect(plugin.handles('DELETE')).toBe(false);
  });
});

describe('the configuration of EventRateLimit', () => {
  const configuration = (limits: string): JsonObject => {
    const text = `apiVersion: eventratelimit.admission.k8s.io/v1alpha1\nkind: Configuration\nlimits: ${limits}`;
    const decoded = decodeConfig(text, EVENT_RATE_LIMIT_CONFIGURATION);
    if (!decoded.ok) expect.unreachable(decoded.message);
    return decoded.value;
  };

  it('has limits with a cache of 4096 keys by default', () => {
    const read = configuration(
      '[{type: User, qps: 5, burst: 10, unknown: 1}, {type: Server, qps: 1, burst: 2, cacheSize: 7}]',
    );
    expect(validateEventLimits(read)).toEqual([]);
    expect(eventLimitsOf(read)).toEqual([
      { type: 'User', perSecond: 5, burst: 10, cacheSize: 4096 },
      { type: 'Server', perSecond: 1, burst: 2, cacheSize: 7 },
    ]);
  });

  it('is refused with all issues', () => {
    expect(
      validateEventLimits(configuration('[{type: X, qps: 0, burst: -1, cacheSize: -1}]')).map(formatIssue),
    ).toEqual([
      'limits[0].type: Unsupported value: "X": supported values: "Server", "Namespace", "User", "SourceAndObject"',
      'limits[0].burst: Invalid value: -1: must be positive',
      'limits[0].qps: Invalid value: 0: must be positive',
      'limits[0].cacheSize: Invalid value: -1: must not be negative',
    ]);
    expect(validateEventLimits(configuration('[]')).map(formatIssue)).toEqual([
      'limits: Invalid value: null: must not be empty',
    ]);
  });
});
