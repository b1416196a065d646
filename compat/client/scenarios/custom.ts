/** Custom resources: typed definitions, untyped objects found by discovery, exact integers. */
import { draft, isNotFound, type Stored, type UntypedObject, untypedKind } from '../../../src/client/index.ts';
import { CustomResourceDefinition } from '../../../src/kinds/api/apiextensions/v1.ts';
import type { Scenario } from '../scenario.ts';

const DEFINITION = {
  group: 'client.example.com',
  names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['wd'] },
  scope: 'Namespaced',
  versions: [
    {
      name: 'v1',
      served: true,
      storage: true,
      subresources: {
        status: {},
        scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
      },
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: {
              type: 'object',
              required: ['size'],
              properties: {
                size: { type: 'integer', format: 'int64', minimum: 1 },
                replicas: { type: 'integer', default: 1 },
              },
            },
            status: { type: 'object', properties: { replicas: { type: 'integer' } } },
          },
        },
      },
    },
  ],
};

export const custom: Scenario = {
  name: 'custom resources',
  async run({ client, discovery, namespace, step, note }) {
    const definitions = client.api(CustomResourceDefinition);
    const name = 'widgets.client.example.com';
    await step('find an unknown kind', () => discovery.find('wd'));
    await step('kind of an unknown version', () => discovery.kindOf('client.example.com/v1', 'Widget'));
    const known = untypedKind({ ...DEFINITION.names, group: DEFINITION.group, version: 'v1', scope: 'Namespaced' });
    await step('list what is not served', () => client.api(known, namespace).listPage());
    const { metadata } = await definitions.create({ metadata: { name }, spec: DEFINITION });
    for await (const event of definitions.watch({
      resourceVersion: metadata.resourceVersion,
      fieldSelector: `metadata.name=${name}`,
    })) {
      if (event.type !== 'MODIFIED') continue;
      if (event.object.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True'))
        break;
    }
    // The reference publishes a definition in discovery some time after it is established.
    while ((await discovery.find('wd')) === undefined) await discovery.refresh();
    const kind = await discovery.kindFor('wd');
    note('found by its short name', kind);
    await step('found by its kind', () => discovery.kindOf('client.example.com/v1', 'Widget'));
    const api = client.api<UntypedObject>(kind, namespace);
    while (await api.listPage().then(() => false, isNotFound));
    const size = 9007199254740993n;
    const a = await step('create', () => api.create({ metadata: { name: 'a' }, spec: { size } }));
    await step('create, invalid', () => api.create({ metadata: { name: 'b' }, spec: { size: 0 } }));
    await step('strategic patch', () => api.patch('a', { type: 'strategic', body: {} }));
    await step('merge patch', () => api.patch('a', { type: 'merge', body: { spec: { size: 9223372036854775807n } } }));
    await step('apply', () =>
      api.apply({ metadata: { name: 'a' }, spec: { size: 3, replicas: 2 } }, { fieldManager: 'suite', force: true }),
    );
    await step('update status', async () => {
      const next = draft(await api.get('a')) as Stored<UntypedObject> & { status?: unknown };
      return api.updateStatus({ ...next, status: { replicas: 2 }, spec: { size: 99 } });
    });
    await step('scale', () => api.scale('a', 5));
    await step('scale, read', () => api.getScale('a'));
    await step('list', async () => (await api.listPage()).items);
    note('created', a?.kind);
    await step('delete', () => api.delete('a'));
    await step('delete the definition', async () => {
      const gone = await definitions.delete(name);
      return gone?.metadata.finalizers;
    });
  },
};
