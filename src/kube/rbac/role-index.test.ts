import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import { type Binding, nameOf, namespaceOf, type PolicyRule, type Role, type Subject } from './policy.ts';
import { anyRequest, anyRule, clusterBinding, requestOf, toGroup, toUser, userOf } from './rbac.fixtures.ts';
import { RoleIndex } from './role-index.ts';
import { rulesAllow } from './rule-match.fixtures.ts';

const readPods: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const account = (name: string, namespace?: string): Subject => ({
  kind: 'ServiceAccount',
  name,
  ...(namespace === undefined ? {} : { namespace }),
});
const binding = (
  namespace: string,
  name: string,
  kind: string,
  role: string,
  ...subjects: Subject[]
): Binding<'RoleBinding'> => ({
  metadata: { namespace, name },
  subjects,
  roleRef: { kind, name: role },
});

function indexOfReader(...subjects: Subject[]): RoleIndex {
  const index = new RoleIndex();
  index.applyClusterRole({ metadata: { name: 'reader' }, rules: [readPods] });
  index.applyClusterRoleBinding(clusterBinding('readers', 'reader', ...subjects));
  return index;
}

describe('a decision', () => {
  it('names the cluster-wide binding that allows', () => {
    expect(indexOfReader(toUser('ada')).authorize(requestOf(userOf('ada')))).toEqual({
      decision: 'allow',
      reason: 'RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to User "ada"',
    });
  });

  it('names the first subject of the binding that matches the user', () => {
    const index = indexOfReader(toUser('bob'), toGroup('b'), toGroup('a'), toUser('ada'));
    expect(index.authorize(requestOf(userOf('ada', 'a', 'b'))).reason).toMatch(/to Group "b"$/);
    expect(index.authorize(requestOf(userOf('ada', 'a'))).reason).toMatch(/to Group "a"$/);
    expect(index.authorize(requestOf(userOf('ada'))).reason).toMatch(/to User "ada"$/);
  });

  it('matches a service account by its user name', () => {
    const sa = userOf('system:serviceaccount:n1:robot');
    expect(indexOfReader(account('robot', 'n1')).authorize(requestOf(sa)).reason).toBe(
      'RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to ServiceAccount "robot/n1"',
    );
    expect(indexOfReader(account('robot')).authorize(requestOf(sa)).decision).toBe('no-opinion');
    const index = indexOfReader();
    index.applyRoleBinding(binding('n1', 'rb', 'ClusterRole', 'reader', account('robot')));
    expect(index.authorize(requestOf(sa, { namespace: 'n1' })).reason).toBe(
      'RBAC: allowed by RoleBinding "rb/n1" of ClusterRole "reader" to ServiceAccount "robot/n1"',
    );
  });

  it('applies a RoleBinding in its own namespace only', () => {
    const index = new RoleIndex();
    index.applyRole({ metadata: { namespace: 'n1', name: 'local' }, rules: [readPods] });
    index.applyRoleBinding(binding('n1', 'rb', 'Role', 'local', toUser('ada')));
    index.applyRoleBinding(binding('n2', 'rb', 'Role', 'local', toUser('ada')));
    const ask = (namespace: string) => index.authorize(requestOf(userOf('ada'), { namespace }));
    expect(ask('n1').decision).toBe('allow');
    expect(ask('')).toEqual({ decision: 'no-opinion', reason: '' });
    expect(ask('n2').reason).toBe('RBAC: role.rbac.authorization.k8s.io "local" not found');
  });

  it('lists each missing role once, and is no-opinion', () => {
    const index = new RoleIndex();
    index.applyClusterRoleBinding(clusterBinding('one', 'gone', toUser('ada'), toGroup('g')));
    const ask = () => index.authorize(requestOf(userOf('ada', 'g'))).reason;
    expect(ask()).toBe('RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found');
    index.applyClusterRoleBinding({ ...clusterBinding('two', 'x', toGroup('g')), roleRef: { kind: 'Odd', name: 'x' } });
    expect(ask()).toBe(
      'RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, unsupported role reference kind: "Odd"]',
    );
  });

  it('does not mention missing roles if another role allows', () => {
    const index = indexOfReader(toGroup('g'));
    index.applyClusterRoleBinding(clusterBinding('broken', 'gone', toUser('ada')));
    expect(index.authorize(requestOf(userOf('ada', 'g'))).decision).toBe('allow');
  });

  it('ignores subjects of unknown kinds', () => {
    expect(indexOfReader({ kind: 'Robot', name: 'ada' }).authorize(requestOf(userOf('ada'))).decision).toBe(
      'no-opinion',
    );
  });
});

