import { describe, expect, it } from 'vitest';
import type { CrdNames } from '../crd.ts';
import { NameClaims } from './name-claims.ts';

function names(plural: string, kind: string, shortNames: readonly string[] = []): CrdNames {
  return { plural, singular: '', shortNames, kind, listKind: `${kind}List`, categories: [] };
}

function claim(group: string, acceptedNames: CrdNames) {
  return { group, acceptedNames };
}

describe('claims', () => {
  it('find all definitions of the same group that have a wanted name', () => {
    const claims = new NameClaims();
    claims.set('a.g', claim('g', names('a', 'A', ['x'])));
    claims.set('b.g', claim('g', names('b', 'B')));
    claims.set('c.h', claim('h', names('c', 'C', ['x'])));
    const found = claims.claimsOn({ name: 'd.g', group: 'g', names: names('d', 'B', ['x']) });
    expect(found.map(({ acceptedNames }) => acceptedNames.plural).sort()).toEqual(['a', 'b']);
  });

  it('include those of the definition itself', () => {
    const claims = new NameClaims();
    claims.set('a.g', claim('g', names('a', 'A')));
    expect(claims.claimsOn({ name: 'a.g', group: 'g', names: names('z', 'Z') })).toHaveLength(1);
  });

  it('report when a name becomes free', () => {
    const claims = new NameClaims();
    expect(claims.set('a.g', claim('g', names('a', 'A', ['x'])))).toBe(false);
    expect(claims.set('a.g', claim('g', names('a', 'A', ['x', 'y'])))).toBe(false);
    expect(claims.set('a.g', claim('g', names('a', 'A', ['y'])))).toBe(true);
    expect(claims.set('a.g', undefined)).toBe(true);
    expect(claims.claimsOn({ name: 'b.g', group: 'g', names: names('a', 'A', ['y']) })).toEqual([]);
  });
});
