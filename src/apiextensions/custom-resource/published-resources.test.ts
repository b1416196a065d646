import { describe, expect, it } from 'vitest';
import { settle } from '../../base/virtual-clock.ts';
import { CRDS, gadgets, startTestExtensions } from '../apiextensions.fixtures.ts';

describe('published custom resources', () => {
  it('do not change group-versions of other servers, such as that of definitions', async () => {
    const { define, request, discovery, openapi } = await startTestExtensions();
    const group = 'apiextensions.k8s.io';
    const own = discovery.get({ group, version: 'v1' });
    const documents = openapi.paths();
    const definition = gadgets([{}, { name: 'v2', storage: false }], { group });
    const annotations = { 'api-approved.kubernetes.io': 'https://example.test/1' };
    await define({ ...definition, metadata: { name: `gadgets.${group}`, annotations } });
    expect(discovery.get({ group, version: 'v1' })).toBe(own);
    expect(discovery.get({ group, version: 'v2' })?.resources).toHaveLength(1);
    await request('DELETE', `${CRDS}/gadgets.${group}`);
    await settle();
    await settle();
    expect(discovery.get({ group, version: 'v1' })).toBe(own);
    expect(discovery.get({ group, version: 'v2' })).toBeUndefined();
    expect(openapi.paths()).toEqual(documents);
  });
});