describe('a change', () => {
  it('of a role or binding, or its removal, takes effect in the next decision', () => {
    const index = indexOfReader(toUser('ada'));
    const allowed = (name: string, ...groups: string[]) =>
      index.authorize(requestOf(userOf(name, ...groups))).decision === 'allow';
    index.applyClusterRoleBinding(clusterBinding('readers', 'reader', toGroup('g')));
    expect([allowed('ada'), allowed('bob', 'g')]).toEqual([false, true]);
    index.applyClusterRole({ metadata: { name: 'reader' }, rules: null });
    expect(allowed('bob', 'g')).toBe(false);
    index.applyClusterRole({ metadata: { name: 'reader' }, rules: [readPods] });
    expect(allowed('bob', 'g')).toBe(true);
    index.removeClusterRole('reader');
    expect(index.authorize(requestOf(userOf('bob', 'g'))).reason).toContain('not found');
    index.removeClusterRoleBinding('readers');
    expect(index.authorize(requestOf(userOf('bob', 'g'))).reason).toBe('');
  });

  it('of an unknown object does nothing', () => {
    const index = indexOfReader(toUser('ada'));
    index.removeRole('n1', 'x');
    index.removeRoleBinding('n1', 'x');
    index.removeClusterRole('x');
    index.removeClusterRoleBinding('x');
    expect(index.authorize(requestOf(userOf('ada'))).decision).toBe('allow');
  });
});

describe('the rules of a user', () => {
  it('are visited one binding after another, each once, until the visitor ends the visit', () => {
    const index = indexOfReader(toGroup('a'), toUser('ada'), toGroup('b'));
    index.applyRole({ metadata: { namespace: 'n1', name: 'local' }, rules: [readPods, { verbs: ['list'] }] });
    index.applyRoleBinding(binding('n1', 'rb', 'Role', 'local', toUser('ada')));
    const sources: string[] = [];
    const visit = (limit: number) => {
      sources.length = 0;
      index.visitRulesFor(userOf('ada', 'a', 'b', 'a'), 'n1', (found) => {
        if ('source' in found) sources.push(found.source);
        return sources.length < limit;
      });
      return sources.length;
    };
    expect(visit(99)).toBe(3);
    expect(sources[0]).toBe('ClusterRoleBinding "readers" of ClusterRole "reader" to Group "a"');
    expect(sources[2]).toBe('RoleBinding "rb/n1" of Role "local" to User "ada"');
    expect(visit(1)).toBe(1);
    expect(visit(2)).toBe(2);
    expect(index.rulesFor(userOf('ada'), '').rules).toEqual([readPods]);
  });

  it('are found by role reference', () => {
    const index = indexOfReader();
    expect(index.resolveRole({ kind: 'ClusterRole', name: 'reader' }, '')).toEqual({ rules: [readPods] });
    expect(index.resolveRole({ kind: 'Role', name: 'reader' }, 'n1')).toMatchObject({ problem: 'missing' });
    expect(index.resolveRole({ name: 'reader' }, 'n1')).toMatchObject({ problem: 'unsupported-kind' });
  });
});

/** The model: decides by a search through all objects. */
class PlainPolicy {
  readonly roles = new Map<string, Role>();
  readonly bindings = new Map<string, Binding<string>>();

