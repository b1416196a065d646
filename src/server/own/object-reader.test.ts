import { describe, expect, test } from 'vitest';
import { StatusError } from '../../apimachinery/status/status.ts';
import { notFound } from '../../apimachinery/status/status-catalogue.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { v1 } from '../registry/thing.fixtures.ts';
import { createObjectReader } from './object-reader.ts';

const MISSING = new StatusError(notFound({ group: '', resource: 'secrets' }, 'x'));

function reader(get: () => MaybePromise<Uint8Array>) {
  return createObjectReader({
    definition: { storageVersion: v1 },
    registry: { get },
    host: { clock: new VirtualClock() },
  });
}

describe('the reader of single objects', () => {
  test('parses the same bytes once and answers synchronously', () => {
    let bytes = encodeUtf8('{"kind":"Secret"}');
    const read = reader(() => bytes);
    const first = read('a', 'b') as { object: unknown };
    expect((read('a', 'b') as { object: unknown }).object).toBe(first.object);
    bytes = encodeUtf8('{"kind":"Secret","type":"new"}');
    expect(read('a', 'b')).toEqual({ object: { kind: 'Secret', type: 'new' } });
  });

  test('answers with the Status that the store throws or rejects with', async () => {
    const thrown = reader(() => {
      throw MISSING;
    });
    expect(thrown('a', 'x')).toEqual({ status: MISSING.status });
    expect(await reader(() => Promise.reject(MISSING))('a', 'x')).toEqual({ status: MISSING.status });
  });

  test('does not hide other failures', () => {
    const broken = reader(() => {
      throw new Error('disk');
    });
    expect(() => broken('a', 'x')).toThrow('disk');
  });
});
