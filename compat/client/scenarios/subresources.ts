/** Subresources of built-in kinds. */
import { Pod, ServiceAccount } from '../../../src/kinds/api/core/v1.ts';
import { PodDisruptionBudget } from '../../../src/kinds/api/policy/v1.ts';
import { responseText, type Scenario } from '../scenario.ts';

const SPEC = { containers: [{ name: 'web', image: 'web:1' }], serviceAccountName: 'robot' };

export const subresources: Scenario = {
  name: 'subresources',
  async run({ client, namespace, step }) {
    const accounts = client.api(ServiceAccount, namespace);
    const pods = client.api(Pod, namespace);
    await step('create an account', () => accounts.create({ metadata: { name: 'robot' } }));
    const token = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 600 } };
    await step('token', () => accounts.subresource('robot', 'token').create(token));
    await step('token, too short', () =>
      accounts.subresource('robot', 'token').create({ ...token, spec: { expirationSeconds: 1 } }),
    );
    await step('token of a missing account', () => accounts.subresource('none', 'token').create(token));
    const pod = await step('create a pod', () =>
      pods.create({ metadata: { name: 'web', labels: { app: 'web' } }, spec: SPEC }),
    );
    await step('ephemeral containers', () =>
      pods.subresource('web', 'ephemeralcontainers').patch({
        type: 'strategic',
        body: { spec: { ephemeralContainers: [{ name: 'debug', image: 'debug:1' }] } },
      }),
    );
    await step('bind', () =>
      pods.subresource('web', 'binding').create({
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'web' },
        target: { apiVersion: 'v1', kind: 'Node', name: 'node-1' },
      }),
    );
    await step('bind again', () =>
      pods.subresource('web', 'binding').create({
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'web' },
        target: { apiVersion: 'v1', kind: 'Node', name: 'node-2' },
      }),
    );
    await step('status', () => pods.subresource('web', 'status').get());
    await step('put status', async () => {
      const current = await pods.get('web');
      return pods.subresource('web', 'status').update({ ...current, status: { phase: 'Running' } });
    });
    await step('log, raw', async () => {
      const { status } = await responseText(
        await pods.subresource('web', 'log').connect({ query: { container: 'none', tailLines: '1' } }),
      );
      return { isFailure: status >= 400 };
    });
    await step('an unknown subresource', () => pods.subresource('web', 'nonsense').get());
    const budgets = client.api(PodDisruptionBudget, namespace);
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'web' } } };
    const guard = await budgets.create({ metadata: { name: 'guard' }, spec });
    // A budget without a status is answered with Retry-After, and the transport then waits.
    const status = {
      observedGeneration: 1,
      disruptionsAllowed: 0,
      currentHealthy: 1,
      desiredHealthy: 1,
      expectedPods: 1,
    };
    await budgets.updateStatus({ ...guard, status });
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web' } };
    await step('evict, refused', () => pods.subresource('web', 'eviction').create(eviction));
    await budgets.delete('guard');
    await step('evict, dry', () => pods.subresource('web', 'eviction').create(eviction, { dryRun: true }));
    await step('evict', () => pods.subresource('web', 'eviction').create(eviction));
    await step('the pod has its grace period', async () => ({ metadata: (await pods.get('web')).metadata }));
    await step('delete with the same grace period', async () => ({ metadata: (await pods.delete('web'))?.metadata }));
    await step('delete at once', () =>
      pods.delete('web', { gracePeriodSeconds: 0, preconditions: { uid: pod?.metadata.uid ?? '' } }),
    );
    await step('gone', () => pods.find('web'));
  },
};
