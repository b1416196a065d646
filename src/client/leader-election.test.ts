import { describe, expect, it } from 'vitest';
import type { Transport, TransportResponse } from '../apimachinery/http/transport.ts';
import { onAbort } from '../base/abort.ts';
import { isConfigError, TransportError } from '../base/errors.ts';
import { settle, VirtualClock } from '../base/virtual-clock.ts';
import { createClient } from './create-client.ts';
import { fenced } from './fenced.ts';
import {
  type LeaderElection,
  type LeaderElectionOptions,
  type LeaderTerm,
  runLeaderElection,
} from './leader-election.ts';
import { LeaseServer } from './lease-server.fixtures.ts';

const OPTIONS = { namespace: 'kube-system', name: 'demo' };

/** One candidate with what a test wants to know about it. */
class TestCandidate {
  readonly terms: LeaderTerm[] = [];
  readonly holders: string[] = [];
  readonly stop = new AbortController();
  readonly done: Promise<void>;
  outcome: string | undefined;
  /** Whether the requests of this candidate are answered. */
  connected = true;

  constructor(
    server: LeaseServer,
    clock: VirtualClock,
    more: Partial<LeaderElection> & { readonly set?: Partial<LeaderElectionOptions> } = {},
  ) {
    const transport: Transport = (request) =>
      this.connected
        ? server.transport(request)
        : new Promise<TransportResponse>((_, reject) => onAbort(request.signal, reject));
    this.done = runLeaderElection({
      client: createClient(transport),
      clock,
      random: () => 0.5,
      signal: this.stop.signal,
      onHolder: (holder) => void this.holders.push(holder),
      lead: (term) => {
        this.terms.push(term);
        return new Promise((resolve) => onAbort(term.signal, () => resolve()));
      },
      ...more,
      options: { ...OPTIONS, identity: 'a', ...more.set },
    }).then(
      () => {
        this.outcome = 'ended';
      },
      (error: Error) => {
        this.outcome = error.message;
      },
    );
  }

  get leads(): boolean {
    return this.terms.some((term) => !term.lost.aborted);
  }
}

function setUp() {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  const candidate = (identity: string, more: ConstructorParameters<typeof TestCandidate>[2] = {}): TestCandidate =>
    new TestCandidate(server, clock, { ...more, set: { identity, ...more.set } });
  const spec = () => server.leases.get('demo')?.spec;
  return { clock, server, candidate, spec };
}

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

