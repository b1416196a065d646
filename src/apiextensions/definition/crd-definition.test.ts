import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import {
  CREATE,
  complaint,
  at as contextAt,
  deletion,
  parse,
  type Shown,
  testHost,
  UPDATE,
} from '../../server/registry/thing.fixtures.ts';
import { type OpenResource, openResource } from '../../server/resource/open-resource.ts';
import type { ResourceContext } from '../../server/resource/resource-store.ts';
import type { VersionDefinition } from '../../server/resource/version-definition.ts';
import { CRD_V1, CRD_V1BETA1, crdDefinition } from './crd-definition.ts';
import { crd, crdVersion, decoded, merged, v1beta1Crd } from './definition.fixtures.ts';
import { createSchemaChecks } from './validation/create-schema-checks.ts';

const DEFINITION = crdDefinition({ checks: createSchemaChecks(), caBundle: () => undefined });
const NAME = 'things.example.com';

function opened(): OpenResource {
  const resource = openResource(DEFINITION, testHost().host);
  onTestFinished(() => resource.stop());
  return resource;
}

function at(version: VersionDefinition, name: string): ResourceContext {
  return contextAt(name, '', version);
}

async function create(resource: OpenResource, version: VersionDefinition, body: JsonObject): Promise<Shown> {
  const answer = await resource.store.create?.(at(version, ''), decoded(version, body), CREATE);
  return parse(answer?.bytes as Uint8Array);
}

async function change(
  resource: OpenResource,
  patch: JsonObject,
  { version = CRD_V1, name = NAME, subresource = '' } = {},
): Promise<Shown> {
  const store = subresource === '' ? resource.store : resource.subresources.get(subresource)?.store;
  const apply = (old: JsonObject | undefined): JsonObject => decoded(version, merged(old ?? {}, patch));
  const answer = await store?.update?.(
    at(version, name),
    { apply } as Parameters<NonNullable<typeof store.update>>[1],
    UPDATE,
  );
  return parse(answer?.bytes as Uint8Array);
}

async function read(resource: OpenResource, version: VersionDefinition, name: string): Promise<Shown> {
  const answer = await resource.store.get?.(at(version, name), { resourceVersion: '' });
  return parse(answer as Uint8Array);
}

describe('a stored definition', () => {
  test('begins with generation 1 and a status that has only the stored version', async () => {
    const made = await create(
      opened(),
      CRD_V1,
      crd({ status: { storedVersions: ['v9'], conditions: [{ type: 'X' }] } }),
    );
    expect(made.metadata.generation).toBe(1);
    expect(made.status).toEqual({ conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] });
  });

  test('counts the generation for changes of the spec only, and adds stored versions', async () => {
    const resource = opened();
    await create(resource, CRD_V1, crd());
    expect((await change(resource, { metadata: { labels: { a: 'b' } } })).metadata.generation).toBe(1);
    const versions = [crdVersion('v1', { storage: false }), crdVersion('v2')];
    const moved = await change(resource, { spec: { versions }, status: { storedVersions: ['v2'] } });
    expect(moved.metadata.generation).toBe(2);
    expect(moved.status).toMatchObject({ storedVersions: ['v1', 'v2'] });
  });

  test('lets /status change the status and the metadata, not the spec', async () => {
    const resource = opened();
    await create(resource, CRD_V1, crd());
    const patch = {
      spec: { group: 'other' },
      metadata: { labels: { a: 'b' } },
      status: { acceptedNames: { plural: 'things' } },
    };
    const changed = await change(resource, patch, { subresource: 'status' });
    expect(changed.spec).toMatchObject({ group: 'example.com' });
    expect(changed.metadata.labels).toEqual({ a: 'b' });
    expect(changed.status).toMatchObject({ acceptedNames: { plural: 'things' } });
  });

  test('written in v1beta1 can be read and updated in v1, and the other way round', async () => {
    const resource = opened();
    const name = 'networks.samplecrd.k8s.io';
    const made = await create(resource, CRD_V1BETA1, v1beta1Crd());
    expect(made.spec).toMatchObject({ version: 'v1', preserveUnknownFields: true });
    const shown = await read(resource, CRD_V1, name);
    expect(shown.apiVersion).toBe('apiextensions.k8s.io/v1');
    expect(shown.spec).toMatchObject({ versions: [{ name: 'v1', served: true, storage: true }] });
    expect(shown.spec).not.toHaveProperty('version');
    const changed = await change(resource, { spec: { names: { shortNames: ['net'] } } }, { name });
    expect(changed.metadata.generation).toBe(2);
    const again = await change(resource, { spec: { names: { shortNames: ['nw'] } } }, { name, version: CRD_V1BETA1 });
    expect(again.spec).toMatchObject({ version: 'v1', names: { shortNames: ['nw'] } });
  });

  test('written in v1 must have the fields that v1beta1 does not require', async () => {
    const v1 = crd({
      metadata: { name: 'networks.samplecrd.k8s.io' },
      spec: {
        group: 'samplecrd.k8s.io',
        names: { plural: 'networks' },
        versions: [crdVersion('v1', { schema: undefined })],
      },
    });
    const [code, reason, message] = await complaint(() => create(opened(), CRD_V1, v1));
    expect([code, reason]).toEqual([422, 'Invalid']);
    expect(message).toContain('spec.versions[0].schema.openAPIV3Schema: Required value');
    expect(message).toContain('metadata.annotations[api-approved.kubernetes.io]: Required value');
  });
});

describe('a definition that is deleted', () => {
  test('is held by the cleanup finalizer and has the condition Terminating, without a grace period or a new generation', async () => {
    const resource = opened();
    await create(resource, CRD_V1, crd());
    const answer = await resource.store.delete?.(at(CRD_V1, NAME), deletion({ propagationPolicy: 'Foreground' }));
    expect(answer?.outcome).not.toBe('deleted');
    const held = await read(resource, CRD_V1, NAME);
    expect(held.metadata).toMatchObject({ generation: 1, finalizers: ['customresourcecleanup.apiextensions.k8s.io'] });
    expect(held.metadata.deletionGracePeriodSeconds).toBeUndefined();
    expect(held.status).toMatchObject({
      conditions: [
        {
          type: 'Terminating',
          status: 'True',
          reason: 'InstanceDeletionPending',
          lastTransitionTime: held.metadata.deletionTimestamp,
        },
      ],
    });
  });

  test('is gone with its last finalizer', async () => {
    const resource = opened();
    await create(resource, CRD_V1, crd());
    await resource.store.delete?.(at(CRD_V1, NAME), deletion());
    await resource.store.delete?.(at(CRD_V1, NAME), deletion());
    expect((await read(resource, CRD_V1, NAME)).metadata.deletionGracePeriodSeconds).toBe(0);
    await change(resource, { metadata: { finalizers: [] } });
    expect(await complaint(() => read(resource, CRD_V1, NAME))).toMatchObject([404, 'NotFound', expect.any(String)]);
  });
});

describe('the resource', () => {
  test('has the short names and the two columns of kubectl', () => {
    expect(DEFINITION).toMatchObject({ shortNames: ['crd', 'crds'], categories: ['api-extensions'], scope: 'Cluster' });
    const table = CRD_V1.table?.();
    expect(table?.columns.map(({ name, type }) => [name, type])).toEqual([
      ['Name', 'string'],
      ['Created At', 'date'],
    ]);
    expect(table?.cells(crd({ metadata: { creationTimestamp: 't' } }), 0)).toEqual([NAME, 't']);
  });
});
