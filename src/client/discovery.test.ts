import { describe, expect, it } from 'vitest';
import type { Transport } from '../apimachinery/http/transport.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import { findResource, objectPath } from './discovery.ts';

/** A server with these documents by path. */
function serverOf(documents: Readonly<Record<string, unknown>>): Transport {
  return async ({ target }) => {
    const document = documents[target];
    return {
      status: document === undefined ? 404 : 200,
      headers: {},
      body: encodeUtf8(document === undefined ? '404 page not found' : JSON.stringify(document)),
    };
  };
}

function aggregated(name: string, version: string, resources: unknown[]): unknown {
  return { metadata: { name }, versions: [{ version, resources }] };
}

const POD = {
  resource: 'pods',
  responseKind: { kind: 'Pod' },
  scope: 'Namespaced',
  singularResource: 'pod',
  shortNames: ['po'],
};
const NEW = serverOf({
  '/api': { kind: 'APIGroupDiscoveryList', items: [aggregated('', 'v1', [POD])] },
  '/apis': {
    kind: 'APIGroupDiscoveryList',
    items: [
      aggregated('apps', 'v1', [
        {
          resource: 'deployments',
          responseKind: { kind: 'Deployment' },
          scope: 'Namespaced',
          singularResource: 'deployment',
          shortNames: ['deploy'],
        },
      ]),
      aggregated('example.com', 'v2', [{ ...POD, shortNames: [], scope: 'Cluster' }]),
    ],
  },
});
const OLD = serverOf({
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/api/v1': {
    resources: [
      { name: 'pods', singularName: 'pod', namespaced: true, kind: 'Pod', shortNames: ['po'] },
      { name: 'pods/log', singularName: '', namespaced: true, kind: 'Pod' },
    ],
  },
  '/apis': {
    kind: 'APIGroupList',
    groups: [
      {
        name: 'apps',
        versions: [{ version: 'v1beta1' }, { version: 'v1' }],
        preferredVersion: { version: 'v1' },
      },
    ],
  },
  '/apis/apps/v1': { resources: [{ name: 'deployments', singularName: '', namespaced: true, kind: 'Deployment' }] },
  '/apis/apps/v1beta1': {
    resources: [{ name: 'deployments', singularName: '', namespaced: true, kind: 'Deployment' }],
  },
});

describe('a resource', () => {
  it.each([
    [NEW, 'pods', '/api/v1/namespaces/n/pods/x'],
    [NEW, 'po', '/api/v1/namespaces/n/pods/x'],
    [NEW, 'Pod', '/api/v1/namespaces/n/pods/x'],
    [NEW, 'pods.v1', '/api/v1/namespaces/n/pods/x'],
    [NEW, 'pods.example.com', '/apis/example.com/v2/pods/x'],
    [NEW, 'deploy', '/apis/apps/v1/namespaces/n/deployments/x'],
    [NEW, 'deployment.apps', '/apis/apps/v1/namespaces/n/deployments/x'],
    [NEW, 'deployments.v1.apps', '/apis/apps/v1/namespaces/n/deployments/x'],
    [OLD, 'po', '/api/v1/namespaces/n/pods/x'],
    [OLD, 'deployments', '/apis/apps/v1/namespaces/n/deployments/x'],
    [OLD, 'deployments.v1beta1.apps', '/apis/apps/v1beta1/namespaces/n/deployments/x'],
  ])('of %o is found as %s', async (transport, wanted, path) => {
    const found = await findResource(transport, wanted);
    expect(found === undefined ? undefined : objectPath(found, 'n', 'x')).toBe(path);
  });

  it('that does not exist is not found', async () => {
    expect(await findResource(NEW, 'deployments.example.com')).toBeUndefined();
    expect(await findResource(NEW, 'nothing')).toBeUndefined();
  });

  it('cannot be searched on a server that is none', async () => {
    await expect(findResource(serverOf({}), 'pods')).rejects.toThrow(
      'the server could not find the requested resource',
    );
  });
});
