import { afterEach, describe, expect, it } from 'vitest';
import { ConfigMap, Namespace, ServiceAccount } from '../../src/kinds/api/core/v1.ts';
import { type Plane, startPlane, until } from './plane.fixtures.ts';

let plane: Plane;
afterEach(async () => {
  await plane.plane.stop();
});

describe('the loops of objects that every namespace has', () => {
  it('create the default ServiceAccount again after it was deleted', async () => {
    plane = await startPlane();
    const { client } = plane;
    const accounts = client.api(ServiceAccount, 'default');
    const { metadata } = await accounts.get('default');
    await accounts.delete('default');
    await until('there is a new account', async () => {
      const account = await accounts.find('default');
      return account !== undefined && account.metadata.uid !== metadata.uid;
    });
    expect(plane.problems).toEqual([]);
  });

  it('publish the root CA in old and new namespaces, and restore it', async () => {
    plane = await startPlane();
    const { client } = plane;
    await client.api(Namespace).create({ metadata: { name: 'shop' } });
    for (const namespace of ['kube-system', 'shop']) {
      const api = client.api(ConfigMap, namespace);
      await until(`${namespace} has the root CA`, async () => (await api.find('kube-root-ca.crt')) !== undefined);
    }
    const api = client.api(ConfigMap, 'shop');
    const published = await api.get('kube-root-ca.crt');
    expect(published.data?.['ca.crt']).toContain('BEGIN CERTIFICATE');
    await api.update({ ...published, data: { 'ca.crt': 'other', more: 'x' } });
    await until('it is restored', async () => {
      const { data } = await api.get('kube-root-ca.crt');
      return JSON.stringify(data) === JSON.stringify(published.data);
    });
    await api.delete('kube-root-ca.crt');
    await until('it exists again', async () => (await api.find('kube-root-ca.crt')) !== undefined);
    expect(plane.problems).toEqual([]);
  });

  it('create nothing in a namespace that is being deleted', async () => {
    plane = await startPlane({ controllers: ['*', '-namespace-controller'] });
    const { client } = plane;
    const namespaces = client.api(Namespace);
    await namespaces.create({ metadata: { name: 'shop' } });
    const api = client.api(ConfigMap, 'shop');
    await until('it has the root CA', async () => (await api.find('kube-root-ca.crt')) !== undefined);
    await namespaces.delete('shop');
    await api.delete('kube-root-ca.crt');
    const other = client.api(ConfigMap, 'default');
    await other.delete('kube-root-ca.crt');
    await until('the loop has seen both', async () => (await other.find('kube-root-ca.crt')) !== undefined);
    expect(await api.find('kube-root-ca.crt')).toBeUndefined();
    expect(plane.problems).toEqual([]);
  });
});
