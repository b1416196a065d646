import { describe, expect, test } from 'vitest';
import { getField, type JsonObject } from '../../base/json-value.ts';
import { CRD_V1, CRD_V1BETA1, convertDefinition } from './crd-definition.ts';
import { crd, crdVersion, decoded, v1beta1Crd } from './definition.fixtures.ts';

const SCHEMA = { openAPIV3Schema: { type: 'object', properties: { a: { type: 'string' } } } };
const OTHER_SCHEMA = { openAPIV3Schema: { type: 'object' } };
const COLUMN = { name: 'A', type: 'string' };

function specOf(object: JsonObject): JsonObject {
  return getField(object, 'spec') as JsonObject;
}

function asV1beta1(spec: object): JsonObject {
  return specOf(convertDefinition(decoded(CRD_V1, crd({ spec })), CRD_V1BETA1));
}

function asV1(spec: object): JsonObject {
  return specOf(convertDefinition(decoded(CRD_V1BETA1, v1beta1Crd({ spec })), CRD_V1));
}

describe('a v1 definition converted to v1beta1', () => {
  test('has the fields that all versions share in the spec', () => {
    const same = {
      schema: SCHEMA,
      subresources: { status: {} },
      additionalPrinterColumns: [{ ...COLUMN, jsonPath: '.a' }],
      selectableFields: [{ jsonPath: '.a' }],
    };
    const spec = asV1beta1({ versions: [crdVersion('v1', same), crdVersion('v2', { ...same, storage: false })] });
    expect(spec).toMatchObject({
      version: 'v1',
      validation: SCHEMA,
      subresources: { status: {} },
      additionalPrinterColumns: [{ ...COLUMN, JSONPath: '.a' }],
      selectableFields: [{ jsonPath: '.a' }],
      preserveUnknownFields: false,
    });
    expect(spec['versions']).toEqual([
      { name: 'v1', served: true, storage: true },
      { name: 'v2', served: true, storage: false },
    ]);
  });

  test('has fields that differ in each version', () => {
    const spec = asV1beta1({
      versions: [crdVersion('v1', { schema: SCHEMA }), crdVersion('v2', { storage: false, schema: OTHER_SCHEMA })],
    });
    expect(spec['validation']).toBeUndefined();
    expect(spec['versions']).toMatchObject([{ schema: SCHEMA }, { schema: OTHER_SCHEMA }]);
  });

  test('has the webhook in the fields of the conversion', () => {
    const clientConfig = { url: 'https://x' };
    const webhook = { clientConfig, conversionReviewVersions: ['v1'] };
    expect(asV1beta1({ conversion: { strategy: 'Webhook', webhook } })['conversion']).toEqual({
      strategy: 'Webhook',
      webhookClientConfig: clientConfig,
      conversionReviewVersions: ['v1'],
    });
  });

  test('is the same after conversion back to v1', () => {
    const objects = [
      crd(),
      crd({ spec: { versions: [crdVersion('v1', { schema: SCHEMA }), crdVersion('v2', { storage: false })] } }),
      crd({ spec: { conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } } } }),
      crd({ spec: { preserveUnknownFields: true, versions: [crdVersion('v1', { schema: undefined })] } }),
      crd({ spec: { versions: [crdVersion('v1', { additionalPrinterColumns: [{ ...COLUMN, jsonPath: '.a' }] })] } }),
    ];
    for (const object of objects) {
      const given = decoded(CRD_V1, object);
      expect(convertDefinition(convertDefinition(given, CRD_V1BETA1), CRD_V1)).toEqual(given);
    }
  });
});

describe('a v1beta1 definition converted to v1', () => {
  test('gets its version and columns from the v1beta1 fields', () => {
    expect(asV1({})).toEqual({
      group: 'samplecrd.k8s.io',
      names: { plural: 'networks', singular: 'network', kind: 'Network', listKind: 'NetworkList' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true }],
      conversion: { strategy: 'None' },
      preserveUnknownFields: true,
    });
  });

  test('has the shared fields in each version', () => {
    const versions = [
      { name: 'v1', served: true, storage: true },
      { name: 'v2', served: true, storage: false },
    ];
    const top = {
      validation: SCHEMA,
      additionalPrinterColumns: [{ ...COLUMN, JSONPath: '.a' }],
      subresources: { status: {} },
    };
    for (const version of asV1({ versions, ...top })['versions'] as JsonObject[])
      expect(version).toMatchObject({
        schema: SCHEMA,
        subresources: { status: {} },
        additionalPrinterColumns: [{ ...COLUMN, jsonPath: '.a' }],
      });
  });

  test('has its webhook in one object, with reviews in v1beta1 by default', () => {
    const conversion = { strategy: 'Webhook', webhookClientConfig: { service: { name: 's', namespace: 'n' } } };
    expect(asV1({ conversion })['conversion']).toEqual({
      strategy: 'Webhook',
      webhook: {
        clientConfig: { service: { name: 's', namespace: 'n', port: 443 } },
        conversionReviewVersions: ['v1beta1'],
      },
    });
  });
});

describe('defaults', () => {
  test('of v1 are names, conversion strategy and stored version, and are idempotent', () => {
    const object = decoded(CRD_V1, crd());
    expect(specOf(object)).toMatchObject({
      names: { singular: 'thing', listKind: 'ThingList' },
      conversion: { strategy: 'None' },
    });
    expect(object['status']).toMatchObject({ storedVersions: ['v1'] });
    expect(decoded(CRD_V1, structuredClone(object))).toEqual(object);
  });

  test('of v1beta1 are also scope, versions and preserveUnknownFields', () => {
    const object = decoded(CRD_V1BETA1, v1beta1Crd({ spec: { scope: undefined } }));
    expect(specOf(object)).toMatchObject({
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true }],
      preserveUnknownFields: true,
    });
    const versions = [{ name: 'v3', served: true, storage: true }];
    const other = decoded(CRD_V1BETA1, v1beta1Crd({ spec: { version: undefined, versions } }));
    expect(specOf(other)['version']).toBe('v3');
  });
});
