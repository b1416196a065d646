import { describe, expect, it } from 'vitest';
import { onAbort } from '../base/abort.ts';
import { isConfigError, TransportError } from '../base/errors.ts';
import { settle } from '../base/virtual-clock.ts';
import { createClient } from './create-client.ts';
import { type LeaderElectionOptions, runLeaderElection } from './leader-election.ts';
import { LeaseServer } from './lease-server.fixtures.ts';
import { OPTIONS, setUp } from './test-candidate.fixtures.ts';

describe('acquiring', () => {
  it('creates the Lease and leads at once', async () => {
    const { clock, candidate, spec, server } = setUp();
    const a = candidate('a');
    await settle();
    expect(a.leads).toBe(true);
    expect(spec()).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2030-01-01T00:00:00.000000Z',
      renewTime: '2030-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
    expect(server.requests).toEqual(['GET demo', 'POST']);
    expect(a.holders).toEqual(['a']);
    a.stop.abort();
    await a.done;
    expect(clock.pendingTimers).toBe(0);
  });

  it('waits for the duration of a Lease that is not renewed, counted from its first sight', async () => {
    const { clock, candidate, server, spec } = setUp();
    server.handle({
      method: 'POST',
      target: '/leases',
      body: new TextEncoder().encode(
        JSON.stringify({
          metadata: { name: 'demo' },
          spec: {
            holderIdentity: 'gone',
            leaseDurationSeconds: 15,
            renewTime: '2001-01-01T00:00:00.000000Z',
            leaseTransitions: 4,
            strategy: 'S',
            preferredHolder: 'p',
          },
        }),
      ),
    });
    const a = candidate('a');
    await clock.advance(14_999);
    expect(a.leads).toBe(false);
    expect(a.holders).toEqual(['gone']);
    await clock.advance(3_200);
    expect(a.leads).toBe(true);
    expect(spec()).toMatchObject({ holderIdentity: 'a', leaseTransitions: 5, strategy: 'S', preferredHolder: 'p' });
    expect(a.terms[0]?.transitions).toBe(5);
  });

  it('asks again after the retry period and up to 1.2 times as much', async () => {
    const { clock, candidate, server } = setUp();
    candidate('a');
    await settle();
    const asked: number[] = [];
    const randoms = [0, 0.75, 0.5, 0];
    candidate('b', {
      random: () => randoms.shift() ?? 0,
      client: createClient((request) => {
        asked.push(clock.monotonic());
        return server.transport(request);
      }),
    });
    await clock.advance(10_000);
    expect(asked).toEqual([0, 2_000, 5_800, 9_000]);
  });

  it('does not take a Lease that is renewed, however long', async () => {
    const { clock, candidate } = setUp();
    const a = candidate('a');
    await settle();
    const b = candidate('b');
    await clock.advance(600_000);
    expect([a.terms.length, b.terms.length, a.leads]).toEqual([1, 0, true]);
  });

  it('takes a Lease that has its own identity without a wait, and keeps its transitions', async () => {
    const { candidate, spec, server } = setUp();
    const first = candidate('a', { set: { releaseOnCancel: false } });
    await settle();
    server.edit('demo', (before) => ({ ...before, leaseTransitions: 3 }));
    first.stop.abort();
    await first.done;
    expect(spec()).toMatchObject({ holderIdentity: 'a' });
    const again = candidate('a');
    await settle();
    expect(again.leads).toBe(true);
    expect(spec()).toMatchObject({ leaseTransitions: 3, acquireTime: '2030-01-01T00:00:00.000000Z' });
  });

  it('goes on after failures', async () => {
    const { clock, candidate } = setUp();
    let failures = 3;
    const { transport } = new LeaseServer();
    const a = candidate('a', {
      client: createClient((request) =>
        failures-- > 0 ? Promise.reject(new TransportError('refused')) : transport(request),
      ),
    });
    await clock.advance(20_000);
    expect(a.leads).toBe(true);
  });

  it('gives up an attempt whose request hangs after half of the renew deadline', async () => {
    const { clock, candidate } = setUp();
    const a = candidate('a');
    a.connected = false;
    await clock.advance(5_000);
    a.connected = true;
    await clock.advance(3_200);
    expect(a.leads).toBe(true);
  });

  it('does not lead if the answer comes after the deadline', async () => {
    const { clock, candidate, server } = setUp();
    const b = candidate('b', {
      client: createClient(async (request) => {
        const response = await server.transport(request);
        // The process is paused: no timer fires, and the answer waits.
        if (request.method === 'POST') (clock as unknown as { monotonic: () => number }).monotonic = () => 10_000;
        return response;
      }),
    });
    await settle();
    expect(b.terms).toEqual([]);
  });
});

