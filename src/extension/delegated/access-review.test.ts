import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { createClient } from '../../client/create-client.ts';
import type { Authorizer, RequestAttributes } from '../../server/authorizer.ts';
import { accessReviewAuthorizer } from './access-review.ts';
import { type FakeParent, fakeParent, type ParentAnswer, refusal } from './parent.fixtures.ts';

const REVIEWS = 'POST /apis/authorization.k8s.io/v1/subjectaccessreviews';

function setup(answer: ParentAnswer): { authorizer: Authorizer; parent: FakeParent; clock: VirtualClock } {
  const clock = new VirtualClock();
  const parent = fakeParent({ [REVIEWS]: answer });
  const authorizer = accessReviewAuthorizer({
    client: createClient(parent.transport),
    clock,
    random: () => 0,
    allowedCacheMs: 10_000,
    deniedCacheMs: 5_000,
    onFailure: () => undefined,
  });
  return { authorizer, parent, clock };
}

const GET: RequestAttributes = {
  user: { name: 'ann', uid: '', groups: ['staff'], extra: { scopes: ['all'] } },
  verb: 'get',
  namespace: 'default',
  apiGroup: 'bank.example.com',
  apiVersion: 'v1',
  resource: 'accounts',
  subresource: '',
  name: 'a',
  path: '',
  isResourceRequest: true,
};

describe('an access review', () => {
  it('asks about the whole request, once for many callers', async () => {
    const { authorizer, parent } = setup(() => ({ status: { allowed: true, reason: 'by a role' } }));
    const results = await Promise.all(Array.from({ length: 50 }, () => authorizer.authorize(GET)));
    expect(results[0]).toEqual({ decision: 'allow', reason: 'by a role', error: '' });
    expect(parent.requests.map(({ body }) => body?.['spec'])).toEqual([
      {
        user: 'ann',
        groups: ['staff'],
        extra: { scopes: ['all'] },
        resourceAttributes: {
          verb: 'get',
          group: 'bank.example.com',
          version: 'v1',
          resource: 'accounts',
          namespace: 'default',
          name: 'a',
        },
      },
    ]);
    expect(authorizer.authorize(GET)).toBe(results[0]);
  });

  it('asks about the path of other requests', async () => {
    const { authorizer, parent } = setup(() => ({ status: { allowed: false } }));
    await authorizer.authorize({ ...GET, isResourceRequest: false, path: '/metrics' });
    expect(parent.requests[0]?.body?.['spec']).toMatchObject({
      nonResourceAttributes: { path: '/metrics', verb: 'get' },
    });
  });

  it('keeps permissions and refusals for their own times', async () => {
    const { authorizer, parent, clock } = setup(({ spec }) => ({
      status: { allowed: (spec as { user: string }).user === 'ann' },
    }));
    const bob = { ...GET, user: { ...GET.user, name: 'bob' } };
    await authorizer.authorize(GET);
    expect(await authorizer.authorize(bob)).toEqual({ decision: 'no-opinion', reason: '', error: '' });
    await clock.advance(5_000);
    await authorizer.authorize(GET);
    await authorizer.authorize(bob);
    expect(parent.requests).toHaveLength(3);
    await clock.advance(5_000);
    await authorizer.authorize(GET);
    expect(parent.requests).toHaveLength(4);
  });

  it('reports a denial and a contradiction as denials', async () => {
    const denied = setup(() => ({ status: { allowed: false, denied: true, reason: 'frozen' } }));
    expect(await denied.authorizer.authorize(GET)).toEqual({ decision: 'deny', reason: 'frozen', error: '' });
    const both = setup(() => ({ status: { allowed: true, denied: true } }));
    expect(await both.authorizer.authorize(GET)).toMatchObject({
      decision: 'deny',
      error: expect.stringContaining('both'),
    });
  });

  it('has no opinion if the parent cannot be asked, and asks again for the next request', async () => {
    let broken = true;
    const { authorizer, parent } = setup(() =>
      broken ? refusal(403, 'Forbidden', 'no') : { status: { allowed: true } },
    );
    expect(await authorizer.authorize(GET)).toEqual({ decision: 'no-opinion', reason: '', error: 'no' });
    broken = false;
    expect(await authorizer.authorize(GET)).toMatchObject({ decision: 'allow' });
    expect(parent.requests).toHaveLength(2);
  });

  it('does not keep the answer to a very long question', async () => {
    const { authorizer, parent } = setup(() => ({ status: { allowed: true } }));
    const long = { ...GET, name: 'x'.repeat(10_000) };
    await authorizer.authorize(long);
    await authorizer.authorize(long);
    expect(parent.requests).toHaveLength(2);
  });
});
