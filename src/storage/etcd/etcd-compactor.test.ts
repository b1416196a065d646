import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import { compactorRequest, stepCompactor } from './etcd-compactor.ts';

const header = (revision: number) => ({ clusterId: 'a', revision });
const key = (version: number, value: string) => ({
  key: 'compact_rev_key',
  value: encodeUtf8(value),
  created: 1,
  revision: 1,
  version,
  lease: 0,
});

describe('the compactor of etcd', () => {
  it('compacts nothing in its first round, and then to the revision of the round before', () => {
    const first = stepCompactor({ time: 0, revision: 0 }, { header: header(50), succeeded: true, items: [] });
    expect(first).toEqual({ state: { time: 1, revision: 50 } });
    const second = stepCompactor(first.state, { header: header(80), succeeded: true, items: [] });
    expect(second).toEqual({ state: { time: 2, revision: 80 }, compact: 50 });
  });

  it('takes over the time of a server that was faster, and learns its horizon', () => {
    const lost = stepCompactor(
      { time: 3, revision: 50 },
      { header: header(90), succeeded: false, items: [key(7, '60')] },
    );
    expect(lost).toEqual({ state: { time: 7, revision: 90 }, learned: 60 });
    expect(compactorRequest(lost.state)).toMatchObject({
      compare: [{ key: 'compact_rev_key', version: 7 }],
      success: [{ type: 'put', value: encodeUtf8('90') }],
    });
  });
});
