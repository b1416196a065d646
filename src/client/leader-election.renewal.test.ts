import { describe, expect, it } from 'vitest';
import { TransportError } from '../base/errors.ts';
import { settle } from '../base/virtual-clock.ts';
import { createClient } from './create-client.ts';
import { fenced } from './fenced.ts';
import type { LeaderTerm } from './leader-election.ts';
import { setUp } from './test-candidate.fixtures.ts';

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
