/** Updates of CustomResourceDefinitions: what may change, when, and through which path. */

import type { Json } from '../normalise.ts';
import { del, get, patch, post, put, type Step, type StepOptions, type Topic, topic } from '../request.ts';
import { DEFINITIONS, definition, type Fields, version, withProperties, withSchema } from './definition-bodies.ts';

/** Loops write the status at the same time, which also changes the revision. */
const SPEC: StepOptions = {
  view: (body: Json) => {
    const { status, metadata, ...rest } = body as Record<string, Json>;
    if (typeof status !== 'object' || typeof metadata !== 'object') return body;
    const { resourceVersion: _, managedFields, ...kept } = metadata as Record<string, Json>;
    const ofSpec = (managedFields as { [key: string]: Json }[] | undefined)?.filter(
      ({ subresource }) => subresource !== 'status',
    );
    return { ...rest, metadata: { ...kept, ...(ofSpec === undefined ? {} : { managedFields: ofSpec }) } };
  },
};

function path(plural: string, query = ''): string {
  return `${DEFINITIONS}/${plural}.${plural}.example.com${query}`;
}

/** Writes the condition Established directly, because loops take time. */
function establish(plural: string): Step {
  const condition = { type: 'Established', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
  return patch('merge', path(plural, '/status'), { status: { conditions: [condition] } }, SPEC);
}

/** Creates a definition, then sends changes as dry runs. */
function tries(plural: string, body: Fields, changes: readonly Fields[], isEstablished = false): readonly Step[] {
  return [
    post(DEFINITIONS, body, SPEC),
    ...(isEstablished ? [establish(plural)] : []),
    ...changes.map((change) => patch('merge', path(plural, '?dryRun=All'), change, SPEC)),
  ];
}

const spec = (change: Fields): Fields => ({ spec: change });
const schema = (openAPIV3Schema: unknown): Fields =>
  spec({ versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }] });
const webhook = (clientConfig: Fields, conversionReviewVersions: unknown = ['v1']): Fields =>
  spec({ conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions } } });

const CHANGES: readonly Fields[] = [
  spec({ group: 'other.example.com' }),
  spec({ scope: 'Cluster' }),
  spec({ names: { plural: 'others' } }),
  spec({ names: { kind: 'Other' } }),
  spec({ names: { listKind: 'OtherList' } }),
  spec({ names: { singular: 'other', shortNames: ['o'], categories: ['all'] } }),
  spec({ names: { kind: '' } }),
  spec({ versions: [version('v1'), version('v2', { storage: false })] }),
  spec({ versions: [version('v1', { storage: false }), version('v2')] }),
  spec({ versions: [version('v2')] }),
  spec({ versions: [] }),
  spec({ versions: null }),
  spec({ conversion: null }),
  spec({ preserveUnknownFields: true }),
  { metadata: { name: 'other' } },
  { metadata: { uid: 'b6e1e3f0-0000-4000-8000-000000000000' } },
  { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } } },
  { metadata: { labels: { 'a b': 'c' } } },
  { metadata: { finalizers: ['plain', 'a/b/c'] } },
  { status: { storedVersions: ['v7'] } },
  webhook({ url: 'https://example.com', caBundle: 'bm9wZQ==' }),
  webhook({ url: 'https://example.com' }, ['v9']),
  {},
];

/** An invalid CA bundle keeps a definition from being established. */
const NEVER_ESTABLISHED: Fields = webhook({ url: 'https://example.com', caBundle: 'bm9wZQ==' })['spec'] as Fields;