  allows(request: ReturnType<typeof requestOf>): boolean {
    return [...this.bindings.values()].some((one) => {
      const namespace = namespaceOf(one);
      if (namespace !== '' && namespace !== request.namespace) return false;
      if (!(one.subjects ?? []).some((subject) => applies(subject, request.user, namespace))) return false;
      const { kind, name = '' } = one.roleRef ?? {};
      return rulesAllow(request, this.roles.get(`${kind === 'Role' ? namespace : ''}/${name}`)?.rules);
    });
  }
}

function applies(subject: Subject, user: UserInfo, namespace: string): boolean {
  const { kind, name = '' } = subject;
  if (kind === 'User') return user.name === name;
  if (kind === 'Group') return user.groups.includes(name);
  return user.name === `system:serviceaccount:${subject.namespace ?? namespace}:${name}`;
}

describe('the index', () => {
  it('decides the same as a search through all objects, after any sequence of changes', () => {
    const ada = userOf('system:serviceaccount:n1:ada', 'g1', 'g2');
    const names = fc.constantFrom('x', 'y');
    const namespaces = fc.constantFrom('', 'n1', 'n2');
    const subject = fc.constantFrom(
      toUser(ada.name),
      toGroup('g1'),
      toGroup('g3'),
      account('ada', 'n1'),
      account('ada'),
    );
    const step = fc.oneof(
      fc.record({
        op: fc.constant('role' as const),
        namespace: namespaces,
        name: names,
        rules: fc.array(anyRule, { minLength: 2, maxLength: 6 }),
      }),
      fc.record({
        op: fc.constant('binding' as const),
        namespace: namespaces,
        name: names,
        kind: fc.constantFrom('Role', 'ClusterRole'),
        role: names,
        subjects: fc.array(subject, { minLength: 1, maxLength: 3 }),
      }),
      fc.record({
        op: fc.constantFrom('dropRole' as const, 'dropBinding' as const),
        namespace: namespaces,
        name: names,
      }),
    );
    let allowed = 0;
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 8, maxLength: 30 }),
        fc.array(anyRequest(ada), { minLength: 8, maxLength: 8 }),
        (steps, requests) => {
          const index = new RoleIndex();
          const plain = new PlainPolicy();
          for (const one of steps) change(index, plain, one);
          for (const request of requests) {
            const expected = plain.allows(request);
            if (expected) allowed++;
            expect(index.authorize(request).decision).toBe(expected ? 'allow' : 'no-opinion');
          }
        },
      ),
      { numRuns: 300, seed: 44 },
    );
    expect(allowed).toBeGreaterThan(100);
  });
});

type Step =
  | { op: 'role'; namespace: string; name: string; rules: PolicyRule[] }
  | { op: 'binding'; namespace: string; name: string; kind: string; role: string; subjects: Subject[] }
  | { op: 'dropRole' | 'dropBinding'; namespace: string; name: string };

function change(index: RoleIndex, plain: PlainPolicy, step: Step): void {
  const { namespace, name } = step;
  const key = `${namespace}/${name}`;
  const metadata = namespace === '' ? { name } : { namespace, name };
  switch (step.op) {
    case 'role': {
      plain.roles.set(key, { metadata, rules: step.rules });
      if (namespace === '') index.applyClusterRole({ metadata, rules: step.rules });
      else index.applyRole({ metadata, rules: step.rules });
      break;
    }
    case 'binding': {
      const kind = namespace === '' ? 'ClusterRole' : step.kind;
      const object = { metadata, subjects: step.subjects, roleRef: { kind, name: step.role } };
      plain.bindings.set(key, object);
      expect(nameOf(object)).toBe(name);
      if (namespace === '') index.applyClusterRoleBinding(object);
      else index.applyRoleBinding(object);
      break;
    }
    case 'dropRole': {
      plain.roles.delete(key);
      if (namespace === '') index.removeClusterRole(name);
      else index.removeRole(namespace, name);
      break;
    }
    case 'dropBinding': {
      plain.bindings.delete(key);
      if (namespace === '') index.removeClusterRoleBinding(name);
      else index.removeRoleBinding(namespace, name);
    }
  }
}
