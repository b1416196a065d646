import { afterEach, describe, expect, it } from 'vitest';
import { Service } from '../../src/kinds/api/core/v1.ts';
import { ServiceCIDR } from '../../src/kinds/api/networking/v1.ts';
import { type Plane, startPlane, until } from './plane.fixtures.ts';

let plane: Plane;
afterEach(async () => {
  await plane.plane.stop();
});

async function ready(name: string): Promise<string | undefined> {
  const range = await plane.client.api(ServiceCIDR).find(name);
  const condition = range?.status?.conditions?.find(({ type }) => type === 'Ready');
  return condition === undefined ? undefined : `${condition.status} ${condition.reason}`;
}

describe('the loop of ServiceCIDRs', () => {
  it('reports a range as ready, and lets it go at once if no Service uses it', async () => {
    plane = await startPlane();
    const ranges = plane.client.api(ServiceCIDR);
    await ranges.create({ metadata: { name: 'more' }, spec: { cidrs: ['10.9.0.0/28'] } });
    await until('it is ready', async () => (await ready('more')) === 'True ');
    const { metadata } = await ranges.get('more');
    expect(metadata.finalizers).toEqual(['networking.k8s.io/service-cidr-finalizer']);
    expect(metadata.managedFields?.map(({ manager }) => manager)).toContain('service-cidr-controller');
    await ranges.delete('more');
    await until('it is gone', async () => (await ranges.find('more')) === undefined);
    expect(plane.problems).toEqual([]);
  });

  it('keeps a range until the last Service has gone, or another range has its addresses', async () => {
    plane = await startPlane();
    const ranges = plane.client.api(ServiceCIDR);
    const services = plane.client.api(Service, 'default');
    await ranges.create({ metadata: { name: 'more' }, spec: { cidrs: ['10.9.0.0/28'] } });
    await until('it is ready', async () => (await ready('more')) === 'True ');
    await services.create({ metadata: { name: 'inside' }, spec: { clusterIP: '10.9.0.5', ports: [{ port: 80 }] } });
    await ranges.delete('more');
    await until('it waits', async () => (await ready('more')) === 'False Terminating');
    await ranges.create({ metadata: { name: 'larger' }, spec: { cidrs: ['10.9.0.0/24'] } });
    await until('it is gone', async () => (await ranges.find('more')) === undefined);
    await ranges.delete('larger');
    await until('the other waits', async () => (await ready('larger')) === 'False Terminating');
    await services.delete('inside');
    await until('the other is gone', async () => (await ranges.find('larger')) === undefined);
    expect(plane.problems).toEqual([]);
  });
});
