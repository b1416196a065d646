import { describe, expect, test } from 'vitest';
import { readCrd } from './crd.ts';
import { crd, crdVersion } from './definition/definition.fixtures.ts';

describe('a parsed definition', () => {
  test('has all fields, with zero values for those that are missing', () => {
    const object = crd({
      metadata: { uid: 'u', generation: 3, annotations: { a: 'b' } },
      spec: {
        preserveUnknownFields: true,
        versions: [
          crdVersion('v1', {
            deprecated: true,
            subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
            additionalPrinterColumns: [{ name: 'N', type: 'integer', jsonPath: '.spec.n' }],
            selectableFields: [{ jsonPath: '.spec.n' }],
          }),
          { name: 'v2', served: false, storage: false },
        ],
      },
      status: { storedVersions: ['v1'], conditions: [{ type: 'Established', status: 'True', reason: 'R' }] },
    });
    const read = readCrd(object);
    expect(read).toMatchObject({ name: 'things.example.com', uid: 'u', generation: 3, group: 'example.com' });
    expect(read.versions[0]).toMatchObject({
      name: 'v1',
      deprecated: true,
      deprecationWarning: undefined,
      hasStatus: true,
      scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n', labelSelectorPath: '' },
      columns: [{ name: 'N', type: 'integer', format: '', description: '', priority: 0, jsonPath: '.spec.n' }],
      selectableFields: ['.spec.n'],
    });
    expect(read.versions[1]).toMatchObject({ schema: undefined, hasStatus: false, scale: undefined, served: false });
    expect(read.webhook).toBeUndefined();
    expect(read.preserveUnknownFields).toBe(true);
    expect(read.conditions).toMatchObject([{ type: 'Established', status: 'True', reason: 'R', message: '' }]);
    expect(read.object).toBe(object);
  });

  test('has a webhook only with the strategy Webhook', () => {
    const webhook = { clientConfig: { service: { name: 's', namespace: 'n' } }, conversionReviewVersions: ['v1'] };
    const of = (strategy: string) => readCrd(crd({ spec: { conversion: { strategy, webhook } } })).webhook;
    expect(of('None')).toBeUndefined();
    expect(of('Webhook')).toEqual({
      url: undefined,
      service: { namespace: 'n', name: 's', path: '', port: 443 },
      caBundle: '',
      conversionReviewVersions: ['v1'],
    });
  });
});
