import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { decodeManagedFields, managedFieldsProblem } from './decode-managed-fields.ts';
import { encodeManagedFields } from './encode-managed-fields.ts';
import { ignoreManagedFieldsTimestamps } from './ignore-timestamps.ts';
import { managerIdentifier } from './managed.ts';
import { managerOrUserAgent } from './manager-name.ts';
import { parentEntriesOf, scaleEntriesOf } from './scale-handler.ts';

const entry = (more: JsonObject): JsonObject => ({
  manager: 'm',
  operation: 'Update',
  apiVersion: 'apps/v1',
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': { 'f:replicas': {} } },
  ...more,
});

describe('managedFields', () => {
  it('are written by operation, time, manager, version and subresource', () => {
    const sorted = [
      entry({ operation: 'Apply', manager: 'b', time: '2026-01-01T00:00:00Z' }),
      entry({ operation: 'Apply', manager: 'a', time: '2026-01-01T00:00:01Z' }),
      entry({ manager: 'z', time: '2025-01-01T00:00:00Z' }),
      entry({ manager: 'a' }),
      entry({ manager: 'a', subresource: 'status' }),
      entry({ manager: 'a', apiVersion: 'apps/v2' }),
      entry({ manager: 'b' }),
    ];
    const decoded = decodeManagedFields(sorted.toReversed(), 'request');
    expect(decoded.ok && encodeManagedFields(decoded.managed)).toEqual(sorted);
  });

  it('of a stored object stay the same objects', () => {
    const stored = [entry({})];
    const decoded = decodeManagedFields(stored, 'stored');
    expect(decoded.ok && encodeManagedFields(decoded.managed)?.[0]).toBe(stored[0]);
  });

  it('have one entry for each identity', () => {
    const decoded = decodeManagedFields(
      [entry({ operation: 'Apply' }), entry({ operation: 'Apply', apiVersion: 'v9' })],
      'request',
    );
    expect(decoded.ok && [...decoded.managed.managers.keys()]).toEqual(['{"manager":"m","operation":"Apply"}']);
  });

  it.each<[JsonValue, string]>([
    ['x', 'managedFields must be a list'],
    [['x'], 'managed fields entry 0 must be an object'],
    [[entry({ operation: 'Patch' })], 'operation must be `Apply` or `Update`'],
    [[entry({ apiVersion: '' })], 'apiVersion must not be empty'],
    [[entry({}), entry({ fieldsType: '' })], 'missing fieldsType in managed fields entry 1'],
    [[entry({ fieldsType: 'V2' })], 'invalid fieldsType "V2" in managed fields entry 0'],
    [
      [entry({ fieldsV1: { x: {} } })],
      'error decoding versioned set of manager "m" in managed fields entry 0: error decoding set: key must be 2 characters long: "x"',
    ],
  ])('that are %j cannot be read', (value, message) => {
    expect(managedFieldsProblem(value)).toBe(message);
  });

  it('that are absent or null are empty', () => {
    expect(managedFieldsProblem(undefined)).toBeUndefined();
    expect(managedFieldsProblem(null)).toBeUndefined();
  });
});

describe('the identifier of a manager', () => {
  it('is the JSON of its identity', () => {
    const identity = { manager: 'a"<', operation: 'Update', apiVersion: 'v1', subresource: 'status' } as const;
    expect(managerIdentifier(identity)).toBe(
      '{"manager":"a\\"\\u003c","operation":"Update","apiVersion":"v1","subresource":"status"}',
    );
    expect(managerIdentifier({ ...identity, operation: 'Apply', manager: '', subresource: '' })).toBe(
      '{"operation":"Apply"}',
    );
  });
});

describe('the manager of a request', () => {
  it('is the parameter or the product of the User-Agent', () => {
    expect(managerOrUserAgent('me', 'kubectl/v1.36')).toBe('me');
    expect(managerOrUserAgent('', 'kubectl/v1.36 (linux)')).toBe('kubectl');
    expect(managerOrUserAgent('', 'a\u0007b')).toBe('ab');
    expect(managerOrUserAgent('', 'ä'.repeat(100))).toBe('ä'.repeat(64));
    expect(managerOrUserAgent('', '')).toBe('');
  });
});

describe('timestamps', () => {
  const object = (time: string, more: JsonObject = {}): JsonObject => ({
    kind: 'Thing',
    metadata: { name: 'a', managedFields: [entry({ time })], ...more },
  });

  it('are taken back if nothing else changes', () => {
    const next = object('2026-01-01T00:00:09Z');
    expect(ignoreManagedFieldsTimestamps(next, object('2026-01-01T00:00:00Z'))).toBe(true);
    expect(next).toEqual(object('2026-01-01T00:00:00Z'));
  });

  it.each<[string, JsonObject]>([
    ['a field', object('2026-01-01T00:00:09Z', { name: 'b' })],
    ['an entry', object('2026-01-01T00:00:09Z', { managedFields: [entry({ time: 'x', manager: 'n' })] })],
    ['the number of entries', object('2026-01-01T00:00:09Z', { managedFields: [entry({}), entry({ manager: 'n' })] })],
    ['a field more', object('2026-01-01T00:00:09Z', { uid: 'u' })],
  ])('stay if %s changes too', (_, next) => {
    expect(ignoreManagedFieldsTimestamps(next, object('2026-01-01T00:00:00Z'))).toBe(false);
  });
});

describe('ownership of replicas', () => {
  const paths = new Map([
    ['apps/v1', ['spec', 'replicas']],
    ['apps/v0', null],
  ]);
  const parent = [
    entry({ manager: 'owner', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:text': {} } } }),
    entry({ manager: 'old', apiVersion: 'apps/v0' }),
    entry({ manager: 'gone', apiVersion: 'apps/v9' }),
  ];
  const options = { parentEntries: parent, apiVersion: 'apps/v1', paths };

  it('goes to the Scale from the managers that own the field', () => {
    expect(scaleEntriesOf(options)).toEqual({
      ok: true,
      entries: [entry({ manager: 'owner', operation: 'Apply', apiVersion: 'autoscaling/v1' })],
    });
  });

  it('comes back to a new owner and leaves the one before', () => {
    const scale = [entry({ manager: 'hpa', apiVersion: 'autoscaling/v1', subresource: 'scale' })];
    const { time: _, ...taken } = entry({ manager: 'hpa', subresource: 'scale' });
    expect(parentEntriesOf(options, scale)).toEqual({
      ok: true,
      entries: [
        entry({ manager: 'owner', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:text': {} } } }),
        taken,
        entry({ manager: 'old', apiVersion: 'apps/v0' }),
      ],
    });
  });

  it('stays with an applier that the Scale still has', () => {
    const scale = [entry({ manager: 'owner', operation: 'Apply', apiVersion: 'autoscaling/v1' })];
    expect(parentEntriesOf(options, scale)).toEqual({ ok: true, entries: [parent[0], parent[1]] });
  });

  it('cannot be distinguished from entries that cannot be read', () => {
    expect(scaleEntriesOf({ ...options, parentEntries: 'x' }).ok).toBe(false);
    expect(parentEntriesOf(options, [{ operation: 'x' }]).ok).toBe(false);
  });
});
