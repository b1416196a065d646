import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareKubeAwareVersions } from './version-order.ts';

const newestFirst = (a: string, b: string): number => compareKubeAwareVersions(b, a);

describe('the order of versions', () => {
  it('prefers stable, then beta, then alpha, then names in order', () => {
    const versions = ['foo1', 'v1alpha1', 'v10', 'v1beta1', 'v2', 'v11alpha2', 'v1', 'v1beta2', 'bar', 'v2beta1'];
    expect(versions.sort(newestFirst)).toEqual([
      'v10',
      'v2',
      'v1',
      'v2beta1',
      'v1beta2',
      'v1beta1',
      'v11alpha2',
      'v1alpha1',
      'bar',
      'foo1',
    ]);
  });

  it('takes numbers beyond int64 for names', () => {
    expect(compareKubeAwareVersions('v99999999999999999999', 'v1alpha1')).toBeLessThan(0);
  });

  it('is total', () => {
    const version = fc
      .tuple(fc.constantFrom('v', 'w', ''), fc.nat(12), fc.constantFrom('', 'alpha', 'beta', 'rc'), fc.nat(3))
      .map(([v, major, stage, minor]) => `${v}${major}${stage}${stage === '' ? '' : minor}`);
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        expect(Math.sign(compareKubeAwareVersions(a, b))).toBe(-Math.sign(compareKubeAwareVersions(b, a)) + 0);
        expect(compareKubeAwareVersions(a, b) === 0).toBe(a === b);
        const [x, , z] = [a, b, c].sort(newestFirst) as [string, string, string];
        expect(compareKubeAwareVersions(x, z)).toBeGreaterThanOrEqual(0);
      }),
      { seed: 20243, numRuns: 400 },
    );
  });
});
