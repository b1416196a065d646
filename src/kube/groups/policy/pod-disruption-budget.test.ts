import { afterEach, expect, test } from 'vitest';
import { causesOf, startTestKube, type TestKube } from '../../kube-server.fixtures.ts';
import { createObject, SELECTOR } from '../workloads.fixtures.ts';

const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

let kube: TestKube;
afterEach(() => kube.stop());

test('an update of a PodDisruptionBudget needs a resourceVersion', async () => {
  kube = await startTestKube();
  const { body, path, name } = await createObject(kube, BUDGETS, {
    selector: SELECTOR,
    minAvailable: 1,
    maxUnavailable: '5%',
  });
  expect(causesOf({ body })).toEqual([
    'spec: Invalid value: {"MinAvailable":1,"Selector":{"matchLabels":{"a":"b"}},"MaxUnavailable":"5%","UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
  ]);
  const spec = { selector: SELECTOR, minAvailable: 1 };
  await createObject(kube, BUDGETS, spec, { name });
  const answer = await kube.request('PUT', path, { metadata: { name }, spec });
  expect(causesOf(answer)).toEqual(['metadata.resourceVersion: Invalid value: 0: must be specified for an update']);
});