export const definitionUpdates: Topic = topic('definition updates', {
  'before it is established': tries('earlies', definition('earlies', NEVER_ESTABLISHED), CHANGES),
  'after it is established': tries('lates', definition('lates'), CHANGES, true),
  'schemas of an established one': tries(
    'shapes',
    withProperties('shapes', { a: { type: 'string' } }),
    [
      schema({ type: 'object' }),
      schema({ type: 'object', properties: { a: {} } }),
      schema({ type: 'string' }),
      schema(null),
      spec({ versions: [{ name: 'v1', served: true, storage: true }] }),
      schema({ type: 'object', properties: { a: { type: 'integer', default: 1 } } }),
      schema({ type: 'object', properties: { a: { type: 'string', format: 'new' } } }),
    ],
    true,
  ),
  'unknown formats are told once': tries(
    'formats',
    withProperties('formats', { a: { type: 'string', format: 'f1' } }),
    [
      schema({ type: 'object', properties: { a: { type: 'string', format: 'f1' } } }),
      schema({ type: 'object', properties: { a: { type: 'string', format: 'f2' } } }),
      schema({ type: 'object', properties: { a: { type: 'integer', format: 'f1' } } }),
    ],
  ),
  'stored versions': [
    ...tries('stores', definition('stores', { versions: [version('v1'), version('v2', { storage: false })] }), []),
    patch('merge', path('stores'), spec({ versions: [version('v1', { storage: false }), version('v2')] }), SPEC),
    patch('merge', path('stores', '?dryRun=All'), spec({ versions: [version('v2')] }), SPEC),
    patch('merge', path('stores', '/status'), { status: { storedVersions: ['v2'] } }, SPEC),
    patch('merge', path('stores'), spec({ versions: [version('v2')] }), SPEC),
    patch('merge', path('stores', '/status?dryRun=All'), { status: { storedVersions: [] } }, SPEC),
    patch('merge', path('stores', '?dryRun=All'), spec({ versions: [version('v3')] }), SPEC),
  ],
  'the status': [
    post(DEFINITIONS, definition('states', {}, { status: { storedVersions: ['v9'] } }), SPEC),
    // One of the refusals below shows the status, which is complete when the kind is served.
    get('/apis/states.example.com/v1/states?limit=1', { until: 200, bodyless: true }),
    patch(
      'merge',
      path('states', '/status?dryRun=All'),
      { status: { acceptedNames: { plural: 'Bad_', kind: '1' } } },
      SPEC,
    ),
    patch(
      'merge',
      path('states', '/status?dryRun=All'),
      { spec: { group: 'x' }, metadata: { labels: { a: 'b' } } },
      SPEC,
    ),
    patch(
      'merge',
      path('states', '/status?dryRun=All'),
      { status: { conditions: [{ type: 'X', status: 'Maybe' }] } },
      SPEC,
    ),
    patch('merge', path('states', '/status?dryRun=All'), { status: { conditions: 'none' } }, SPEC),
    patch('merge', path('states', '/status?dryRun=All'), { metadata: { labels: { 'a b': 'c' } } }, SPEC),
    get(path('states', '/status'), SPEC),
    put(path('states', '/status'), definition('states'), SPEC),
    put(path('states'), definition('states'), SPEC),
    put(path('nothings'), definition('nothings'), SPEC),
    del(path('states', '/status')),
    post(path('states', '/status'), definition('states')),
    get(path('states', '/scale')),
  ],
  'forms and selectors': [
    post(DEFINITIONS, definition('forms'), SPEC),
    get(path('forms'), { accept: 'application/vnd.kubernetes.protobuf', bodyless: true }),
    get(`${DEFINITIONS}?fieldSelector=metadata.name%3Dforms.forms.example.com`, {
      accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
      bodyless: true,
    }),
    get(`${DEFINITIONS}?fieldSelector=spec.group%3Dx`),
    get(`${DEFINITIONS}?fieldSelector=metadata.namespace%3Dx`, { bodyless: true }),
    patch('strategic', path('forms', '?dryRun=All'), { spec: { names: { shortNames: ['f'] } } }, SPEC),
    patch('json', path('forms', '?dryRun=All'), [{ op: 'add', path: '/spec/names/shortNames', value: ['g'] }], SPEC),
    patch('json', path('forms', '?dryRun=All'), [{ op: 'remove', path: '/spec/versions/0' }], SPEC),
    post(DEFINITIONS, definition('forms'), SPEC),
    post(`${DEFINITIONS}?fieldValidation=Strict`, definition('stricts', { unknown: 1 }), SPEC),
    post(
      `${DEFINITIONS}?fieldValidation=Strict&dryRun=All`,
      withSchema('stricts', {
        type: 'object',
        unknown: 1,
        properties: { a: { type: 'array', unknown: 2, items: { type: 'string', unknown: 3 } } },
      }),
      SPEC,
    ),
    get('/apis/apiextensions.k8s.io/v1'),
    get('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/none'),
    del(`${DEFINITIONS}/none`),
  ],
  deletes: [
    post(DEFINITIONS, definition('goings', {}, { metadata: { finalizers: ['example.com/hold'] } }), SPEC),
    del(path('goings'), { preconditions: { uid: 'b6e1e3f0-0000-4000-8000-000000000000' } }),
    del(path('goings'), { preconditions: { resourceVersion: '1' } }, { bodyless: true }),
    del(path('goings', '?dryRun=All'), undefined, SPEC),
    del(path('goings'), undefined, SPEC),
    patch('merge', path('goings', '?dryRun=All'), {
      metadata: { finalizers: ['example.com/hold', 'example.com/more'] },
    }),
    patch('merge', path('goings', '?dryRun=All'), spec({ names: { shortNames: ['g'] } }), { bodyless: true }),
  ],
});
