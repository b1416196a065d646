import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { EtcdCalls } from './etcd-calls.ts';
import { EtcdReads } from './etcd-reads.ts';
import { HistoryGuard } from './history-guard.ts';
import { createKeyMap } from './key-map.ts';
import type { RangeRequest, RangeResponse } from './messages.ts';

const STORED = ['a', 'b', 'c', 'd', 'e'].map((name) => `/registry/things/${name}`);
const header = { clusterId: '1', memberId: '1', revision: 9 };

/** Reads of five keys. `requests` are those that etcd got. */
function reads(): { readonly reads: EtcdReads; readonly requests: RangeRequest[] } {
  const requests: RangeRequest[] = [];
  const range = async (request: RangeRequest): Promise<RangeResponse> => {
    requests.push(request);
    const found = STORED.filter((key) => key >= request.key);
    const items = found
      .slice(0, request.limit)
      .map((key) => ({ key, value: encodeUtf8('x'), created: 1, revision: 2, version: 1, lease: 0 }));
    return { header, items, count: found.length };
  };
  const keys = createKeyMap('/registry', 'registry');
  const calls: Pick<EtcdCalls, 'range'> = { range };
  const made = new EtcdReads({
    calls: calls as EtcdCalls,
    keys,
    history: new HistoryGuard(() => undefined),
    toItem: ({ key, value, revision, created }) => ({ key: keys.fromEtcd(key), value, revision, created }),
  });
  return { reads: made, requests };
}

describe('lists of the etcd driver', () => {
  it('request the next page in advance, once, if the caller reads on', async () => {
    const { reads: made, requests } = reads();
    const range = { prefix: 'registry/things/' };
    const first = await made.list(range, { revision: 9, limit: 2, nextLimit: 2 });
    expect(requests.map(({ key }) => key)).toEqual(['/registry/things/', '/registry/things/c']);
    if (first.outcome !== 'ok') throw new Error(first.outcome);
    const second = await made.list({ ...range, start: first.next as string }, { revision: 9, limit: 2 });
    expect(requests).toHaveLength(2);
    if (second.outcome !== 'ok') throw new Error(second.outcome);
    expect([...first.items, ...second.items].map(({ key }) => key)).toEqual(
      STORED.slice(0, 4).map((key) => key.slice(1)),
    );
    expect([second.next, second.remaining]).toEqual(['registry/things/e', 1]);
    await made.list({ ...range, start: second.next as string }, { revision: 9, limit: 2, nextLimit: 2 });
    expect(requests).toHaveLength(3);
  });

  it('request a page again that was requested in advance with another limit or at another revision', async () => {
    const { reads: made, requests } = reads();
    const range = { prefix: 'registry/things/' };
    await made.list(range, { revision: 9, limit: 2, nextLimit: 3 });
    await made.list({ ...range, start: 'registry/things/c' }, { revision: 9, limit: 2 });
    await made.list({ ...range, start: 'registry/things/c' }, { revision: 8, limit: 3 });
    expect(requests).toHaveLength(4);
  });
});
