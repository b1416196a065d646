import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PolicyRule } from './policy.ts';
import { anyRequest, anyRule, userOf } from './rbac.fixtures.ts';
import { breakdown, compactRules, covers, formatRule, MAX_ATOMS } from './rule-cover.ts';
import { rulesAllow } from './rule-match.ts';

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
  it('adds up what several rules grant', () => {
    const owner = [rule('get', 'a', 'x'), rule('list', 'a', 'x')];
    expect(covers(owner, [rule('get list', 'a', 'x')])).toEqual({ covered: true, uncovered: [], cut: false });
  });

  it('tells what is missing, one permission each, in the order of the rule', () => {
    const { covered, uncovered } = covers([rule('get', 'a', 'x')], [rule('get list', 'a', 'x y')]);
    expect(covered).toBe(false);
    expect(uncovered).toEqual([rule('list', 'a', 'x'), rule('get', 'a', 'y'), rule('list', 'a', 'y')]);
  });

  it.each<[string, PolicyRule, PolicyRule, boolean]>([
    ['a star covers everything', rule('*', '*', '*'), rule('get', 'a', 'x/s'), true],
    ['a star is covered by a star alone', rule('get list', 'a', '*'), rule('*', 'a', 'x'), false],
    ['a star of subresources covers those', rule('get', 'a', '*/s'), rule('get', 'a', 'x/s'), true],
    ['a star of subresources covers no resource', rule('get', 'a', '*/s'), rule('get', 'a', 'x'), false],
    ['a resource does not cover its subresource', rule('get', 'a', 'x'), rule('get', 'a', 'x/s'), false],
    ['names are covered by no names', rule('get', 'a', 'x'), rule('get', 'a', 'x', 'n'), true],
    ['no names are not covered by names', rule('get', 'a', 'x', 'n'), rule('get', 'a', 'x'), false],
    ['names are covered by the same names', rule('get', 'a', 'x', 'm n'), rule('get', 'a', 'x', 'n'), true],
    ['a path is covered by a longer pattern', urls('get', '/a/*'), urls('get', '/a/b*'), true],
    ['a pattern is not covered by a path', urls('get', '/a'), urls('get', '/a*'), false],
    ['resources do not cover paths', rule('*', '*', '*'), urls('get', '/a'), false],
    ['a rule without verbs grants nothing', rule('get', 'a', 'x'), { apiGroups: ['b'], resources: ['y'] }, true],
  ])('%s', (_, owner, servant, expected) => {
    expect(covers([owner], [servant]).covered).toBe(expected);
  });

  it('does not take names for paths where one rule has both', () => {
    const both: PolicyRule = { ...rule('get', 'a', 'x', 'n'), nonResourceURLs: ['/p'] };
    expect(covers([both], [both]).uncovered).toEqual([urls('get', '/p')]);
  });

  it('never says covered if a request tells them apart', () => {
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

  it('covers every rule by itself, unless names stand beside paths', () => {
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 4 }), (rules) => {
        expect(covers(rules, rules)).toEqual({ covered: true, uncovered: [], cut: false });
      }),
      { numRuns: 300, seed: 43 },
    );
  });

  it('gives up on a product without end, and calls it not covered', () => {
    const list = (prefix: string): string[] => Array.from({ length: 20_000 }, (_, i) => `${prefix}${i}`);
    const huge: PolicyRule = { verbs: list('v'), apiGroups: list('g'), resources: list('r'), resourceNames: list('n') };
    const result = covers([rule('get', 'a', 'x')], [huge]);
    expect([result.covered, result.cut]).toEqual([false, true]);
    expect(result.uncovered.length).toBeLessThanOrEqual(MAX_ATOMS);
    expect(covers([rule('*', '*', '*')], [huge])).toEqual({ covered: true, uncovered: [], cut: false });
  });

  it('gives up on a comparison of many with many', () => {
    const owner = Array.from({ length: 3000 }, (_, i) => urls('get', `/p${i}/*`));
    const servant = [urls('get', Array.from({ length: 5000 }, (_, i) => `/q${i}`).join(' '))];
    const { covered, cut } = covers(owner, servant);
    expect([covered, cut]).toEqual([false, true]);
  });
});

describe('the texts of rules', () => {
  it('break a rule down by group, resource, verb and name, then by path', () => {
    const parts = [...breakdown({ ...rule('get list', 'a b', 'x', 'm n'), nonResourceURLs: ['/p'] })];
    expect(parts).toHaveLength(2 * 1 * 2 * 2 + 2);
    expect(parts[1]).toEqual(rule('get', 'a', 'x', 'n'));
    expect(parts.at(-1)).toEqual(urls('list', '/p'));
  });

  it('join what differs by the verb only', () => {
    const atoms = [...breakdown(rule('get list', 'a', 'x')), urls('get', '/p'), rule('get', 'a', 'x', 'n')];
    expect(compactRules(atoms)).toEqual([urls('get', '/p'), rule('get list', 'a', 'x'), rule('get', 'a', 'x', 'n')]);
  });

  it('print in one line, empty lists left out', () => {
    expect(formatRule({ ...rule('get list', 'a', 'x', 'n"'), apiGroups: [''] })).toBe(
      '{APIGroups:[""], Resources:["x"], ResourceNames:["n\\""], Verbs:["get" "list"]}',
    );
    expect(formatRule(urls('get', '/p'))).toBe('{NonResourceURLs:["/p"], Verbs:["get"]}');
    expect(formatRule({})).toBe('{}');
  });
});
