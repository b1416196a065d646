import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestKube, type TestKube } from './kube-server.fixtures.ts';

describe('a fresh server', () => {
  let kube: TestKube;
  beforeEach(async () => {
    kube = await startTestKube();
  });
  afterEach(() => kube.stop());

  test('has the system namespaces', async () => {
    const { body } = await kube.request('GET', '/api/v1/namespaces');
    const items = body['items'] as { metadata: { name: string } }[];
    expect(items.map((item) => item.metadata.name)).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ]);
    expect(items[0]).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'default' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  });
});
