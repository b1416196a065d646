import { describe, expect, it } from 'vitest';
import { rangeRequest, txnRequest } from './requests.ts';
import { readRangeResponse } from './responses.ts';

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

  it('that are cut off are an error, not an endless loop', () => {
    const whole = [0x12, 5, 0x0a, 1, 97, 0x18, 7];
    expect(readRangeResponse(Uint8Array.from(whole)).items).toMatchObject([{ key: 'a', revision: 7 }]);
    for (let length = 1; length < whole.length; length++)
      expect(() => readRangeResponse(Uint8Array.from(whole.slice(0, length)))).toThrow('invalid message');
  });
});
