import { describe, expect, test } from 'vitest';
import type { AuthorizationResult, Authorizer, RequestAttributes } from '../server/authorization.ts';
import { alwaysAllowAuthorizer, alwaysDenyAuthorizer, mastersAuthorizer, unionAuthorizer } from './authorizers.ts';
import { user } from './kube-server.fixtures.ts';

const asked = { user: user('joe') } as RequestAttributes;
const says = (result: Partial<AuthorizationResult>, late = false): Authorizer => {
  const whole: AuthorizationResult = { decision: 'no-opinion', reason: '', error: '', ...result };
  return { authorize: () => (late ? Promise.resolve(whole) : whole) };
};

describe('the chain of authorizers', () => {
  test('asks until one decides', async () => {
    const chain = unionAuthorizer([
      says({ reason: 'a' }),
      says({ decision: 'deny', reason: 'b' }, true),
      alwaysAllowAuthorizer,
    ]);
    expect(await chain.authorize(asked)).toEqual({ decision: 'deny', reason: 'b', error: '' });
  });

  test('ends with a denial that comes at once', () => {
    const chain = unionAuthorizer([says({ decision: 'deny' }), alwaysAllowAuthorizer]);
    expect(chain.authorize(asked)).toMatchObject({ decision: 'deny' });
  });

  test('tells the reasons of all if none decides', async () => {
    const chain = unionAuthorizer([
      says({ reason: 'a', error: 'x' }, true),
      alwaysDenyAuthorizer,
      says({ error: 'x' }),
    ]);
    expect(await chain.authorize(asked)).toEqual({
      decision: 'no-opinion',
      reason: 'a\nEverything is forbidden.',
      error: 'x',
    });
  });

  test('answers at once where its members do', () => {
    expect(unionAuthorizer([mastersAuthorizer, alwaysAllowAuthorizer]).authorize(asked)).toMatchObject({
      decision: 'allow',
    });
  });

  test('allows members of system:masters everything', () => {
    const chain = unionAuthorizer([mastersAuthorizer]);
    expect(chain.authorize({ ...asked, user: user('root', ['system:masters']) })).toMatchObject({ decision: 'allow' });
    expect(chain.authorize(asked)).toMatchObject({ decision: 'no-opinion' });
  });

  test('knows all rules only if every member tells its own', async () => {
    const rules = async (...members: Authorizer[]) => unionAuthorizer(members).rulesFor?.(user('joe'), 'default');
    expect(await rules(mastersAuthorizer, alwaysAllowAuthorizer)).toMatchObject({
      resourceRules: [{ verbs: ['*'] }],
      incomplete: false,
    });
    expect(await rules(alwaysDenyAuthorizer, says({}))).toMatchObject({ resourceRules: [], incomplete: true });
  });
});
