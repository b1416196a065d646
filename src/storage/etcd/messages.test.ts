import { describe, expect, it } from 'vitest';
import { putRequest, rangeRequest, txnRequest } from './requests.ts';
import { readRangeResponse, readTxnResponse, readWatchResponse } from './responses.ts';

describe('messages of etcd', () => {
  it('have the field numbers of its API', () => {
    const message = [...rangeRequest({ key: 'ab', end: 'c', limit: 2, revision: 3, countOnly: true })];
    expect(message).toEqual([0, 0, 0, 0, 13, 0x0a, 2, 97, 98, 0x12, 1, 99, 0x18, 2, 0x20, 3, 0x48, 1]);
    const txn = txnRequest({
      compare: [{ key: 'k', revision: 0 }],
      success: [{ type: 'put', key: 'k', value: Uint8Array.of(1), lease: 5 }],
      failure: [{ type: 'get', key: 'k' }],
    });
    expect([...txn.subarray(5)]).toEqual([
      ...[0x0a, 7, 0x10, 2, 0x1a, 1, 107, 0x30, 0],
      ...[0x12, 10, 0x12, 8, 0x0a, 1, 107, 0x12, 1, 1, 0x18, 5],
      ...[0x1a, 5, 0x0a, 3, 0x0a, 1, 107],
    ]);
  });

  it('of a write are the transaction in one frame', () => {
    const value = new Uint8Array(300).fill(7);
    for (const revision of [0, 1, 2 ** 40])
      for (const key of ['k', `/registry/${'ä'.repeat(40)}`]) {
        const txn = txnRequest({
          compare: [{ key, revision }],
          success: [{ type: 'put', key, value }],
          failure: [{ type: 'get', key }],
        });
        expect(putRequest(key, revision, value)).toEqual(txn);
      }
  });

  it('that are cut off are an error, not an endless loop', () => {
    const whole = [0x12, 5, 0x0a, 1, 97, 0x18, 7];
    expect(readRangeResponse(Uint8Array.from(whole)).items).toMatchObject([{ key: 'a', revision: 7 }]);
    for (let length = 1; length < whole.length; length++)
      expect(() => readRangeResponse(Uint8Array.from(whole.slice(0, length)))).toThrow('invalid message');
  });

  it('of a watch have the fields of its API, and unknown ones are skipped', () => {
    const header = [0x0a, 4, 0x08, 0x1f, 0x18, 9];
    const item = [0x0a, 1, 97, 0x10, 3, 0x18, 9, 0x20, 2, 0x2a, 2, 7, 8, 0x30, 5];
    const previous = [0x0a, 1, 97, 0x18, 3];
    const event = [0x08, 1, 0x12, item.length, ...item, 0x1a, previous.length, ...previous, 0x78, 1];
    const whole = [...header, 0x10, 1, 0x38, 1, 0x5a, event.length, ...event, 0x7a, 1, 0];
    const response = readWatchResponse(Uint8Array.from(whole));
    expect(response).toMatchObject({ header: { clusterId: '00000001f', revision: 9 }, watchId: 1, fragment: true });
    expect(response.events).toMatchObject([
      {
        type: 'delete',
        item: { key: 'a', created: 3, revision: 9, version: 2, value: Uint8Array.of(7, 8), lease: 5 },
        previous: { key: 'a', revision: 3 },
      },
    ]);
    const ends = new Set([0, header.length, header.length + 2, header.length + 4, whole.length - 3]);
    for (let length = 0; length < whole.length; length++)
      if (!ends.has(length))
        expect(() => readWatchResponse(Uint8Array.from(whole.slice(0, length)))).toThrow('etcd sent');
  });

  it('of a transaction have the item of each operation that has one', () => {
    const item = [0x0a, 1, 97, 0x18, 7];
    const range = [0x0a, 2 + item.length, 0x12, item.length, ...item];
    const deleted = [0x1a, 4 + item.length, 0x10, 1, 0x1a, item.length, ...item];
    const put = [0x12, 0];
    const operations = [range, deleted, put].flatMap((each) => [0x1a, each.length, ...each]);
    const response = readTxnResponse(Uint8Array.from([0x10, 1, ...operations]));
    expect(response.succeeded).toBe(true);
    expect(response.items).toMatchObject([{ key: 'a', revision: 7 }, { key: 'a', revision: 7 }, undefined]);
    expect(() => readTxnResponse(Uint8Array.of(0x1a, 2, 0x0a))).toThrow('invalid message');
    expect(() => readTxnResponse(Uint8Array.of(0x18, 2))).toThrow('invalid message');
  });
});
