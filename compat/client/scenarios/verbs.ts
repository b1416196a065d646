/** Every verb and every patch on a built-in kind, with the failures of each. */
import { draft, type Stored } from '../../../src/client/index.ts';
import { Deployment } from '../../../src/kinds/api/apps/v1.ts';
import { ConfigMap, Namespace } from '../../../src/kinds/api/core/v1.ts';
import type { Scenario } from '../scenario.ts';

const POD_SPEC = { containers: [{ name: 'web', image: 'web:1', env: [{ name: 'A', value: '1' }] }] };

export const writes: Scenario = {
  name: 'create, update and delete',
  async run({ client, namespace, step, note, normaliser }) {
    const maps = client.api(ConfigMap, namespace);
    const warnings: string[] = [];
    const onWarning = (text: string): void => void warnings.push(text);
    const labels = { app: 'web' };
    await step('create dry', () => maps.create({ metadata: { name: 'a' }, data: { k: 'v' } }, { dryRun: true }));
    await step('find what was not stored', () => maps.find('a'));
    const a = await step('create', () =>
      maps.create({ metadata: { name: 'a', labels }, data: { k: 'v', text: '<é&>' } }, { fieldManager: 'suite' }),
    );
    await step('create again', () => maps.create({ metadata: { name: 'a' } }));
    await step('create without a name', () => maps.create({}));
    await step('create with a bad name', () => maps.create({ metadata: { name: 'A_b' } }));
    await step('create in another namespace', () => maps.create({ metadata: { name: 'x', namespace: 'other' } }));
    await step('create in a missing namespace', () =>
      client.api(ConfigMap, 'missing').create({ metadata: { name: 'x' } }),
    );
    const unknownField = { metadata: { name: 'u' }, nonsense: 1 } as unknown as ConfigMap;
    await step('unknown field, strict', () => maps.create(unknownField, { fieldValidation: 'Strict' }));
    await step('unknown field, warn', () => maps.create(unknownField, { fieldValidation: 'Warn', onWarning }));
    note('warnings', warnings);
    normaliser.expectGenerated('gen-');
    await step('generated name', () => maps.create({ metadata: { generateName: 'gen-' } }));
    await step('get', () => maps.get('a'));
    await step('get any state', () => maps.get('a', { resourceVersion: '0' }));
    await step('get a missing one', () => maps.get('missing'));
    await step('get a bad path', () => maps.get('a/b'));
    if (a === undefined) return;
    const next = draft(a);
    next.data = { k: 'w' };
    await step('update', () => maps.update(next));
    await step('update an old state', () => maps.update({ ...a, data: {} }));
    await step('update without a revision', () => maps.update({ metadata: { name: 'a' }, data: { k: 'x' } }));
    await step('update a missing one', () => maps.update({ metadata: { name: 'missing' } }));
    await step('update of another identity', () => maps.update({ metadata: { name: 'a', uid: 'other' } }));
    await step('delete with another uid', () => maps.delete('a', { preconditions: { uid: 'other' } }));
    await step('delete dry', () => maps.delete('a', { dryRun: true }));
    await step('delete', () => maps.delete('a', { preconditions: { uid: a.metadata.uid } }));
    await step('delete again', () => maps.delete('a'));
    const held = await step('create with a finalizer', () =>
      maps.create({ metadata: { name: 'held', finalizers: ['example.com/hold'] } }),
    );
    await step('delete what is held', () => maps.delete('held', { propagationPolicy: 'Foreground' }));
    await step('release', () => maps.patch('held', { type: 'merge', body: { metadata: { finalizers: null } } }));
    note('held', (held as Stored<ConfigMap> | undefined)?.metadata.finalizers);
    for (const name of ['c1', 'c2', 'c3'])
      await maps.create({ metadata: { name, labels: { group: name === 'c3' ? 'kept' : 'gone' } } });
    await step('delete a collection', () => maps.deleteCollection({ labelSelector: 'group=gone' }));
    await step('what is left', async () =>
      (await maps.list({ labelSelector: 'group' }).toArray()).map(({ metadata }) => metadata.name),
    );
    await step('delete a namespace', async () => {
      await client.api(Namespace).create({ metadata: { name: 'doomed' } });
      const doomed = await client.api(Namespace).delete('doomed');
      return { phase: doomed?.status?.phase, finalizers: doomed?.spec?.finalizers };
    });
  },
};

