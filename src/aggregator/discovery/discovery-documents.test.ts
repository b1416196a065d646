import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import { isAggregatedForm, parseAggregated, parseLegacy } from './discovery-documents.ts';
import { discoveryResources } from './discovery-resources.ts';

const V1 = { group: 'a.example', version: 'v1' };
const bytes = (value: unknown) => encodeUtf8(typeof value === 'string' ? value : JSON.stringify(value));
const aggregated = (...resources: unknown[]) => ({
  kind: 'APIGroupDiscoveryList',
  items: [{ metadata: { name: 'a.example' }, versions: [{ version: 'v1', resources }] }],
});
const legacy = (...resources: unknown[]) => ({ kind: 'APIResourceList', groupVersion: 'a.example/v1', resources });

describe('the aggregated form', () => {
  it('is known by its content type, in any order of the parameters', () => {
    const g = 'g=apidiscovery.k8s.io';
    expect(isAggregatedForm(`application/json;${g};v=v2;as=APIGroupDiscoveryList`)).toBe(true);
    expect(isAggregatedForm(`application/json; as=APIGroupDiscoveryList; v=v2beta1; ${g}`)).toBe(true);
    for (const other of ['', 'application/json', `application/json;${g};v=v3;as=APIGroupDiscoveryList`])
      expect(isAggregatedForm(other)).toBe(false);
  });

  it('keeps unknown fields and adds the kinds that are missing', () => {
    const gears = {
      resource: 'gears',
      scope: 'Namespaced',
      verbs: ['get'],
      future: { a: 1 },
      subresources: [{ subresource: 'x' }],
    };
    const document = aggregated(gears);
    document.items.push({ metadata: { name: 'b.example' }, versions: [{ version: 'v1', resources: [{}] }] });
    const none = { group: '', version: '', kind: '' };
    expect([...parseAggregated(bytes(document), [V1])]).toEqual([
      ['a.example/v1', [{ ...gears, responseKind: none, subresources: [{ subresource: 'x', responseKind: none }] }]],
    ]);
  });

  it('may lack the version', () => {
    expect(parseAggregated(bytes(aggregated()), [{ group: 'a.example', version: 'v2' }]).size).toBe(0);
  });

  it.each([
    ['text', 'not json', /^the answer is not JSON: invalid character 'o' in literal null/],
    ['another kind', { kind: 'Status' }, /^the answer is not an APIGroupDiscoveryList$/],
    [
      'a resource that is not an object',
      aggregated('gears'),
      /^the resources of a.example\/v1 are not a list of objects$/,
    ],
    ['a resource without a name', aggregated({ verbs: [] }), /^resource 0 of a.example\/v1 has no name$/],
    [
      'verbs that are not a list',
      aggregated({ resource: 'gears', verbs: 'get' }),
      /^resource 0 of a.example\/v1: verbs: /,
    ],
    ['a deep value', `{"kind":${'['.repeat(200)}${']'.repeat(200)}}`, /^the answer is not JSON: .*depth/],
  ])('is refused if it is %s', (_, document, message) => {
    expect(() => parseAggregated(bytes(document), [V1])).toThrow(message);
  });
});

describe('a legacy list', () => {
  it('becomes resources with their subresources', () => {
    const given = parseLegacy(
      bytes(
        legacy(
          { name: 'gears/scale', namespaced: true, kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: ['get'] },
          {
            name: 'gears',
            singularName: 'gear',
            namespaced: true,
            kind: 'Gear',
            verbs: ['get', 'list'],
            shortNames: ['g'],
          },
          { name: 'orphans/status', namespaced: false, verbs: ['patch'] },
        ),
      ),
      V1,
    );
    expect(given).toEqual([
      {
        resource: 'gears',
        responseKind: { group: '', version: '', kind: 'Gear' },
        scope: 'Namespaced',
        singularResource: 'gear',
        verbs: ['get', 'list'],
        shortNames: ['g'],
        subresources: [
          {
            subresource: 'scale',
            responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
            verbs: ['get'],
          },
        ],
      },
      {
        resource: 'orphans',
        responseKind: { group: '', version: '', kind: '' },
        scope: 'Cluster',
        singularResource: '',
        verbs: [],
        subresources: [{ subresource: 'status', responseKind: { group: '', version: '', kind: '' }, verbs: ['patch'] }],
      },
    ]);
    expect(discoveryResources(V1, given)[0]).toEqual({
      plural: 'gears',
      singular: 'gear',
      shortNames: ['g'],
      categories: [],
      scope: 'Namespaced',
      kind: { ...V1, kind: 'Gear' },
      verbs: ['get', 'list'],
      storageVersionHash: '',
      subresources: [{ name: 'scale', kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs: ['get'] }],
    });
  });

  it('is refused if a subresource has another scope than its resource', () => {
    const document = legacy({ name: 'gears', namespaced: true }, { name: 'gears/status', namespaced: false });
    expect(() => parseLegacy(bytes(document), V1)).toThrow(
      'gears/status of a.example/v1 has the scope Cluster, its resource has not',
    );
  });
});
