import { describe, expect, it } from 'vitest';
import { type ContentOutcome, withDeletionConditions } from './namespace-conditions.ts';

const NOW = '2030-01-01T00:00:00Z';
const LATER = '2030-01-01T00:01:00Z';
const FINE: ContentOutcome = {
  unavailable: [],
  failures: [],
  remaining: { resources: new Map(), finalizers: new Map() },
};

function shown(outcome: Partial<ContentOutcome>): string[] {
  const conditions = withDeletionConditions([], { ...FINE, ...outcome }, NOW) ?? [];
  return conditions
    .filter(({ status }) => status === 'True')
    .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
}

describe('withDeletionConditions', () => {
  it('reports five conditions without problems', () => {
    const conditions = withDeletionConditions([], FINE, NOW) ?? [];
    expect(conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`)).toEqual([
      'NamespaceDeletionDiscoveryFailure False ResourcesDiscovered',
      'NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions',
      'NamespaceDeletionContentFailure False ContentDeleted',
      'NamespaceContentRemaining False ContentRemoved',
      'NamespaceFinalizersRemaining False ContentHasNoFinalizers',
    ]);
    expect(withDeletionConditions(conditions, FINE, LATER)).toBeUndefined();
  });

  it('counts the remaining objects and their finalizers', () => {
    const resources = new Map([
      ['widgets.example.com', 2],
      ['pods.', 1],
    ]);
    const finalizers = new Map([
      ['x/y', 2],
      ['a/b', 1],
    ]);
    expect(shown({ remaining: { resources, finalizers } })).toEqual([
      'NamespaceContentRemaining SomeResourcesRemain: Some resources are remaining: pods. has 1 resource instances, widgets.example.com has 2 resource instances',
      'NamespaceFinalizersRemaining SomeFinalizersRemain: Some content in the namespace has finalizers remaining: a/b in 1 resource instances, x/y in 2 resource instances',
    ]);
  });

  it('reports failures and groups that are unavailable', () => {
    expect(shown({ failures: ['b', 'a'], unavailable: ['metrics.k8s.io/v1beta1'] })).toEqual([
      'NamespaceDeletionDiscoveryFailure DiscoveryFailed: Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: stale GroupVersion discovery: metrics.k8s.io/v1beta1 (APIService v1beta1.metrics.k8s.io)',
      'NamespaceDeletionContentFailure ContentDeletionFailed: Failed to delete all resource types, 2 remaining: a, b',
    ]);
  });

  it('changes the transition time with the status only, and keeps other conditions', () => {
    const other = { type: 'Other', status: 'True', lastTransitionTime: NOW };
    const first = withDeletionConditions([other], { ...FINE, failures: ['a'] }, NOW) ?? [];
    const failing = (
      list: readonly { type: string; lastTransitionTime?: string | null; message?: string }[],
    ): unknown[] =>
      list
        .filter(({ type }) => type === 'NamespaceDeletionContentFailure')
        .map((c) => [c.lastTransitionTime, c.message]);
    const second = withDeletionConditions(first, { ...FINE, failures: ['b'] }, LATER) ?? [];
    expect(failing(second)).toEqual([[NOW, 'Failed to delete all resource types, 1 remaining: b']]);
    const third = withDeletionConditions(second, FINE, LATER) ?? [];
    expect(failing(third)).toEqual([[LATER, 'All content successfully deleted, may be waiting on finalization']]);
    expect(third).toContainEqual(other);
  });
});
