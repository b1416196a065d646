import { describe, expect, it } from 'vitest';
import type { AdmissionAttributes, Operation } from '../../server/admission.ts';
import { attributesFor, plainVersion } from '../attributes.fixtures.ts';
import { type IndexedHook, MatchIndex } from './match-index.ts';
import type { MatchRule } from './match-rules.ts';

const ANY: MatchRule = {
  operations: ['*'],
  groups: ['*'],
  versions: ['*'],
  resources: [['*', '*']],
  scope: '*',
  names: [],
};

interface NamedHook extends IndexedHook {
  readonly name: string;
}

function hook(name: string, rules: readonly Partial<MatchRule>[], more: Partial<IndexedHook> = {}): NamedHook {
  return {
    name,
    rules: rules.map((rule) => ({ ...ANY, ...rule })),
    excluded: [],
    equivalent: false,
    matchesWithoutRules: false,
    ...more,
  };
}

function request(operation: Operation, resource: string, more: Partial<AdmissionAttributes> = {}): AdmissionAttributes {
  return attributesFor(operation, resource, { metadata: { name: 'x' } }, more);
}

function matching(hooks: readonly NamedHook[], attributes: AdmissionAttributes): string[] {
  return new MatchIndex(hooks)
    .candidates(attributes)
    .filter(({ viewFor }) => viewFor(attributes.name) !== undefined)
    .map((candidate) => candidate.hook.name);
}

describe('MatchIndex', () => {
  it.each<[string, Partial<MatchRule>, AdmissionAttributes, boolean]>([
    ['everything', {}, request('CREATE', 'pods'), true],
    ['the operation', { operations: ['UPDATE'] }, request('CREATE', 'pods'), false],
    ['one of several operations', { operations: ['UPDATE', 'CREATE'] }, request('CREATE', 'pods'), true],
    ['the group', { groups: ['apps'] }, request('CREATE', 'deployments.apps'), true],
    ['another group', { groups: [''] }, request('CREATE', 'deployments.apps'), false],
    ['the version', { versions: ['v1beta1'] }, request('CREATE', 'pods'), false],
    ['the resource', { resources: [['pods', '']] }, request('CREATE', 'pods'), true],
    ['no subresource', { resources: [['pods', '']] }, request('UPDATE', 'pods', { subresource: 'status' }), false],
    [
      'any resource without a subresource',
      { resources: [['*', '']] },
      request('UPDATE', 'pods', { subresource: 'status' }),
      false,
    ],
    ['any subresource', { resources: [['pods', '*']] }, request('UPDATE', 'pods', { subresource: 'status' }), true],
    ['any subresource, and the resource', { resources: [['pods', '*']] }, request('UPDATE', 'pods'), true],
    [
      'a subresource of any resource',
      { resources: [['*', 'scale']] },
      request('UPDATE', 'pods', { subresource: 'scale' }),
      true,
    ],
    ['namespaced', { scope: 'Namespaced' }, request('CREATE', 'pods'), true],
    [
      'namespaced, for a cluster-scoped object',
      { scope: 'Namespaced' },
      request('CREATE', 'nodes', { namespace: '' }),
      false,
    ],
    ['cluster', { scope: 'Cluster' }, request('CREATE', 'nodes', { namespace: '' }), true],
    ['cluster, for a Namespace', { scope: 'Cluster' }, request('CREATE', 'namespaces', { namespace: 'x' }), true],
    [
      'namespaced, for a Namespace',
      { scope: 'Namespaced' },
      request('CREATE', 'namespaces', { namespace: 'x' }),
      false,
    ],
    ['the name', { names: ['x'] }, request('CREATE', 'pods'), true],
    ['another name', { names: ['y'] }, request('CREATE', 'pods'), false],
  ])('compares %s', (_title, rule, attributes, expected) => {
    expect(matching([hook('h', [rule])], attributes)).toEqual(expected ? ['h'] : []);
  });

  it('keeps the order and the positions of hooks', () => {
    const hooks = [hook('a', [{ groups: ['apps'] }]), hook('b', [{}]), hook('c', [{}])];
    const candidates = new MatchIndex(hooks).candidates(request('CREATE', 'pods'));
    expect(candidates.map((candidate) => [candidate.hook.name, candidate.position])).toEqual([
      ['b', 1],
      ['c', 2],
    ]);
  });

  it('compares the rules of a resource once', () => {
    let compared = 0;
    const counting = hook('h', [{}]);
    const hooks = [
      {
        ...counting,
        get rules() {
          compared++;
          return counting.rules;
        },
      },
    ];
    const index = new MatchIndex(hooks);
    const { resource } = request('CREATE', 'pods');
    for (let i = 0; i < 3; i++) index.candidates(request('CREATE', 'pods', { resource }));
    const first = compared;
    index.candidates(request('CREATE', 'pods', { resource }));
    expect(compared).toBe(first);
  });

  it('leaves out excluded requests, and excluded names alone', () => {
    const all = { excluded: [{ ...ANY, resources: [['pods', '']] as const }] };
    const named = { excluded: [{ ...ANY, names: ['x'] }] };
    expect(matching([hook('h', [{}], all)], request('CREATE', 'pods'))).toEqual([]);
    expect(matching([hook('h', [{}], named)], request('CREATE', 'pods'))).toEqual([]);
    expect(matching([hook('h', [{}], named)], request('CREATE', 'pods', { name: 'y' }))).toEqual(['h']);
  });

  it('takes a hook without rules only if that means every request', () => {
    expect(matching([hook('h', [])], request('CREATE', 'pods'))).toEqual([]);
    expect(matching([hook('h', [], { matchesWithoutRules: true })], request('CREATE', 'pods'))).toEqual(['h']);
  });

  describe('with equivalent versions', () => {
    const v1 = plainVersion({ group: 'g', version: 'v1', kind: 'Thing' });
    const v2 = plainVersion({ group: 'g', version: 'v2', kind: 'Thing' });
    const attributes = request('CREATE', 'things.g', {
      kind: { group: 'g', version: 'v1', kind: 'Thing' },
      version: v1,
      versions: [v1, v2],
    });

    it('converts to the version of the rule', () => {
      const hooks = [hook('h', [{ versions: ['v2'] }], { equivalent: true })];
      const [candidate] = new MatchIndex(hooks).candidates(attributes);
      expect(candidate?.viewFor('x')).toEqual({
        resource: { group: 'g', version: 'v2', resource: 'things' },
        kind: { group: 'g', version: 'v2', kind: 'Thing' },
        version: v2,
      });
    });

    it('prefers the version of the request', () => {
      const hooks = [hook('h', [{ versions: ['v2'] }, { versions: ['v1'] }], { equivalent: true })];
      expect(new MatchIndex(hooks).candidates(attributes)[0]?.viewFor('x')?.version).toBeUndefined();
    });

    it('does not look at other versions with the policy Exact', () => {
      expect(matching([hook('h', [{ versions: ['v2'] }])], attributes)).toEqual([]);
    });

    it('does not convert a subresource that has a kind of its own', () => {
      const scale = plainVersion({ group: 'autoscaling', version: 'v1', kind: 'Scale' });
      const kind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
      const hooks = [hook('h', [{ versions: ['v2'] }], { equivalent: true })];
      const [candidate] = new MatchIndex(hooks).candidates({
        ...attributes,
        subresource: 'scale',
        version: scale,
        kind,
      });
      expect(candidate?.viewFor('x')).toEqual({
        resource: { group: 'g', version: 'v2', resource: 'things' },
        kind,
        version: undefined,
      });
    });
  });
});
