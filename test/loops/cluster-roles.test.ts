import { afterEach, describe, expect, it } from 'vitest';
import { ClusterRole } from '../../src/kinds/api/rbac/v1.ts';
import { type Plane, startPlane, until } from './plane.fixtures.ts';

let plane: Plane;
afterEach(async () => {
  await plane.plane.stop();
});

const rule = (resource: string) => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });

describe('the loop of aggregated ClusterRoles', () => {
  it('follows the roles that are selected, and owns the rules', async () => {
    plane = await startPlane();
    const api = plane.client.api(ClusterRole);
    const resources = async (): Promise<string> =>
      ((await api.get('sum')).rules ?? []).flatMap((one) => one.resources ?? []).join(',');
    await api.create({
      metadata: { name: 'sum' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: 'yes' } }] },
    });
    await api.create({ metadata: { name: 'a', labels: { part: 'yes' } }, rules: [rule('pods')] });
    await api.create({ metadata: { name: 'b', labels: { part: 'yes' } }, rules: [rule('nodes')] });
    await until('both are in', async () => (await resources()) === 'pods,nodes');
    const { metadata } = await api.get('sum');
    const managers = (metadata.managedFields ?? []).map(({ manager, operation }) => `${manager} ${operation}`);
    expect(managers).toContain('clusterrole-aggregation-controller Apply');
    await api.delete('a');
    await until('one is left', async () => (await resources()) === 'nodes');
    expect(plane.problems).toEqual([]);
  });

  it('fills the roles of the bootstrap policy', async () => {
    plane = await startPlane();
    const api = plane.client.api(ClusterRole);
    await until('admin has rules', async () => ((await api.get('admin')).rules ?? []).length > 10);
  });
});
