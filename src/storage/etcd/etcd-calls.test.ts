import { describe, expect, it } from 'vitest';
import { toError } from '../../base/errors.ts';
import { GRPC, GrpcError } from '../../base/grpc.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { EtcdCalls } from './etcd-calls.ts';
import type { EtcdClient } from './etcd-client.ts';
import { HistoryGuard } from './history-guard.ts';

const noAnswer = new GrpcError(GRPC.unavailable, 'no answer', { progress: 'unknown' });
const noLeader = new GrpcError(GRPC.unavailable, 'etcdserver: no leader', { progress: 'refused' });
const leaseNotFound = new GrpcError(GRPC.notFound, 'etcdserver: requested lease not found', { progress: 'refused' });
const ANSWER = Uint8Array.of(0x0a, 4, 0x08, 0x1f, 0x18, 9);
const TXN = { compare: [], success: [], failure: [] };

interface TestCalls {
  readonly calls: EtcdCalls;
  readonly clock: VirtualClock;
  /** The calls of the observer. */
  readonly observed: unknown[];
}

/** Calls whose attempts fail with these errors one after the other. Later attempts are answered. */
function callsThatFail(failures: readonly GrpcError[]): TestCalls {
  const clock = new VirtualClock();
  const left = [...failures];
  const client: Pick<EtcdClient, 'call'> = {
    call: () => (left.length > 0 ? Promise.reject(toError(left.shift())) : Promise.resolve(ANSWER)),
  };
  const observed: unknown[] = [];
  const observer = {
    request: (...told: unknown[]) => void observed.push(told),
    listed: () => undefined,
    received: () => undefined,
    leaseGranted: () => undefined,
  };
  const history = new HistoryGuard(() => undefined);
  return { calls: new EtcdCalls({ client: client as EtcdClient, clock, history, observer }), clock, observed };
}

describe('the calls of etcd', () => {
  it('a transaction fails with unknown progress if that of any attempt is unknown', async () => {
    for (const [failures, progress] of [
      [[noAnswer, leaseNotFound], 'unknown'],
      [[noLeader, leaseNotFound], 'refused'],
    ] as const) {
      const { calls, clock } = callsThatFail(failures);
      const failed = calls.txn(TXN).catch((caught: unknown) => caught);
      await clock.advance(1000);
      expect(await failed).toMatchObject({ code: GRPC.notFound, progress });
    }
  });

  it('a transaction is repeated if the outcome of an earlier attempt is not known', async () => {
    for (const [failures, isRepeated] of [
      [[], false],
      [[noLeader, noLeader], false],
      [[noLeader, noAnswer, noLeader], true],
    ] as const) {
      const { calls, clock } = callsThatFail(failures);
      const outcome = calls.txn(TXN);
      await clock.advance(1000);
      expect(await outcome).toMatchObject({ isRepeated, response: { header: { revision: 9 } } });
    }
  });

  it.each(['range', 'txn'] as const)(
    'the observer is told once of each %s, however often it is tried',
    async (name) => {
      const call = (calls: EtcdCalls, operation?: 'get'): Promise<unknown> =>
        name === 'range' ? calls.range({ key: 'k' }, operation, 'a') : calls.txn(TXN, operation, 'a');
      for (const [failures, ms, ok] of [
        [[], 0, true],
        [[noLeader, noLeader], 150, true],
        [[noLeader, leaseNotFound], 50, false],
      ] as const) {
        const { calls, clock, observed } = callsThatFail(failures);
        const ended = call(calls, 'get').then(
          () => true,
          () => false,
        );
        await clock.advance(1000);
        expect(await ended).toBe(ok);
        expect(observed).toEqual([['get', 'a', ms, ok]]);
      }
      const { calls, observed } = callsThatFail([]);
      await call(calls);
      expect(observed).toEqual([]);
    },
  );
});
