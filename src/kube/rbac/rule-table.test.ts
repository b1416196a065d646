import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PolicyRule } from './policy.ts';
import { anyRequest, anyRule, pathRequestOf, requestOf, userOf } from './rbac.fixtures.ts';
import { ruleAllows, rulesAllow } from './rule-match.fixtures.ts';
import { compileRules, tableAllows } from './rule-table.ts';
import { trimStars, urlMatches } from './url-match.ts';

const ada = userOf('ada');
const readPods: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };

describe('a rule about resources', () => {
  it('allows only the verbs, groups and resources that it lists', () => {
    expect(ruleAllows(requestOf(ada), readPods)).toBe(true);
    expect(ruleAllows(requestOf(ada, { verb: 'delete' }), readPods)).toBe(false);
    expect(ruleAllows(requestOf(ada, { apiGroup: 'apps' }), readPods)).toBe(false);
    expect(ruleAllows(requestOf(ada, { resource: 'secrets' }), readPods)).toBe(false);
  });

  it('does not allow a subresource if it lists only the resource', () => {
    expect(ruleAllows(requestOf(ada, { subresource: 'log' }), readPods)).toBe(false);
    expect(ruleAllows(requestOf(ada, { subresource: 'log' }), { ...readPods, resources: ['pods/log'] })).toBe(true);
    expect(ruleAllows(requestOf(ada), { ...readPods, resources: ['pods/log'] })).toBe(false);
  });

  it('allows one subresource of every resource with a leading star', () => {
    const scale = { ...readPods, resources: ['*/scale'] };
    expect(ruleAllows(requestOf(ada, { resource: 'deployments', subresource: 'scale' }), scale)).toBe(true);
    expect(ruleAllows(requestOf(ada, { subresource: 'autoscale' }), scale)).toBe(false);
    expect(ruleAllows(requestOf(ada), scale)).toBe(false);
  });

  it('matches everything with a star in each list except names', () => {
    const all = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
    expect(ruleAllows(requestOf(ada, { verb: 'x', apiGroup: 'y', resource: 'z', subresource: 's' }), all)).toBe(true);
    expect(ruleAllows(requestOf(ada, { name: 'a' }), { ...all, resourceNames: ['*'] })).toBe(false);
  });

  it('allows only listed names, and no request without a name', () => {
    const named = { ...readPods, resourceNames: ['a'] };
    expect(ruleAllows(requestOf(ada, { name: 'a' }), named)).toBe(true);
    expect(ruleAllows(requestOf(ada, { name: 'b' }), named)).toBe(false);
    expect(ruleAllows(requestOf(ada, { name: '' }), named)).toBe(false);
    expect(ruleAllows(requestOf(ada, { name: 'b' }), { ...readPods, resourceNames: null })).toBe(true);
  });

  it('does not allow paths', () => {
    const all = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
    expect(ruleAllows(pathRequestOf(ada, '/healthz'), all)).toBe(false);
  });
});

describe('a rule about paths', () => {
  it.each([
    ['/api', '/api', true],
    ['/api', '/api/v1', false],
    ['/api/*', '/api/v1/x', true],
    ['/api/*', '/api', false],
    ['*', '', true],
    ['/a**', '/abc', true],
    ['/*/x', '/a/x', false],
  ])('%s against %s: %s', (url, path, expected) => {
    expect(urlMatches(url, path)).toBe(expected);
    expect(ruleAllows(pathRequestOf(ada, path), { verbs: ['get'], nonResourceURLs: [url] })).toBe(expected);
    expect(ruleAllows(pathRequestOf(ada, path, 'post'), { verbs: ['get'], nonResourceURLs: [url] })).toBe(false);
  });

  it('is trimmed of all stars at its end only', () => {
    expect(trimStars('/*/a***')).toBe('/*/a');
    expect(trimStars('***')).toBe('');
  });
});

describe('compiled rules', () => {
  it('decide the same as the rules', () => {
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 6 }), anyRequest(ada), (rules, request) => {
        expect(tableAllows(compileRules(rules), request)).toBe(rulesAllow(request, rules));
      }),
      { numRuns: 500, seed: 41 },
    );
  });

  it('decide the same if lists are long enough for a Set', () => {
    const names = Array.from({ length: 40 }, (_, i) => `n${i}`);
    const table = compileRules([{ ...readPods, verbs: [...names, 'get'], resourceNames: names }]);
    expect(tableAllows(table, requestOf(ada, { name: 'n39' }))).toBe(true);
    expect(tableAllows(table, requestOf(ada, { name: 'n40' }))).toBe(false);
    expect(tableAllows(table, requestOf(ada, { name: 'n39', verb: 'watch' }))).toBe(false);
  });

  it('allow nothing if there are no rules', () => {
    expect(tableAllows(compileRules(null), requestOf(ada))).toBe(false);
  });
});
