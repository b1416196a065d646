import { describe, expect, it } from 'vitest';
import {
  formatGroupKind,
  formatGroupResource,
  formatGroupVersion,
  formatGvk,
  gvkOf,
  notRegistered,
  parseGroupVersion,
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
    expect(formatGroupKind(deployment)).toBe('Deployment.apps');
    expect(formatGroupResource({ group: 'apps', resource: 'deployments' })).toBe('deployments.apps');
    expect(formatGroupResource({ group: '', resource: 'pods' })).toBe('pods');
  });
});

describe('notRegistered', () => {
  it('names the kind and its group version as the reference does', () => {
    const gvk = { group: 'apps', version: 'v9', kind: 'X' };
    expect(notRegistered(gvk)).toBe('no kind "X" is registered for version "apps/v9"');
  });
});
