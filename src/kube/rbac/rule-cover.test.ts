import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PolicyRule } from './policy.ts';
import { anyRequest, anyRule, userOf } from './rbac.fixtures.ts';
import { breakdown, compactRules, covers, formatRule, MAX_ATOMS } from './rule-cover.ts';
import { rulesAllow } from './rule-match.fixtures.ts';

const rule = (verbs: string, groups: string, resources: string, names?: string): PolicyRule => ({
  verbs: verbs.split(' '),
  apiGroups: groups.split(' '),
  resources: resources.split(' '),
  ...(names === undefined ? {} : { resourceNames: names.split(' ') }),
});
const urls = (verbs: string, paths: string): PolicyRule => ({
  verbs: verbs.split(' '),
  nonResourceURLs: paths.split(' '),
});

describe('covers', () => {
  it('combines the permissions of several owner rules', () => {
    const owner = [rule('get', 'a', 'x'), rule('list', 'a', 'x')];
    expect(covers(owner, [rule('get list', 'a', 'x')])).toEqual({ covered: true, uncovered: [], cut: false });
  });

  it('lists the missing permissions one by one, in the order of the rule', () => {
    const { covered, uncovered } = covers([rule('get', 'a', 'x')], [rule('get list', 'a', 'x y')]);
    expect(covered).toBe(false);
    expect(uncovered).toEqual([rule('list', 'a', 'x'), rule('get', 'a', 'y'), rule('list', 'a', 'y')]);
  });

  it.each<[string, PolicyRule, PolicyRule, boolean]>([
    ['a star covers everything', rule('*', '*', '*'), rule('get', 'a', 'x/s'), true],
    ['only a star covers a star', rule('get list', 'a', '*'), rule('*', 'a', 'x'), false],
    ['a star for subresources covers a subresource', rule('get', 'a', '*/s'), rule('get', 'a', 'x/s'), true],
    ['a star for subresources covers no resource', rule('get', 'a', '*/s'), rule('get', 'a', 'x'), false],
    ['a resource does not cover its subresource', rule('get', 'a', 'x'), rule('get', 'a', 'x/s'), false],
    ['a rule without names covers a rule with names', rule('get', 'a', 'x'), rule('get', 'a', 'x', 'n'), true],
    ['a rule with names does not cover a rule without names', rule('get', 'a', 'x', 'n'), rule('get', 'a', 'x'), false],
    ['names cover the same names', rule('get', 'a', 'x', 'm n'), rule('get', 'a', 'x', 'n'), true],
    ['a pattern covers a longer pattern', urls('get', '/a/*'), urls('get', '/a/b*'), true],
    ['a path does not cover a pattern', urls('get', '/a'), urls('get', '/a*'), false],
    ['resources do not cover paths', rule('*', '*', '*'), urls('get', '/a'), false],
    ['a rule without verbs grants nothing', rule('get', 'a', 'x'), { apiGroups: ['b'], resources: ['y'] }, true],
  ])('%s', (_, owner, servant, expected) => {
    expect(covers([owner], [servant]).covered).toBe(expected);
  });

  it('does not cover paths with a rule that has both names and paths', () => {
    const both: PolicyRule = { ...rule('get', 'a', 'x', 'n'), nonResourceURLs: ['/p'] };
    expect(covers([both], [both]).uncovered).toEqual([urls('get', '/p')]);
  });

  it('never reports coverage if the rules decide differently about a request', () => {
    const requests = fc.array(anyRequest(userOf('ada')), { minLength: 5, maxLength: 20 });
    const rules = fc.array(anyRule, { maxLength: 4 });
    fc.assert(
      fc.property(rules, rules, requests, (owner, servant, asked) => {
        if (!covers(owner, servant).covered) return;
        for (const request of asked) if (rulesAllow(request, servant)) expect(rulesAllow(request, owner)).toBe(true);
      }),
      { numRuns: 500, seed: 42 },
    );
  });

  it('covers every rule by itself, unless the rule has both names and paths', () => {
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 4 }), (rules) => {
        expect(covers(rules, rules)).toEqual({ covered: true, uncovered: [], cut: false });
      }),
      { numRuns: 300, seed: 43 },
    );
  });

  it('stops at the limit of permissions and reports not covered', () => {
    const list = (prefix: string): string[] => Array.from({ length: 20_000 }, (_, i) => `${prefix}${i}`);
    const huge: PolicyRule = { verbs: list('v'), apiGroups: list('g'), resources: list('r'), resourceNames: list('n') };
    const result = covers([rule('get', 'a', 'x')], [huge]);
    expect([result.covered, result.cut]).toEqual([false, true]);
    expect(result.uncovered.length).toBeLessThanOrEqual(MAX_ATOMS);
    expect(covers([rule('*', '*', '*')], [huge])).toEqual({ covered: true, uncovered: [], cut: false });
  });

  it('stops at the limit of lookups', () => {
    const owner = Array.from({ length: 3000 }, (_, i) => urls('get', `/p${i}/*`));
    const servant = [urls('get', Array.from({ length: 5000 }, (_, i) => `/q${i}`).join(' '))];
    const { covered, cut } = covers(owner, servant);
    expect([covered, cut]).toEqual([false, true]);
  });
});

describe('rules in messages', () => {
  it('are broken down by group, resource, verb and name, then by path', () => {
    const parts = [...breakdown({ ...rule('get list', 'a b', 'x', 'm n'), nonResourceURLs: ['/p'] })];
    expect(parts).toHaveLength(2 * 1 * 2 * 2 + 2);
    expect(parts[1]).toEqual(rule('get', 'a', 'x', 'n'));
    expect(parts.at(-1)).toEqual(urls('list', '/p'));
  });

  it('are joined if they differ only in the verb', () => {
    const atoms = [...breakdown(rule('get list', 'a', 'x')), urls('get', '/p'), rule('get', 'a', 'x', 'n')];
    expect(compactRules(atoms)).toEqual([urls('get', '/p'), rule('get list', 'a', 'x'), rule('get', 'a', 'x', 'n')]);
  });

  it('are printed in one line without empty lists', () => {
    expect(formatRule({ ...rule('get list', 'a', 'x', 'n"'), apiGroups: [''] })).toBe(
      '{APIGroups:[""], Resources:["x"], ResourceNames:["n\\""], Verbs:["get" "list"]}',
    );
    expect(formatRule(urls('get', '/p'))).toBe('{NonResourceURLs:["/p"], Verbs:["get"]}');
    expect(formatRule({})).toBe('{}');
  });
});
