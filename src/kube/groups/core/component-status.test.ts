import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { startTestKube, type TestKube } from '../../kube-server.fixtures.ts';

const PATH = '/api/v1/componentstatuses';

describe('component statuses', () => {
  let kube: TestKube;

  beforeAll(async () => {
    kube = await startTestKube();
  });
  afterAll(() => kube.stop());

  const names = async (query: string): Promise<unknown[]> =>
    listAt((await kube.request('GET', PATH + query)).body, 'items').map(
      (item) => ((item as JsonObject)['metadata'] as JsonObject)['name'],
    );

  it('report the storage, and the components that do not exist', async () => {
    const { body, warnings } = await kube.request('GET', PATH);
    expect(body['metadata']).toEqual({});
    expect(await names('')).toEqual(['controller-manager', 'scheduler', 'etcd-0']);
    expect(warnings.join()).toContain('v1 ComponentStatus is deprecated in v1.19+');
    expect((await kube.request('GET', `${PATH}/etcd-0`)).body['conditions']).toEqual([
      { type: 'Healthy', status: 'True', message: 'ok' },
    ]);
  });

  it('are filtered by selectors, and an unknown one is not found', async () => {
    expect(await names('?fieldSelector=metadata.name%3Dscheduler')).toEqual(['scheduler']);
    expect(await names('?labelSelector=a')).toEqual([]);
    const { status, body } = await kube.request('GET', `${PATH}/nope`);
    expect([status, body['message']]).toEqual([404, 'componentstatus "nope" not found']);
  });
});
