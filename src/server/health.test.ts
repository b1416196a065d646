import { describe, expect, it } from 'vitest';
import { parseQuery } from '../apimachinery/meta/query.ts';
import { decodeUtf8 } from '../base/bytes.ts';
import { Deferred } from '../base/deferred.ts';
import { isBugError } from '../base/errors.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { Health, type HealthOptions, PING } from './health.ts';
import type { Answer } from './http/exchange.ts';

function setup(options: Partial<HealthOptions> = {}): { readonly health: Health; readonly clock: VirtualClock } {
  const clock = new VirtualClock();
  return { health: new Health({ clock, ...options }), clock };
}

function shown(answer: Answer): readonly [number, string] {
  if (answer.kind !== 'bytes') throw new Error(answer.kind);
  return [answer.status, decodeUtf8(answer.body)];
}

/** The status and body of an answer that needs no waiting. */
function ask(health: Health, target: string): readonly [number, string] {
  const [path, query] = target.split('?');
  const answer = health.answer(path as string, parseQuery(query ?? ''));
  if (answer === undefined || answer instanceof Promise) throw new Error(`no answer at once for ${target}`);
  return shown(answer);
}

const failing = { name: 'sick', group: 'hospital', check: () => 'it hurts' };

describe('an endpoint', () => {
  it('answers ok, and lists its checks only with verbose', () => {
    const { health } = setup();
    health.add(PING);
    health.add({ name: 'poststarthook/a', check: () => undefined });
    expect(ask(health, '/healthz')).toEqual([200, 'ok']);
    expect(ask(health, '/healthz?verbose')).toEqual([200, '[+]ping ok\n[+]poststarthook/a ok\nhealthz check passed\n']);
    expect(ask(health, '/livez?verbose=false')).toEqual([
      200,
      '[+]ping ok\n[+]poststarthook/a ok\nlivez check passed\n',
    ]);
    expect(ask(health, '/readyz?verbose')).toEqual([
      200,
      '[+]ping ok\n[+]poststarthook/a ok\n[+]shutdown ok\nreadyz check passed\n',
    ]);
  });

  it('lists all checks if one fails, without the reason', () => {
    const { health } = setup();
    health.add(failing);
    health.add(PING);
    const expected = '[-]sick failed: reason withheld\n[+]ping ok\nhealthz check failed\n';
    expect(ask(health, '/healthz')).toEqual([500, expected]);
    expect(ask(health, '/healthz?verbose')).toEqual([500, expected]);
  });

  it('skips checks excluded by name or group, and warns about unknown ones', () => {
    const { health } = setup();
    health.add(PING);
    health.add(failing);
    expect(ask(health, '/livez?verbose&exclude=sick')).toEqual([
      200,
      '[+]ping ok\n[+]sick excluded: ok\nlivez check passed\n',
    ]);
    expect(ask(health, '/livez?verbose&exclude=z&exclude=hospital&exclude=a%22b&exclude=')).toEqual([
      200,
      '[+]ping ok\n[+]sick excluded with hospital: ok\n' +
        'warn: some health checks cannot be excluded: no matches for "","a\\"b","z"\nlivez check passed\n',
    ]);
    expect(ask(health, '/livez?exclude=z')).toEqual([
      500,
      '[+]ping ok\n[-]sick failed: reason withheld\n' +
        'warn: some health checks cannot be excluded: no matches for "z"\nlivez check failed\n',
    ]);
    expect(ask(health, '/livez?exclude=sick')).toEqual([200, 'ok']);
  });

  it('has the check ping if it has no other', () => {
    const { health } = setup();
    expect(ask(health, '/livez?verbose')).toEqual([200, '[+]ping ok\nlivez check passed\n']);
  });

  it('sends plain text with nosniff', () => {
    const { health } = setup();
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
    expect(health.answer('/healthz', parseQuery(''))).toMatchObject({ headers });
  });

  it('refuses two checks of one name', () => {
    const { health } = setup();
    health.addTo('livez', PING);
    expect(() => health.addTo('livez', PING)).toThrow(expect.toSatisfy(isBugError));
    expect(() => health.addTo('readyz', { ...PING, name: 'shutdown' })).toThrow(expect.toSatisfy(isBugError));
    health.addTo('livez', { ...PING, name: 'shutdown' });
  });

  it('reports each result with its reason', () => {
    const results: unknown[] = [];
    const { health } = setup({ onResult: (...result) => results.push(result) });
    health.add(failing);
    health.add(PING);
    ask(health, '/healthz');
    ask(health, '/livez?exclude=sick');
    expect(results).toEqual([
      ['healthz', 'sick', 'it hurts'],
      ['healthz', 'ping', undefined],
      ['livez', 'ping', undefined],
    ]);
  });
});

