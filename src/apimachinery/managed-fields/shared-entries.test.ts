import { describe, expect, it } from 'vitest';
import type { JsonArray, JsonObject } from '../../base/json-value.ts';
import { encoded, hex, pod } from '../protobuf/core-facts.fixtures.ts';
import { protobufOfShared, SharedEntries } from './shared-entries.ts';

describe('shared managedFields', () => {
  it('are encoded as protobuf once, with the bytes that lists of their own have', () => {
    const shared = new SharedEntries();
    const fields: JsonObject = { 'f:spec': { 'f:nodeName': {} } };
    const make = (): JsonObject => ({
      manager: 'm',
      operation: 'Update',
      time: '2030-01-01T00:00:00Z',
      fieldsV1: fields,
    });
    const of = (): JsonArray => shared.of(fields, { manager: 'm', now: '2030-01-01T00:00:00Z' }, make);
    const entries = of();
    expect(of()).toBe(entries);
    const podWith = (managedFields: JsonArray): JsonObject => ({ metadata: { name: 'a', managedFields } });
    const own = hex(encoded(pod, podWith([make()])));
    expect(protobufOfShared(entries)).toBeUndefined();
    expect(hex(encoded(pod, podWith(entries)))).toBe(own);
    expect(protobufOfShared(entries)).toBeDefined();
    expect(hex(encoded(pod, podWith(entries)))).toBe(own);
  });
});
