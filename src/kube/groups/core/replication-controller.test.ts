import { afterEach, expect, test } from 'vitest';
import { startTestKube, type TestKube } from '../../kube-server.fixtures.ts';
import { createObject, TEMPLATE } from '../workloads.fixtures.ts';

let kube: TestKube;
afterEach(() => kube.stop());

test('a ReplicationController defaults its selector and labels to the labels of its template', async () => {
  kube = await startTestKube();
  const collection = '/api/v1/namespaces/default/replicationcontrollers';
  const { body } = await createObject(kube, collection, { template: TEMPLATE });
  expect(body).toMatchObject({ metadata: { labels: { a: 'b' } }, spec: { selector: { a: 'b' }, replicas: 1 } });
});
