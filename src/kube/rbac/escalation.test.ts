import { describe, expect, it } from 'vitest';
import {
  bindAttributes,
  describeEscalation,
  escalateAttributes,
  FULL_AUTHORITY,
  MAX_TEXT,
  mayAlwaysEscalate,
} from './escalation.ts';
import { RBAC_GROUP } from './policy.ts';
import { clusterBinding, requestOf, toUser, userOf } from './rbac.fixtures.ts';
import { RoleIndex } from './role-index.ts';

const ada = userOf('ada', 'devs', 'system:authenticated');

function indexOf(...verbs: readonly string[]): RoleIndex {
  const index = new RoleIndex();
  index.applyClusterRole({ metadata: { name: 'held' }, rules: [{ verbs, apiGroups: [''], resources: ['pods'] }] });
  index.applyClusterRoleBinding(clusterBinding('b', 'held', toUser('ada')));
  return index;
}

describe('granting rules to others', () => {
  it('is not an escalation if the user holds them', () => {
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] }];
    expect(describeEscalation(indexOf('get', 'list'), ada, '', rules)).toBeUndefined();
    expect(describeEscalation(indexOf(), ada, '', [])).toBeUndefined();
  });

  it('lists the missing permissions sorted, with joined verbs', () => {
    const rules = [
      { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] },
      { verbs: ['get'], nonResourceURLs: ['/metrics'] },
      { verbs: ['*'], apiGroups: ['apps'], resources: ['deployments'] },
    ];
    expect(describeEscalation(indexOf('get'), ada, '', rules)).toBe(
      [
        'user "ada" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:',
        '{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}',
        '{APIGroups:["apps"], Resources:["deployments"], Verbs:["*"]}',
        '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
      ].join('\n'),
    );
  });

  it('lists the roles that could not be resolved', () => {
    const index = indexOf('get');
    index.applyClusterRoleBinding(clusterBinding('broken', 'gone', toUser('ada')));
    expect(describeEscalation(index, ada, '', FULL_AUTHORITY)).toMatch(
      /; resolution errors: \[clusterroles\.rbac\.authorization\.k8s\.io "gone" not found\]$/,
    );
  });

  it('says that the list is cut if there are too many permissions to compare', () => {
    const list = Array.from({ length: 400 }, (_, i) => `x${i}`);
    const text = describeEscalation(new RoleIndex(), ada, '', [{ verbs: list, apiGroups: list, resources: list }]);
    expect(text).toMatch(/\nand more: the rules grant too many permissions to list them all$/);
  });

  it('limits the length of the message', () => {
    const long = 'r'.repeat(200_000);
    const many = Array.from({ length: 5_000 }, (_, i) => `x${i}`);
    const text = describeEscalation(indexOf('get'), ada, '', [{ verbs: many, apiGroups: many, resources: [long] }]);
    expect(text?.endsWith('list them all')).toBe(true);
    expect(text?.length).toBeLessThan(3 * MAX_TEXT);
  });

  it('takes the permissions in the namespace into account', () => {
    const index = new RoleIndex();
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
    index.applyRole({ metadata: { namespace: 'n1', name: 'r' }, rules });
    const metadata = { namespace: 'n1', name: 'b' };
    index.applyRoleBinding({ metadata, subjects: [toUser('ada')], roleRef: { kind: 'Role', name: 'r' } });
    expect(describeEscalation(index, ada, 'n1', rules)).toBeUndefined();
    expect(describeEscalation(index, ada, 'n2', rules)).toContain('not currently held');
  });
});

describe('exemptions from the escalation check', () => {
  it('apply to members of system:masters', () => {
    expect(mayAlwaysEscalate(ada)).toBe(false);
    expect(mayAlwaysEscalate(userOf('root', 'system:masters'))).toBe(true);
  });

  it('are requested as the verbs escalate and bind', () => {
    const role = { apiGroup: RBAC_GROUP, apiVersion: '*', resource: 'roles', name: 'r', namespace: 'n1' };
    expect(escalateAttributes(ada, role)).toEqual(requestOf(ada, { verb: 'escalate', ...role }));
    expect(bindAttributes(ada, { apiGroup: RBAC_GROUP, kind: 'Role', name: 'r' }, 'n1')).toEqual(
      requestOf(ada, { verb: 'bind', ...role }),
    );
    expect(bindAttributes(ada, { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: 'r' }, '')).toMatchObject({
      resource: 'clusterroles',
      namespace: '',
    });
    expect(bindAttributes(ada, { kind: 'Odd', name: 'r' }, '')).toBeUndefined();
  });
});