describe('the end of an election', () => {
  it('releases the Lease after the work has ended, so that another candidate leads soon', async () => {
    const { clock, candidate, spec, server } = setUp();
    let finish: () => void = () => undefined;
    const seen: boolean[] = [];
    const a = candidate('a', {
      lead: (term) =>
        new Promise((resolve) => {
          onAbort(term.signal, () => seen.push(term.signal.aborted, term.lost.aborted));
          finish = resolve;
        }),
    });
    await settle();
    const b = candidate('b');
    await clock.advance(1_000);
    a.stop.abort();
    expect(seen).toEqual([true, false]);
    await clock.advance(30_000);
    expect([b.leads, spec()?.holderIdentity, spec()?.renewTime]).toEqual([false, 'a', '2030-01-01T00:00:30.000000Z']);
    server.requests.length = 0;
    finish();
    await settle();
    expect(server.requests).toEqual(['PUT demo']);
    expect(spec()).toEqual({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: '2030-01-01T00:00:31.000000Z',
      renewTime: '2030-01-01T00:00:31.000000Z',
      leaseTransitions: 0,
    });
    expect(a.outcome).toBe('ended');
    await clock.advance(4_400);
    expect(b.leads).toBe(true);
    expect(spec()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  it('releases a Lease that another program has changed, and leaves that of another holder alone', async () => {
    const { candidate, spec, server } = setUp();
    const a = candidate('a');
    await settle();
    server.edit('demo', (before) => ({ ...before, strategy: 'S' }));
    a.stop.abort();
    await a.done;
    expect(spec()).toMatchObject({ holderIdentity: '', strategy: 'S' });
    const b = candidate('b');
    await settle();
    server.edit('demo', (before) => ({ ...before, holderIdentity: 'thief' }));
    b.stop.abort();
    await b.done;
    expect(spec()).toMatchObject({ holderIdentity: 'thief' });
  });

  it('comes when the work returns or fails, with its error', async () => {
    const { candidate, spec } = setUp();
    const a = candidate('a', { lead: async () => undefined });
    await a.done;
    expect([a.outcome, spec()?.holderIdentity]).toEqual(['ended', '']);
    const b = candidate('b', { lead: async () => Promise.reject(new TransportError('no disk')) });
    await b.done;
    expect([b.outcome, spec()?.holderIdentity]).toEqual(['no disk', '']);
  });

  it('does not come when the work rejects with the reason of a lost term', async () => {
    const { clock, candidate } = setUp();
    let terms = 0;
    const a = candidate('a', {
      lead: (term) => {
        terms++;
        return new Promise((_, reject) => onAbort(term.signal, reject));
      },
    });
    await settle();
    a.connected = false;
    await clock.advance(10_000);
    a.connected = true;
    await clock.advance(10_000);
    expect([terms, a.outcome]).toEqual([2, undefined]);
  });

  it('waits for the work of a lost term before it leads again', async () => {
    const { clock, candidate } = setUp();
    let running = 0;
    const warnings: string[] = [];
    let finish: () => void = () => undefined;
    const silent = { debug: () => undefined, info: () => undefined, error: () => undefined };
    const a = candidate('a', {
      logger: { ...silent, warn: (message) => void warnings.push(message) },
      lead: () => {
        running++;
        return new Promise((resolve) => (finish = resolve));
      },
    });
    await settle();
    a.connected = false;
    await clock.advance(20_000);
    a.connected = true;
    await clock.advance(60_000);
    expect(running).toBe(1);
    expect(warnings).toContain('the Lease is lost and the work of the leader has not ended');
    finish();
    await clock.advance(1);
    expect(running).toBe(2);
  });

  it('is recorded on the Lease, as is its begin', async () => {
    const { candidate } = setUp();
    const recorded: string[] = [];
    const a = candidate('a', {
      recorder: {
        normal: ({ kind, metadata }, reason, message) =>
          void recorded.push(`${kind} ${metadata.name} ${metadata.uid} ${reason}: ${message}`),
      },
    });
    await settle();
    a.stop.abort();
    await a.done;
    expect(recorded).toEqual([
      'Lease demo uid-0 LeaderElection: a became leader',
      'Lease demo uid-0 LeaderElection: a stopped leading',
    ]);
  });

  it('does not wait for a candidate that waits', async () => {
    const { clock, candidate } = setUp();
    const a = candidate('a');
    await settle();
    const b = candidate('b');
    await clock.advance(100);
    b.stop.abort();
    await b.done;
    a.stop.abort();
    await a.done;
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('options', () => {
  it.each<[Partial<LeaderElectionOptions>, string]>([
    [{ identity: '' }, 'identity must not be empty'],
    [{ name: '' }, 'name must not be empty'],
    [{ leaseDurationMs: 10_000 }, 'leaseDurationMs (10000) must be greater than renewDeadlineMs (10000)'],
    [{ renewDeadlineMs: 2_400 }, 'renewDeadlineMs (2400) must be greater than retryPeriodMs * 1.2 (2400)'],
    [{ retryPeriodMs: 0 }, 'retryPeriodMs must be a number above 0, not 0'],
    [{ renewDeadlineMs: -1 }, 'renewDeadlineMs must be a number above 0, not -1'],
    [{ leaseDurationMs: Number.NaN }, 'leaseDurationMs must be a number above 0, not NaN'],
  ])('%j are refused', async (set, message) => {
    const client = createClient(new LeaseServer().transport);
    const options = { ...OPTIONS, identity: 'a', ...set };
    const failure = await runLeaderElection({ client, options, lead: async () => undefined }).catch((error) => error);
    expect(isConfigError(failure)).toBe(true);
    expect(failure.message).toBe(`leader election: ${message}`);
  });
});
