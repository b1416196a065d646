import { describe, expect, it } from 'vitest';
import {
  equalGvk,
  equalGvr,
  formatGroupKind,
  formatGroupResource,
  formatGroupVersion,
  formatGvk,
  formatGvr,
  gvkOf,
  notRegistered,
  parseGroupKind,
  parseGroupResource,
  parseGroupVersion,
  parseKindArg,
  parseResourceArg,
} from './gvk.ts';

describe('group versions', () => {
  it.each([
    ['', '', ''],
    ['/', '', ''],
    ['v1', '', 'v1'],
    ['apps/v1', 'apps', 'v1'],
    ['v1/', 'v1', ''],
  ])('%j reads as group %j, version %j', (text, group, version) => {
    expect(parseGroupVersion(text)).toEqual({ ok: true, value: { group, version } });
  });

  it('refuses two slashes', () => {
    expect(parseGroupVersion('a/b/c')).toEqual({ ok: false, message: 'unexpected GroupVersion string: a/b/c' });
    expect(gvkOf('a/b/c', 'X')).toEqual({ group: '', version: '', kind: 'X' });
  });

  it('prints as the reference does', () => {
    const deployment = { group: 'apps', version: 'v1', kind: 'Deployment' };
    expect(formatGroupVersion(deployment)).toBe('apps/v1');
    expect(formatGroupVersion({ group: '', version: 'v1' })).toBe('v1');
    expect(formatGvk(deployment)).toBe('apps/v1, Kind=Deployment');
    expect(formatGvr({ group: '', version: 'v1', resource: 'pods' })).toBe('/v1, Resource=pods');
    expect(formatGroupKind(deployment)).toBe('Deployment.apps');
    expect(formatGroupResource({ group: 'apps', resource: 'deployments' })).toBe('deployments.apps');
    expect(formatGroupResource({ group: '', resource: 'pods' })).toBe('pods');
  });
});

describe('command-line arguments', () => {
  it('split at the first dot, and at the second where there is one', () => {
    expect(parseGroupKind('Deployment.apps')).toEqual({ group: 'apps', kind: 'Deployment' });
    expect(parseGroupResource('pods')).toEqual({ group: '', resource: 'pods' });
    expect(parseResourceArg('foos.v1.example.com')).toEqual({
      gvr: { group: 'example.com', version: 'v1', resource: 'foos' },
      groupResource: { group: 'v1.example.com', resource: 'foos' },
    });
    expect(parseResourceArg('deployments.apps').gvr).toBeUndefined();
    expect(parseKindArg('Foo.v1.example.com').gvk).toEqual({ group: 'example.com', version: 'v1', kind: 'Foo' });
    expect(parseKindArg('Foo')).toEqual({ gvk: undefined, groupKind: { group: '', kind: 'Foo' } });
  });
});

describe('equality', () => {
  it('compares every part', () => {
    const a = { group: 'g', version: 'v1', kind: 'K', resource: 'r' };
    expect(equalGvk(a, { ...a })).toBe(true);
    expect(equalGvk(a, { ...a, version: 'v2' })).toBe(false);
    expect(equalGvr(a, { ...a })).toBe(true);
    expect(equalGvr(a, { ...a, group: 'h' })).toBe(false);
  });
});

describe('notRegistered', () => {
  it('names the kind and its group version as the reference does', () => {
    const gvk = { group: 'apps', version: 'v9', kind: 'X' };
    expect(notRegistered(gvk)).toBe('no kind "X" is registered for version "apps/v9"');
  });
});
