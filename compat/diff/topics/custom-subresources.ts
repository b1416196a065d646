/** Status and scale of custom resources, and access to them. */
import { get, grant, patch, post, put, type Topic, topic } from '../request.ts';
import { withoutAges } from '../views.ts';
import { customKind, kindWith, versionWith } from './custom-kind.ts';

const INTEGER = { type: 'integer' };
const SCHEMA = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { replicas: { type: 'integer', minimum: 0, maximum: 100 }, other: { type: 'string' } },
    },
    status: {
      type: 'object',
      properties: {
        replicas: INTEGER,
        selector: { type: 'string' },
        phase: { type: 'string', enum: ['New', 'Done'] },
        defaulted: { type: 'string', default: 'd' },
      },
    },
  },
};
const PATHS = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
};
const states = customKind('statuses', [versionWith(SCHEMA, { subresources: { status: {} } })]);
const noStatus = customKind('flatties', [versionWith(SCHEMA)]);
const scales = customKind('scales', [versionWith(SCHEMA, { subresources: { status: {}, scale: PATHS } })]);
const deepScales = customKind('deepscales', [
  versionWith(
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    { subresources: { scale: { specReplicasPath: '.spec.deep.count', statusReplicasPath: '.status.deep.count' } } },
  ),
]);
const rights = customKind('rights', [versionWith(SCHEMA, { subresources: { status: {}, scale: PATHS } })]);
const generations = customKind('generations', [versionWith(SCHEMA, { subresources: { status: {} } })]);
const perVersion = customKind('pervers', [
  versionWith(SCHEMA, { subresources: { status: {}, scale: PATHS } }),
  versionWith(SCHEMA, { name: 'v2', storage: false }),
]);
const selected = kindWith('tables', { a: { type: 'string' } }, { subresources: { status: {} } });

const scale = (name: string, spec: unknown, metadata: Readonly<Record<string, unknown>> = {}) => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name, namespace: '{{ns}}', ...metadata },
  spec,
});