describe('renewing', () => {
  it('writes the Lease every retry period, with one request', async () => {
    const { clock, candidate, server, spec } = setUp();
    const a = candidate('a');
    await settle();
    server.requests.length = 0;
    await clock.advance(6_000);
    expect(server.requests).toEqual(['PUT demo', 'PUT demo', 'PUT demo']);
    expect(spec()).toMatchObject({
      acquireTime: '2030-01-01T00:00:00.000000Z',
      renewTime: '2030-01-01T00:00:06.000000Z',
      leaseTransitions: 0,
    });
    expect(a.terms[0]?.deadline).toBe(16_000);
  });

  it('reads the Lease again after a change of another program, and keeps that change', async () => {
    const { clock, candidate, server, spec } = setUp();
    const a = candidate('a');
    await settle();
    server.edit('demo', (before) => ({ ...before, preferredHolder: 'b' }));
    server.requests.length = 0;
    await clock.advance(2_000);
    expect(server.requests).toEqual(['PUT demo', 'GET demo', 'PUT demo']);
    expect(spec()).toMatchObject({ preferredHolder: 'b', renewTime: '2030-01-01T00:00:02.000000Z' });
    expect(a.leads).toBe(true);
  });

  it('loses the Lease at the deadline if requests hang, and another candidate takes it later', async () => {
    const { clock, candidate, spec } = setUp();
    const a = candidate('a');
    await settle();
    const b = candidate('b');
    await clock.advance(4_000);
    a.connected = false;
    await clock.advance(9_999);
    expect(a.leads).toBe(true);
    await clock.advance(1);
    expect(a.leads).toBe(false);
    expect(String(a.terms[0]?.signal.reason)).toContain('was not renewed for 10000 ms');
    expect(b.leads).toBe(false);
    await clock.advance(10_000);
    expect(b.leads).toBe(true);
    expect(spec()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
    a.connected = true;
    await clock.advance(10_000);
    b.stop.abort();
    await b.done;
    await clock.advance(10_000);
    expect(a.terms.length).toBe(2);
    expect(a.holders).toEqual(['a', 'b', 'a']);
  });

  it('survives one request that hangs', async () => {
    const { clock, candidate } = setUp();
    const a = candidate('a');
    await clock.advance(1_999);
    a.connected = false;
    await clock.advance(10);
    a.connected = true;
    await clock.advance(60_000);
    expect([a.leads, a.terms.length]).toEqual([true, 1]);
  });

  it('loses the Lease at once when another candidate has it', async () => {
    const { clock, candidate, server } = setUp();
    const a = candidate('a');
    await settle();
    server.edit('demo', (before) => ({ ...before, holderIdentity: 'thief' }));
    await clock.advance(2_000);
    expect(a.leads).toBe(false);
    expect(String(a.terms[0]?.lost.reason)).toContain('is held by thief');
  });

  it('loses the Lease when its holder was removed', async () => {
    const { clock, candidate, server } = setUp();
    const a = candidate('a');
    await settle();
    server.edit('demo', (before) => ({ ...before, holderIdentity: '' }));
    await clock.advance(2_000);
    expect(a.terms[0]?.lost.aborted).toBe(true);
  });

  it('creates a Lease that was deleted and goes on', async () => {
    const { clock, candidate, server, spec } = setUp();
    const a = candidate('a');
    await settle();
    server.delete('demo');
    await clock.advance(2_000);
    expect([a.leads, a.terms.length]).toEqual([true, 1]);
    expect(spec()).toMatchObject({ holderIdentity: 'a', leaseTransitions: 0 });
  });

  it('of a deleted Lease is left to its holder for the duration of the Lease by candidates that knew it', async () => {
    const { clock, candidate, server } = setUp();
    const a = candidate('a');
    await settle();
    const b = candidate('b', { random: () => 0 });
    await clock.advance(1_000);
    a.connected = false;
    b.connected = false;
    await clock.advance(8_999);
    b.connected = true;
    server.delete('demo');
    // The candidate notices the deletion 6 s later, and waits for 15 s from then on.
    await clock.advance(15_000);
    expect([a.leads, b.leads]).toEqual([false, false]);
    await clock.advance(9_000);
    expect(b.leads).toBe(true);
  });

  it('goes on with a new term when the renewal succeeded and its answer was lost', async () => {
    const { clock, candidate, server } = setUp();
    const a = candidate('a', {
      client: createClient(async (request) => {
        const response = await server.transport(request);
        if (request.method === 'PUT' && clock.monotonic() === 2_000) throw new TransportError('broken pipe');
        return response;
      }),
    });
    await clock.advance(4_000);
    expect([a.leads, a.terms.length]).toEqual([true, 1]);
    expect(server.requests).toEqual(['GET demo', 'POST', 'PUT demo', 'PUT demo', 'GET demo', 'PUT demo']);
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

describe('a term', () => {
  it('is lost past its deadline even if no timer has fired', async () => {
    const { clock, candidate } = setUp();
    const a = candidate('a');
    await settle();
    const [term] = a.terms as [LeaderTerm];
    term.throwIfLost();
    let calls = 0;
    const send = fenced(async () => {
      calls++;
      return { status: 200, headers: {}, body: new Uint8Array() };
    }, term);
    await send({ method: 'GET', target: '/' });
    let passed: AbortSignal | undefined;
    const own = new AbortController();
    void fenced((request) => {
      passed = request.signal as AbortSignal;
      return new Promise(() => undefined);
    }, term)({ method: 'GET', target: '/', signal: own.signal });
    expect(passed?.aborted).toBe(false);
    // As after SIGSTOP: time has passed, and this code runs before the timers.
    const monotonic = clock.monotonic.bind(clock);
    clock.monotonic = () => monotonic() + 10_000;
    expect(passed?.aborted).toBe(true);
    expect(term.signal.aborted).toBe(true);
    expect(() => term.throwIfLost()).toThrow('the Lease kube-system/demo is lost: it was not renewed for 10000 ms');
    await expect(send({ method: 'PUT', target: '/' })).rejects.toBe(term.lost.reason);
    expect(calls).toBe(1);
  });

  it('is lost when the machine was suspended and its monotonic clock stood still', async () => {
    const { clock, candidate } = setUp();
    const a = candidate('a');
    await settle();
    const now = clock.now.bind(clock);
    clock.now = () => now() + 10_000;
    expect(() => a.terms[0]?.throwIfLost()).toThrow('is lost');
  });

  it('fences what is left of its work after it has ended', async () => {
    const { candidate } = setUp();
    let kept: LeaderTerm | undefined;
    const lead = async (term: LeaderTerm): Promise<void> => {
      kept = term;
    };
    await candidate('a', { lead }).done;
    expect(() => kept?.throwIfLost()).toThrow('the term has ended');
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
