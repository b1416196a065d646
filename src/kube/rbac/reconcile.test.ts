import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AUTOUPDATE_ANNOTATION, type ClusterRole, type PolicyRule } from './policy.ts';
import { anyRule, clusterBinding, toGroup, toUser } from './rbac.fixtures.ts';
import { reconcileBinding, reconcileRole } from './reconcile.ts';
import { covers } from './rule-cover.ts';

const get = (resource: string): PolicyRule => ({ verbs: ['get'], apiGroups: [''], resources: [resource] });
const expected: ClusterRole = {
  metadata: { name: 'r', labels: { boot: 'yes' }, annotations: { [AUTOUPDATE_ANNOTATION]: 'true' } },
  rules: [get('pods'), get('nodes')],
};

describe('a role', () => {
  it('is created if it is missing', () => {
    expect(reconcileRole(undefined, expected)).toMatchObject({ operation: 'create', object: expected });
  });

  it('is unchanged if it has all expected rules', () => {
    const stored: ClusterRole = { ...expected, rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] };
    expect(reconcileRole(stored, expected)).toMatchObject({ operation: 'none', object: stored });
  });

  it('gets missing rules and annotations, and keeps everything else', () => {
    const metadata = { ...expected.metadata, uid: 'u', labels: { boot: 'mine', own: '1' }, annotations: {} };
    const result = reconcileRole({ metadata, rules: [get('pods'), get('secrets')] }, expected);
    expect(result).toMatchObject({ operation: 'update', isProtected: false, missingRules: [get('nodes')] });
    expect(result.object).toEqual({
      metadata: {
        name: 'r',
        uid: 'u',
        labels: { boot: 'mine', own: '1' },
        annotations: { [AUTOUPDATE_ANNOTATION]: 'true' },
      },
      rules: [get('pods'), get('secrets'), get('nodes')],
    });
  });

  it('is protected by the autoupdate annotation', () => {
    const stored: ClusterRole = {
      metadata: { name: 'r', annotations: { [AUTOUPDATE_ANNOTATION]: 'false' } },
      rules: null,
    };
    expect(reconcileRole(stored, expected)).toMatchObject({ operation: 'update', isProtected: true });
  });

  it('gets missing selectors, and loses an unexpected aggregationRule', () => {
    const a = { matchLabels: { a: '1' } };
    const b = { matchLabels: { b: '1' } };
    const stored: ClusterRole = { ...expected, aggregationRule: { clusterRoleSelectors: [a] } };
    const result = reconcileRole(stored, { ...expected, aggregationRule: { clusterRoleSelectors: [b, a] } });
    expect(result.operation).toBe('update');
    expect(result.object.aggregationRule).toEqual({ clusterRoleSelectors: [a, b] });
    expect(reconcileRole(stored, expected)).toMatchObject({ operation: 'update' });
    expect(reconcileRole(stored, expected).object).not.toHaveProperty('aggregationRule');
  });

  it('needs no second reconciliation, and loses no permission', () => {
    const rules = fc.array(anyRule, { maxLength: 4 });
    fc.assert(
      fc.property(rules, rules, (stored, wanted) => {
        const before = { ...expected, rules: stored };
        const { object } = reconcileRole(before, { ...expected, rules: wanted });
        expect(reconcileRole(object, { ...expected, rules: wanted }).operation).toBe('none');
        expect(covers(object.rules, stored).covered).toBe(true);
        expect(before.rules).toBe(stored);
      }),
      { numRuns: 200, seed: 45 },
    );
  });
});

describe('a binding', () => {
  const wanted = clusterBinding('b', 'r', toUser('ada'), toGroup('g'), toGroup('g'));

  it('is created if it is missing', () => {
    expect(reconcileBinding(undefined, wanted)).toMatchObject({ operation: 'create', object: wanted });
  });

  it('gets each missing subject once, and keeps the others', () => {
    const result = reconcileBinding(clusterBinding('b', 'r', toUser('eve'), toUser('ada')), wanted);
    expect(result).toMatchObject({ operation: 'update', missingSubjects: [toGroup('g')] });
    expect(result.object.subjects).toEqual([toUser('eve'), toUser('ada'), toGroup('g')]);
    expect(reconcileBinding(result.object, wanted).operation).toBe('none');
  });

  it('is recreated if it refers to another role, unless it is protected', () => {
    const other = clusterBinding('b', 'other', toUser('eve'));
    expect(reconcileBinding(other, wanted)).toMatchObject({
      operation: 'recreate',
      isProtected: false,
      object: wanted,
    });
    const metadata = { name: 'b', annotations: { [AUTOUPDATE_ANNOTATION]: 'false' } };
    expect(reconcileBinding({ ...other, metadata }, wanted).isProtected).toBe(true);
  });

  it('treats an absent field and an empty field as equal', () => {
    const stored = { ...wanted, subjects: wanted.subjects?.map((subject) => ({ ...subject, namespace: '' })) };
    expect(reconcileBinding(stored, wanted).operation).toBe('none');
  });
});