export const patches: Scenario = {
  name: 'patches and apply',
  async run({ client, namespace, step }) {
    const api = client.api(Deployment, namespace);
    const spec = {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: POD_SPEC },
    };
    await step('create', () => api.create({ metadata: { name: 'web' }, spec }, { fieldManager: 'suite' }));
    await step('json', () =>
      api.patch('web', {
        type: 'json',
        operations: [
          { op: 'test', path: '/spec/replicas', value: 1 },
          { op: 'replace', path: '/spec/replicas', value: 2 },
          { op: 'add', path: '/metadata/annotations', value: { a: 'b' } },
          { op: 'copy', from: '/metadata/annotations/a', path: '/metadata/annotations/c' },
          { op: 'move', from: '/metadata/annotations/a', path: '/metadata/annotations/d' },
          { op: 'remove', path: '/metadata/annotations/c' },
        ],
      }),
    );
    await step('json, failing test', () =>
      api.patch('web', { type: 'json', operations: [{ op: 'test', path: '/spec/replicas', value: 9 }] }),
    );
    await step('json, missing path', () =>
      api.patch('web', { type: 'json', operations: [{ op: 'remove', path: '/spec/none' }] }),
    );
    await step('merge', () =>
      api.patch('web', { type: 'merge', body: { metadata: { annotations: { d: null, e: 'f' } } } }),
    );
    await step('strategic', () =>
      api.patch('web', {
        type: 'strategic',
        body: { spec: { template: { spec: { containers: [{ name: 'side', image: 'side:1' }] } } } },
      }),
    );
    await step('strategic, dry', () =>
      api.patch('web', { type: 'strategic', body: { spec: { replicas: 5 } } }, { dryRun: true }),
    );
    await step('invalid result', () => api.patch('web', { type: 'merge', body: { spec: { replicas: -1 } } }));
    await step('missing', () => api.patch('none', { type: 'merge', body: {} }));
    await step('status', () =>
      api.patch('web', { type: 'merge', body: { status: { replicas: 2 } } }, { subresource: 'status' }),
    );
    await step('update status', async () => {
      const web = draft(await api.get('web'));
      web.status = { ...web.status, availableReplicas: 1, readyReplicas: 1, replicas: 2 };
      return api.updateStatus(web);
    });
    await step('apply, new', () =>
      api.apply(
        { metadata: { name: 'applied', labels: { a: 'b' } }, spec: { ...spec, replicas: 3 } },
        { fieldManager: 'one' },
      ),
    );
    await step('apply, conflict', () =>
      api.apply({ metadata: { name: 'applied' }, spec: { replicas: 4 } }, { fieldManager: 'two' }),
    );
    await step('apply, forced', () =>
      api.apply({ metadata: { name: 'applied' }, spec: { replicas: 4 } }, { fieldManager: 'two', force: true }),
    );
    await step('apply, status', () =>
      api.apply(
        { metadata: { name: 'applied' }, status: { replicas: 4 } },
        { fieldManager: 'two', subresource: 'status' },
      ),
    );
    await step('apply, no manager', () => api.apply({ metadata: { name: 'applied' } }, { fieldManager: '' }));
    await step('scale, read', () => api.getScale('applied'));
    await step('scale', () => api.scale('applied', 7, { fieldManager: 'scaler' }));
    await step('scale, bad', () => api.scale('applied', -7));
    await step('scale, missing', () => api.scale('none', 1));
  },
};
