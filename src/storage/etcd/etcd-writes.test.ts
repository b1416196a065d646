import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import { GRPC, GrpcError } from '../../base/grpc.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { EtcdCalls } from './etcd-calls.ts';
import { EtcdWrites } from './etcd-writes.ts';
import { createKeyMap } from './key-map.ts';
import { Leases } from './leases.ts';
import type { EtcdKeyValue, TxnRequest, TxnResponse } from './messages.ts';

const KEY = 'registry/events/a';
const VALUE = encodeUtf8('mine');
const header = { clusterId: '1', revision: 9 };
const leaseNotFound = (progress: 'refused' | 'unknown'): GrpcError =>
  new GrpcError(GRPC.notFound, 'etcdserver: requested lease not found', { progress });
const noLeader = new GrpcError(GRPC.unavailable, 'etcdserver: no leader', { progress: 'refused' });

type Answer = Error | { readonly response: TxnResponse; readonly isRepeated: boolean };

/** The failed comparison of a transaction, whose key has this value. */
function present(value: Uint8Array, isRepeated = false): Answer {
  const item: EtcdKeyValue = { key: '/registry/events/a', value, created: 7, revision: 7, version: 1, lease: 5 };
  return { response: { header, succeeded: false, items: [item] }, isRepeated };
}

/** Writes whose transactions get these answers, and whose leases are 1, 2 and so on up to `leases`. */
function writes(answers: Answer[], leases = 2): { readonly writes: EtcdWrites; readonly used: unknown[] } {
  const used: unknown[] = [];
  const txn = async ({ success: [put] }: TxnRequest): Promise<Exclude<Answer, Error>> => {
    used.push(put?.type === 'put' ? put.lease : put);
    const answer = answers.shift();
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error('one transaction too many');
    return answer;
  };
  let granted = 0;
  const grant = async (): Promise<number> => {
    if (granted === leases) throw noLeader;
    return ++granted;
  };
  const keys = createKeyMap('/registry', 'registry');
  const made = new EtcdWrites({
    calls: { txn } as Pick<EtcdCalls, 'txn'> as EtcdCalls,
    keys,
    leases: new Leases({ clock: new VirtualClock(), reuseSeconds: 60, grant }),
    toItem: ({ key, value, revision, created }) => ({ key: keys.fromEtcd(key), value, revision, created }),
  });
  return { writes: made, used };
}

describe('a write with a time to live whose lease is not found', () => {
  it('is repeated with another lease', async () => {
    const { writes: made, used } = writes([leaseNotFound('refused'), present(VALUE)]);
    expect(await made.create(KEY, VALUE, { ttlMs: 60_000 })).toMatchObject({ outcome: 'conflict' });
    expect(used).toEqual([1, 2]);
  });

  it('succeeds if its own bytes are there and an earlier attempt may have written them', async () => {
    const { writes: made } = writes([leaseNotFound('unknown'), present(VALUE)]);
    expect(await made.create(KEY, VALUE, { ttlMs: 60_000 })).toEqual({ outcome: 'ok', revision: 7, changed: true });
  });

  it('is Unknown after such an attempt if other bytes are there, or it cannot be repeated', async () => {
    const other = writes([leaseNotFound('unknown'), present(encodeUtf8('other'))]);
    await expect(other.writes.create(KEY, VALUE, { ttlMs: 60_000 })).rejects.toMatchObject({ code: 'Unknown' });
    const refused = writes([leaseNotFound('unknown'), noLeader]);
    await expect(refused.writes.create(KEY, VALUE, { ttlMs: 60_000 })).rejects.toMatchObject({ code: 'Unknown' });
    const withoutLease = writes([leaseNotFound('unknown')], 1);
    await expect(withoutLease.writes.create(KEY, VALUE, { ttlMs: 60_000 })).rejects.toMatchObject({ code: 'Unknown' });
  });
});
