import { describe, expect, it } from 'vitest';
import { type AggregatedRole, type AggregatedRule, aggregateRules } from './aggregate-rules.ts';

type PolicyRule = AggregatedRule;
type ClusterRole = AggregatedRole<AggregatedRule>;

const rule = (resource: string): PolicyRule => ({ verbs: ['get'], apiGroups: [''], resources: [resource] });
const role = (name: string, labels: Record<string, string>, ...rules: PolicyRule[]): ClusterRole => ({
  metadata: { name, labels },
  rules,
});
const aggregated = (selectors: Record<string, string>[], rules: PolicyRule[] | null = null): ClusterRole => ({
  metadata: { name: 'sum', labels: { a: '1' } },
  rules,
  aggregationRule: { clusterRoleSelectors: selectors.map((matchLabels) => ({ matchLabels })) },
});

describe('an aggregated role', () => {
  it('has the rules of the roles that it selects, ordered by role name, without duplicates and without itself', () => {
    const roles = [
      role('z', { a: '1' }, rule('pods'), rule('nodes')),
      role('b', { a: '1' }, { ...rule('pods'), resourceNames: [] }),
      role('other', { a: '2' }, rule('secrets')),
      role('sum', { a: '1' }, rule('stale')),
    ];
    expect(aggregateRules(aggregated([{ a: '1' }]), roles)).toEqual({
      outcome: 'changed',
      rules: [{ ...rule('pods'), resourceNames: [] }, rule('nodes')],
    });
  });

  it('orders rules by selector first', () => {
    const roles = [role('a', { x: '1' }, rule('pods')), role('b', { y: '1' }, rule('nodes'))];
    expect(aggregateRules(aggregated([{ y: '1' }, { x: '1' }]), roles)).toEqual({
      outcome: 'changed',
      rules: [rule('nodes'), rule('pods')],
    });
  });

  it('is unchanged if it already has these rules', () => {
    const roles = [role('a', { x: '1' }, rule('pods'), rule('nodes'))];
    const now = (rules: PolicyRule[]) => aggregateRules(aggregated([{ x: '1' }], rules), roles).outcome;
    expect(now([{ ...rule('pods'), nonResourceURLs: [] }, rule('nodes')])).toBe('unchanged');
    expect(now([rule('nodes'), rule('pods')])).toBe('changed');
    expect(now([rule('pods')])).toBe('changed');
    expect(aggregateRules(aggregated([{ none: '1' }], null), roles).outcome).toBe('unchanged');
  });

  it('is not computed if a selector is invalid or the role is not aggregated', () => {
    expect(aggregateRules(aggregated([{ x: 'not a value' }]), [])).toMatchObject({ outcome: 'bad-selector' });
    expect(aggregateRules(role('plain', {}, rule('pods')), [])).toEqual({ outcome: 'unchanged' });
  });
});