describe('one check', () => {
  it('answers with the reason', () => {
    const { health } = setup();
    health.add(PING);
    health.add({ ...failing, name: 'poststarthook/a/b' });
    expect(ask(health, '/readyz/ping')).toEqual([200, 'ok']);
    expect(ask(health, '/readyz/poststarthook/a/b')).toEqual([500, 'internal server error: it hurts\n']);
    expect(ask(health, '/readyz/shutdown')).toEqual([200, 'ok']);
  });

  it('is a 404 if there is no check of that name', () => {
    const { health } = setup();
    for (const target of ['/healthz/nope', '/healthz/', '/healthz/shutdown', '/livez/ping/'])
      expect(ask(health, target)).toEqual([404, '404 page not found\n']);
  });

  it('is answered only below one of the endpoints', () => {
    const { health } = setup();
    for (const path of ['/', '/health', '/healthzz', '/api/healthz', 'healthz'])
      expect(health.answer(path, parseQuery(''))).toBeUndefined();
  });
});

describe('a check', () => {
  it('fails if it throws or rejects', async () => {
    const { health } = setup();
    health.addTo('healthz', {
      name: 'throws',
      check: () => {
        throw new Error('thrown');
      },
    });
    expect(ask(health, '/healthz/throws')).toEqual([500, 'internal server error: thrown\n']);
    health.addTo('livez', { name: 'rejects', check: () => Promise.reject(new Error('rejected')) });
    expect(shown((await health.answer('/livez/rejects', parseQuery(''))) as Answer)).toEqual([
      500,
      'internal server error: rejected\n',
    ]);
  });

  it('may be asynchronous, in parallel to the others', async () => {
    const { health, clock } = setup();
    const first = new Deferred<string | undefined>();
    const second = new Deferred<string | undefined>();
    health.add({ name: 'first', check: () => first.promise });
    health.add({ name: 'second', check: () => second.promise });
    const answer = health.answer('/healthz', parseQuery('verbose'));
    second.resolve(undefined);
    first.resolve('no');
    expect(shown((await answer) as Answer)).toEqual([
      500,
      '[-]first failed: reason withheld\n[+]second ok\nhealthz check failed\n',
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('fails if it exceeds the timeout', async () => {
    const { health, clock } = setup({ timeoutMs: 500 });
    health.add({ name: 'slow', check: () => new Promise(() => {}) });
    let answer: Answer | undefined;
    void Promise.resolve(health.answer('/livez/slow', parseQuery(''))).then((value) => {
      answer = value;
    });
    await clock.advance(499);
    expect(answer).toBeUndefined();
    await clock.advance(1);
    expect(shown(answer as unknown as Answer)).toEqual([500, 'internal server error: no result within 500 ms\n']);
  });

  it('added as a boot check passes on livez during the grace period only', async () => {
    const { health, clock } = setup({ livezGracePeriodMs: 1000 });
    health.addBootCheck(failing);
    expect([ask(health, '/healthz')[0], ask(health, '/livez')[0], ask(health, '/readyz')[0]]).toEqual([500, 200, 500]);
    await clock.advance(1000);
    expect(ask(health, '/livez')[0]).toBe(200);
    await clock.advance(1);
    expect(ask(health, '/livez')[0]).toBe(500);
  });
});

describe('the shutdown', () => {
  it('makes readyz fail and does not change the others', () => {
    const { health } = setup();
    health.add(PING);
    health.startShutdown();
    expect(ask(health, '/readyz')).toEqual([
      500,
      '[+]ping ok\n[-]shutdown failed: reason withheld\nreadyz check failed\n',
    ]);
    expect(ask(health, '/readyz/shutdown')).toEqual([500, 'internal server error: process is shutting down\n']);
    expect([ask(health, '/healthz'), ask(health, '/livez')]).toEqual([
      [200, 'ok'],
      [200, 'ok'],
    ]);
  });

  it('comes after the first readiness, which is reported once', () => {
    let ready = 0;
    let healthy = false;
    const { health } = setup({ onFirstReady: () => ready++ });
    health.add({ name: 'boot', check: () => (healthy ? undefined : 'not yet') });
    ask(health, '/readyz');
    expect(ready).toBe(0);
    healthy = true;
    ask(health, '/livez');
    expect(ready).toBe(0);
    ask(health, '/readyz');
    ask(health, '/readyz');
    expect(ready).toBe(1);
  });
});
