/** A storage over rows for tests, with access to the rows, the clock and the reported failures. */
import { expect } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { Storage } from '../../storage/storage.ts';
import { type FakeMode, FakeRows, keyOf } from './fake-rows.fixtures.ts';
import type { RowCodec } from './row-codec.ts';
import { createRowsStorage } from './rows-storage.ts';

export const CODEC: RowCodec = {
  keyOf: ({ name }) => name,
  rowOf: (key) => ({ namespace: '', name: key }),
  nameOf: keyOf,
  encode: ({ data }) => encodeUtf8(String(data)),
  decode: (value, key) => ({ metadata: { name: key }, data: decodeUtf8(value) }),
};

export const row = (name: string, data: string): JsonObject => ({ metadata: { name }, data });

export interface Opened {
  readonly storage: Storage;
  readonly rows: FakeRows;
  readonly clock: VirtualClock;
  readonly troubles: string[];
}

export function open(mode: FakeMode, prepare: (rows: FakeRows) => void = () => {}): Opened {
  const rows = new FakeRows(mode);
  prepare(rows);
  const clock = new VirtualClock();
  const troubles: string[] = [];
  const onTrouble = (error: Error): void => void troubles.push(error.message);
  return { rows, clock, troubles, storage: createRowsStorage({ rows, codec: CODEC, clock, onTrouble }) };
}

export async function contents(storage: Storage): Promise<Record<string, string>> {
  const result = await storage.list({ prefix: '' });
  if (result.outcome !== 'ok') throw new Error(result.outcome);
  return Object.fromEntries(result.items.map(({ key, value }) => [key, decodeUtf8(value)]));
}

export const failing =
  (operation: string, message = 'connection reset') =>
  (each: string): void => {
    if (each === operation) throw new Error(message);
  };

export async function failure(promise: Promise<unknown>): Promise<{ code?: string; message: string; cause?: Error }> {
  return promise.then(
    () => expect.unreachable('it succeeded'),
    (caught) => caught as { code?: string; message: string; cause?: Error },
  );
}
