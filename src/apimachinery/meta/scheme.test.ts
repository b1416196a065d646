import { describe, expect, it } from 'vitest';
import type { TypeView } from '../type-view.ts';
import { notRegistered, Scheme } from './scheme.ts';

const VIEW: TypeView = { kind: 'any', raw: 'json' };

function schemeOf(...kinds: readonly [group: string, version: string, kind: string, resource?: string][]): Scheme {
  const scheme = new Scheme();
  for (const [group, version, kind, resource] of kinds)
    scheme.register({ gvk: { group, version, kind }, resource, scope: 'Namespaced', typeView: () => VIEW });
  return scheme;
}

describe('the scheme', () => {
  it('finds kinds by kind and by resource', () => {
    const scheme = schemeOf(['apps', 'v1', 'Deployment', 'deployments'], ['', 'v1', 'DeleteOptions']);
    const deployment = scheme.kind({ group: 'apps', version: 'v1', kind: 'Deployment' });
    expect(deployment?.gvr).toEqual({ group: 'apps', version: 'v1', resource: 'deployments' });
    expect(scheme.resource({ group: 'apps', version: 'v1', resource: 'deployments' })).toBe(deployment);
    expect(scheme.kind({ group: '', version: 'v1', kind: 'DeleteOptions' })?.gvr).toBeUndefined();
    expect(scheme.size).toBe(2);
  });

  it('has no answer for the unknown, and the text for it', () => {
    const gvk = { group: 'apps', version: 'v9', kind: 'X' };
    expect(schemeOf().kind(gvk)).toBeUndefined();
    expect(schemeOf().resource({ group: '', version: 'v1', resource: 'x' })).toBeUndefined();
    expect(schemeOf().versions('apps')).toEqual([]);
    expect(schemeOf().preferredKind('apps', 'X')).toBeUndefined();
    expect(notRegistered(gvk)).toBe('no kind "X" is registered for version "apps/v9"');
  });

  it('prefers versions in their order, among those that have the kind', () => {
    const scheme = schemeOf(['g', 'v1beta1', 'A', 'as'], ['g', 'v2alpha1', 'B', 'bs'], ['g', 'v1', 'A', 'as']);
    expect(scheme.versions('g')).toEqual(['v1', 'v1beta1', 'v2alpha1']);
    expect(scheme.preferredKind('g', 'A')?.gvk.version).toBe('v1');
    expect(scheme.preferredKind('g', 'B')?.gvk.version).toBe('v2alpha1');
    expect(scheme.preferredResource('g', 'as')?.gvk.version).toBe('v1');
    expect([...scheme.kinds('g', 'v1')].map((kind) => kind.gvk.kind)).toEqual(['A']);
    expect([...scheme.groups()]).toEqual(['g']);
  });

  it('refuses a kind or a resource twice', () => {
    const scheme = schemeOf(['g', 'v1', 'A', 'as']);
    const define = (kind: string, resource: string) => () =>
      scheme.register({ gvk: { group: 'g', version: 'v1', kind }, resource, scope: 'Cluster', typeView: () => VIEW });
    expect(define('A', 'others')).toThrow('kind g/v1, Kind=A is registered already');
    expect(define('B', 'as')).toThrow('resource g/v1, Resource=as is registered already');
    expect(scheme.size).toBe(1);
  });

  it('forgets a kind, its resource, and versions and groups that became empty', () => {
    const scheme = schemeOf(['g', 'v1', 'A', 'as'], ['g', 'v2', 'A', 'as']);
    expect(scheme.versions('g')).toEqual(['v2', 'v1']);
    expect(scheme.unregister({ group: 'g', version: 'v2', kind: 'A' })).toBe(true);
    expect(scheme.unregister({ group: 'g', version: 'v2', kind: 'A' })).toBe(false);
    expect(scheme.versions('g')).toEqual(['v1']);
    expect(scheme.resource({ group: 'g', version: 'v2', resource: 'as' })).toBeUndefined();
    scheme.unregister({ group: 'g', version: 'v1', kind: 'A' });
    expect([...scheme.groups()]).toEqual([]);
    expect(scheme.size).toBe(0);
  });

  it('makes a type view once, and only when asked', () => {
    let made = 0;
    const kind = new Scheme().register({
      gvk: { group: '', version: 'v1', kind: 'A' },
      resource: 'as',
      scope: 'Cluster',
      typeView: () => {
        made++;
        return VIEW;
      },
    });
    expect(made).toBe(0);
    expect(kind.typeView).toBe(kind.typeView);
    expect(made).toBe(1);
  });
});
