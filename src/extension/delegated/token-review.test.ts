import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import { TransportError } from '../../base/errors.ts';
import { sha256Hex } from '../../base/sha256.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { createClient } from '../../client/create-client.ts';
import type { TokenAuthenticator } from '../../server/authenticator.ts';
import { type FakeParent, fakeParent, type ParentAnswer, refusal } from './parent.fixtures.ts';
import { tokenReviewAuthenticator } from './token-review.ts';

const TOKEN_REVIEWS = 'POST /apis/authentication.k8s.io/v1/tokenreviews';
const ANN = { username: 'ann', uid: '7', groups: ['staff'], extra: { scopes: ['all'] } };
const accepted: ParentAnswer = ({ spec }) => ({ spec, status: { authenticated: true, user: ANN } });
const USER = { name: 'ann', uid: '7', groups: ['staff'], extra: { scopes: ['all'] } };

interface Setup {
  readonly authenticate: TokenAuthenticator;
  readonly parent: FakeParent;
  readonly clock: VirtualClock;
  readonly failures: string[];
}

function setup(answer: ParentAnswer, audiences: readonly string[] = []): Setup {
  const clock = new VirtualClock();
  const parent = fakeParent({ [TOKEN_REVIEWS]: answer });
  const failures: string[] = [];
  const authenticate = tokenReviewAuthenticator({
    client: createClient(parent.transport),
    clock,
    random: () => 0,
    audiences,
    cacheMs: 10_000,
    hash: (text) => sha256Hex(encodeUtf8(text)),
    onFailure: ({ message }) => void failures.push(message),
  });
  return { authenticate, parent, clock, failures };
}

describe('a token review', () => {
  it('is sent once for many callers, and its result is used for 10 s without a promise', async () => {
    const { authenticate, parent, clock } = setup(accepted);
    const results = await Promise.all(Array.from({ length: 100 }, () => authenticate('t', [])));
    expect(new Set(results).size).toBe(1);
    expect(results[0]).toEqual({ outcome: 'ok', user: USER });
    expect(parent.requests).toHaveLength(1);
    expect(parent.requests[0]?.body?.['spec']).toEqual({ token: 't' });
    await clock.advance(9_999);
    expect(authenticate('t', [])).toBe(results[0]);
    await clock.advance(1);
    await authenticate('t', []);
    expect(parent.requests).toHaveLength(2);
  });

  it('that finds no user is kept for 10 s, one with an error is not kept', async () => {
    const unknown = setup(() => ({ status: { authenticated: false } }));
    expect(await unknown.authenticate('t', [])).toEqual({ outcome: 'none' });
    expect(unknown.authenticate('t', [])).toEqual({ outcome: 'none' });
    expect(unknown.parent.requests).toHaveLength(1);
    const refused = setup(() => ({ status: { authenticated: false, error: 'the token has expired' } }));
    for (const _ of [1, 2])
      expect(await refused.authenticate('t', [])).toEqual({ outcome: 'failed', message: 'the token has expired' });
    expect(refused.parent.requests).toHaveLength(2);
  });

  it('needs a common audience, if there are any', async () => {
    const answer: ParentAnswer = ({ spec }) => ({
      status: {
        authenticated: true,
        user: ANN,
        ...((spec as { token: string }).token === 'good' && { audiences: ['bank'] }),
      },
    });
    const { authenticate, parent } = setup(answer, ['bank', 'vault']);
    expect(await authenticate('good', [])).toEqual({ outcome: 'ok', user: USER, audiences: ['bank'] });
    expect(parent.requests[0]?.body?.['spec']).toEqual({ token: 'good', audiences: ['bank', 'vault'] });
    expect(await authenticate('other', [])).toEqual({ outcome: 'none' });
  });

  it('is repeated with backoff while the parent is overloaded, five times at most', async () => {
    let left = 3;
    const recovering = setup((body, request) =>
      left-- > 0 ? refusal(429, 'TooManyRequests') : accepted(body, request),
    );
    const result = recovering.authenticate('t', []);
    await recovering.clock.advance(500 + 750 + 1125);
    expect(await result).toEqual({ outcome: 'ok', user: USER });
    expect(recovering.parent.requests).toHaveLength(4);
    const broken = setup(() => refusal(500, 'InternalError', 'no leader'));
    const failed = broken.authenticate('t', []);
    await broken.clock.advance(60_000);
    expect(await failed).toMatchObject({ outcome: 'failed', message: expect.stringContaining('no leader') });
    expect(broken.parent.requests).toHaveLength(5);
    expect(broken.failures).toEqual(['no leader']);
  });

  it('is not repeated after a refusal, and names the failure without the token', async () => {
    const { authenticate, parent, clock } = setup(() => refusal(403, 'Forbidden', 'you may not review tokens'));
    const result = await authenticate('secret-token', []);
    expect(result).toMatchObject({ outcome: 'failed', message: expect.stringContaining('you may not review tokens') });
    expect(JSON.stringify(result)).not.toContain('secret-token');
    expect(parent.requests).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends after 10 s if the parent does not answer', async () => {
    const { authenticate, clock, failures } = setup(() => new Promise(() => undefined));
    const result = authenticate('t', []);
    await clock.advance(10_000);
    expect(await result).toMatchObject({ outcome: 'failed' });
    expect(failures).toEqual(['no response within 10000 ms']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is repeated when the connection is lost', async () => {
    let lost = false;
    const { authenticate, clock } = setup((body, request) => {
      if (lost) return accepted(body, request);
      lost = true;
      throw new TransportError('connection reset', { connectionLost: true });
    });
    const result = authenticate('t', []);
    await clock.advance(500);
    expect(await result).toEqual({ outcome: 'ok', user: USER });
  });
});
