import { describe, expect, test } from 'vitest';
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import { type AuthorizationResult, type Authorizer, MASTERS_GROUP, type RequestAttributes } from '../authorizer.ts';
import { ALWAYS_ALLOW, ALWAYS_DENY, privilegedGroupsAuthorizer, unionAuthorizer } from './authorizers.ts';

const user = (name: string, groups: readonly string[] = []): UserInfo => ({ name, uid: '', groups, extra: {} });
const masters = privilegedGroupsAuthorizer([MASTERS_GROUP]);

const asked = { user: user('joe') } as RequestAttributes;
const says = (result: Partial<AuthorizationResult>, late = false): Authorizer => {
  const whole: AuthorizationResult = { decision: 'no-opinion', reason: '', error: '', ...result };
  return { authorize: () => (late ? Promise.resolve(whole) : whole) };
};

describe('the chain of authorizers', () => {
  test('asks until one decides', async () => {
    const chain = unionAuthorizer([says({ reason: 'a' }), says({ decision: 'deny', reason: 'b' }, true), ALWAYS_ALLOW]);
    expect(await chain.authorize(asked)).toEqual({ decision: 'deny', reason: 'b', error: '' });
  });

  test('ends with a denial that comes at once', () => {
    const chain = unionAuthorizer([says({ decision: 'deny' }), ALWAYS_ALLOW]);
    expect(chain.authorize(asked)).toMatchObject({ decision: 'deny' });
  });

  test('tells the reasons of all if none decides', async () => {
    const chain = unionAuthorizer([says({ reason: 'a', error: 'x' }, true), ALWAYS_DENY, says({ error: 'x' })]);
    expect(await chain.authorize(asked)).toEqual({
      decision: 'no-opinion',
      reason: 'a\nEverything is forbidden.',
      error: 'x',
    });
  });

  test('answers at once where its members do', () => {
    expect(unionAuthorizer([masters, ALWAYS_ALLOW]).authorize(asked)).toMatchObject({
      decision: 'allow',
    });
  });

  test('allows members of system:masters everything', () => {
    const chain = unionAuthorizer([masters]);
    expect(chain.authorize({ ...asked, user: user('root', ['system:masters']) })).toMatchObject({ decision: 'allow' });
    expect(chain.authorize(asked)).toMatchObject({ decision: 'no-opinion' });
  });

  test('knows all rules only if every member tells its own', async () => {
    const rules = async (...members: Authorizer[]) => unionAuthorizer(members).rulesFor?.(user('joe'), 'default');
    expect(await rules(masters, ALWAYS_ALLOW)).toMatchObject({
      resourceRules: [{ verbs: ['*'] }],
      incomplete: false,
    });
    expect(await rules(ALWAYS_DENY, says({}))).toMatchObject({ resourceRules: [], incomplete: true });
  });
});