export const customSubresources: Topic = topic('custom subresources', {
  status: [
    ...states.make,
    states.create('a', { spec: { other: 'x' }, status: { phase: 'New', replicas: 3 } }),
    get(states.at('a', '/status')),
    put(states.at('a'), states.object('a', { spec: { other: 'y' }, status: { phase: 'Done' } })),
    patch('merge', states.at('a'), { status: { phase: 'Done' } }),
    patch(
      'merge',
      states.at('a', '/status'),
      { status: { phase: 'Done', replicas: 2 } },
      { save: { rv: 'metadata.resourceVersion' } },
    ),
    patch('merge', states.at('a', '/status'), { spec: { other: 'ignored' }, status: { replicas: 4 } }),
    patch('merge', states.at('a', '/status'), {
      metadata: { labels: { x: 'y' }, annotations: { x: 'y' }, finalizers: ['example.com/x'] },
    }),
    patch('merge', states.at('a', '/status'), { status: { phase: 'Odd' } }),
    patch('merge', states.at('a', '/status'), { status: { odd: 1 } }),
    patch('merge', states.at('a', '/status?fieldValidation=Strict'), { status: { odd: 1 } }),
    patch('merge', states.at('a', '/status'), { status: 'text' }),
    patch('json', states.at('a', '/status'), [{ op: 'replace', path: '/status/replicas', value: 9 }]),
    patch('json', states.at('a', '/status'), [{ op: 'add', path: '/spec/other', value: 'z' }]),
    put(
      states.at('a', '/status'),
      states.object('a', { metadata: { resourceVersion: '{{rv}}' }, status: { replicas: 1 } }),
    ),
    put(states.at('a', '/status'), states.object('a', { status: { replicas: 1 } })),
    patch(
      'merge',
      states.at('a', '/status'),
      { status: { phase: 'New' } },
      { save: { rv: 'metadata.resourceVersion' } },
    ),
    put(
      states.at('a', '/status'),
      states.object('a', { metadata: { resourceVersion: '{{rv}}' }, spec: { other: 'no' }, status: { phase: 'Done' } }),
      {
        save: { rv: 'metadata.resourceVersion' },
      },
    ),
    put(states.at('a', '/status'), states.object('a', { metadata: { resourceVersion: '{{rv}}' } }), {
      save: { rv: 'metadata.resourceVersion' },
    }),
    put(states.at('a', '/status'), states.object('b', { metadata: { resourceVersion: '{{rv}}' } })),
    put(
      states.at('missing', '/status'),
      states.object('missing', { metadata: { resourceVersion: '{{rv}}' }, status: {} }),
    ),
    post(states.at('a', '/status'), states.object('a')),
    get(states.at('missing', '/status')),
    get(states.at('a', '/scale')),
    patch('merge', states.at('a', '/status?dryRun=All'), { status: { replicas: 77 } }),
    get(states.at('a')),
  ],
  'without a status subresource': [
    ...noStatus.make,
    noStatus.create('a', { status: { phase: 'New' } }),
    patch('merge', noStatus.at('a'), { status: { phase: 'Done' } }),
    get(noStatus.at('a', '/status')),
    patch('merge', noStatus.at('a', '/status'), { status: {} }),
  ],
  generations: [
    ...generations.make,
    generations.create('a', { spec: { other: 'x' } }),
    patch('merge', generations.at('a'), { metadata: { labels: { x: 'y' } } }),
    patch('merge', generations.at('a'), { metadata: { annotations: { x: 'y' } } }),
    patch('merge', generations.at('a'), { spec: { other: 'y' } }),
    patch('merge', generations.at('a'), { spec: { other: 'y' } }),
    patch('merge', generations.at('a', '/status'), { status: { replicas: 1 } }),
    patch('merge', generations.at('a'), { metadata: { finalizers: ['example.com/x'] } }),
    patch('merge', generations.at('a'), { spec: null }),
  ],
  scale: [
    ...scales.make,
    scales.create('a', { metadata: { labels: { l: '1' } }, spec: { replicas: 2, other: 'kept' } }),
    get(scales.at('a', '/scale')),
    patch('merge', scales.at('a', '/status'), { status: { replicas: 1, selector: 'app=x' } }),
    get(scales.at('a', '/scale'), { save: { rv: 'metadata.resourceVersion', uid: 'metadata.uid' } }),
    put(scales.at('a', '/scale'), scale('a', { replicas: 5 })),
    put(scales.at('a', '/scale'), scale('a', { replicas: 6 }, { resourceVersion: '{{rv}}' })),
    put(scales.at('a', '/scale'), scale('a', { replicas: 101 })),
    put(scales.at('a', '/scale'), scale('a', { replicas: -1 })),
    put(scales.at('a', '/scale'), scale('a', { replicas: 'x' })),
    put(scales.at('a', '/scale'), scale('a', {})),
    put(scales.at('a', '/scale'), scale('b', { replicas: 1 })),
    put(scales.at('a', '/scale'), { ...scale('a', { replicas: 1 }), kind: 'Other' }),
    put(scales.at('a', '/scale'), { spec: { replicas: 3 } }),
    put(scales.at('missing', '/scale'), scale('missing', { replicas: 1 })),
    patch('merge', scales.at('a', '/scale'), { spec: { replicas: 7 } }),
    patch('merge', scales.at('a', '/scale'), { spec: { replicas: null } }),
    patch('merge', scales.at('a', '/scale'), {
      spec: { replicas: 8 },
      metadata: { labels: { no: 'no' } },
      status: { replicas: 99 },
    }),
    patch('merge', scales.at('a', '/scale'), { spec: { replicas: 'x' } }),
    patch('merge', scales.at('a', '/scale'), { spec: { odd: 1 } }),
    patch('merge', scales.at('a', '/scale?fieldValidation=Strict'), { spec: { odd: 1 } }),
    patch('json', scales.at('a', '/scale'), [{ op: 'replace', path: '/spec/replicas', value: 9 }]),
    patch('strategic', scales.at('a', '/scale'), { spec: { replicas: 10 } }),
    patch('merge', scales.at('a', '/scale?dryRun=All'), { spec: { replicas: 11 } }),
    patch('merge', scales.at('missing', '/scale'), { spec: { replicas: 11 } }),
    get(scales.at('missing', '/scale')),
    get(scales.at('a', '/scale'), { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io', view: withoutAges }),
    get(scales.at('a', '/scale'), { accept: 'application/yaml', exact: true }),
    get(scales.at('a', '/scale'), { accept: 'text/plain' }),
    get(scales.at('a')),
  ],
  'scale with missing paths': [
    ...deepScales.make,
    deepScales.create('none'),
    get(deepScales.at('none', '/scale')),
    patch('merge', deepScales.at('none', '/scale'), { spec: { replicas: 3 } }),
    put(deepScales.at('none', '/scale'), scale('none', { replicas: 3 })),
    get(deepScales.at('none')),
    deepScales.create('text', { spec: { deep: { count: 'three' } }, status: { deep: 'x' } }),
    get(deepScales.at('text', '/scale')),
    put(deepScales.at('text', '/scale'), scale('text', { replicas: 3 })),
    deepScales.create('scalar', { spec: { deep: 5 } }),
    get(deepScales.at('scalar', '/scale')),
    put(deepScales.at('scalar', '/scale'), scale('scalar', { replicas: 3 })),
    deepScales.create('big', { spec: { deep: { count: 3000000000 } } }),
    get(deepScales.at('big', '/scale')),
    deepScales.create('below', { spec: { deep: { count: -1 } } }),
    get(deepScales.at('below', '/scale')),
  ],
  'subresources of one version': [
    ...perVersion.make,
    perVersion.create('a', { spec: { replicas: 1 }, status: { replicas: 1 } }),
    get(perVersion.at('a', '/status', 'v2')),
    get(perVersion.at('a', '/scale', 'v2')),
    patch('merge', perVersion.at('a', '', 'v2'), { status: { replicas: 5 } }),
    patch('merge', perVersion.at('a', ''), { spec: { replicas: 2 }, status: { replicas: 6 } }),
    get(perVersion.at('a', '/scale')),
    get('/apis/pervers.example.com/v1'),
    get('/apis/pervers.example.com/v2'),
  ],
  rights: [
    ...rights.make,
    rights.create('a', { spec: { replicas: 1 } }),
    ...grant('alice', [{ apiGroups: ['rights.example.com'], resources: ['rights/status'], verbs: ['get', 'patch'] }]),
    ...grant('bob', [{ apiGroups: ['rights.example.com'], resources: ['rights/scale'], verbs: ['get', 'update'] }]),
    get(rights.at('a'), { user: 'alice' }),
    get(rights.at('a', '/status'), { user: 'alice' }),
    patch('merge', rights.at('a', '/status'), { status: { replicas: 1 } }, { user: 'alice' }),
    patch('merge', rights.at('a'), { spec: { replicas: 1 } }, { user: 'alice' }),
    get(rights.at('a', '/scale'), { user: 'bob' }),
    put(rights.at('a', '/scale'), scale('a', { replicas: 2 }), { user: 'bob' }),
    patch('merge', rights.at('a', '/scale'), { spec: { replicas: 2 } }, { user: 'bob' }),
  ],
  'a status in other forms': [
    ...selected.make,
    selected.create('a', { spec: { a: 'x' } }),
    get(selected.at('a', '/status'), { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io', view: withoutAges }),
    get(selected.at('a', '/status'), { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' }),
    get(selected.at('a', '/status'), { accept: 'application/yaml', exact: true }),
  ],
});
