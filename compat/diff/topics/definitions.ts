/** CustomResourceDefinitions: which are accepted, and why others are refused. */
import { type Topic, topic } from '../request.ts';
import { definition, type Fields, tries, version, withProperties } from './definition-bodies.ts';

const LONG = 'a'.repeat(64);
const PEM = 'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCmFiYwotLS0tLUVORCBDRVJUSUZJQ0FURS0tLS0tCg==';

function names(change: Fields): Fields {
  return definition('things', { names: change });
}

function conversion(change: Fields | undefined, rest: Fields = {}): Fields {
  return definition('things', { conversion: change, ...rest });
}

function webhook(clientConfig: Fields | undefined, conversionReviewVersions: unknown = ['v1']): Fields {
  return conversion({ strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions } });
}

function service(change: Fields): Fields {
  return webhook({ service: { name: 'svc', namespace: 'ns', ...change } });
}

function versions(...list: readonly unknown[]): Fields {
  return definition('things', { versions: list });
}

function columns(...additionalPrinterColumns: readonly Fields[]): Fields {
  return versions(version('v1', { additionalPrinterColumns }));
}

function scale(change: Fields): Fields {
  const paths = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
  return versions(version('v1', { subresources: { scale: { ...paths, ...change } } }));
}

function selectable(paths: readonly (string | undefined)[], properties: Fields): Fields {
  const selectableFields = paths.map((jsonPath) => ({ jsonPath }));
  return withProperties('things', properties, { selectableFields });
}

export const definitions: Topic = topic('definitions', {
  'groups and scopes': tries([
    definition('things'),
    definition('things', { group: '' }),
    definition('things', { group: undefined }),
    definition('things', { group: 'nodots' }, { metadata: { name: 'things.nodots' } }),
    definition('things', { group: 'Upper.example.com' }, { metadata: { name: 'things.Upper.example.com' } }),
    definition('things', { group: `${'a.'.repeat(130)}com` }),
    definition('things', { scope: '' }),
    definition('things', { scope: 'namespaced' }),
    definition('things', { scope: undefined }),
    definition('things', {}, { metadata: { name: 'others.things.example.com' } }),
    definition('things', {}, { metadata: { name: '' } }),
    definition('things', {}, { metadata: { name: undefined, generateName: 'things.' } }),
    definition('things', {}, { metadata: { labels: { 'a b': 'c' } } }),
    definition('things', {}, { metadata: { namespace: 'default' } }),
    definition('things', {}, { metadata: { finalizers: ['plain'] } }),
    definition('things', {}, { spec: undefined }),
    definition('things', {}, { spec: {} }),
  ]),
  names: tries([
    names({ plural: '' }),
    names({ plural: 'Things' }),
    names({ plural: LONG }),
    names({ singular: 'Thing' }),
    names({ singular: 'a_b' }),
    names({ kind: '' }),
    names({ kind: '', listKind: '', singular: '' }),
    names({ kind: '1Thing' }),
    names({ kind: 'Thing_1' }),
    names({ kind: 'ThingsList' }),
    names({ listKind: '' }),
    names({ listKind: 'list_kind' }),
    names({ shortNames: ['th', 'TH', ''] }),
    names({ shortNames: [LONG, '1a'] }),
    names({ categories: ['all', 'ALL', 'a.b'] }),
    names({ kind: 'Ünknown' }),
  ]),
  versions: tries([
    definition('things', { versions: [] }),
    definition('things', { versions: undefined }),
    definition('things', { versions: null }),
    versions(version('v1', { storage: false })),
    versions(version('v1'), version('v2')),
    versions(version('v1'), version('v1', { storage: false })),
    versions(version('v1'), version('V2', { storage: false })),
    versions(version('1')),
    versions(version('')),
    versions(version(LONG)),
    versions(version('v1', { served: false })),
    versions(version('v1', { schema: undefined })),
    versions(version('v1', { schema: {} })),
    versions(version('v1', { schema: undefined }), version('v2', { storage: false })),
    versions(version('v1'), version('v2', { storage: false, schema: undefined, served: false })),
    versions(version('v1', { deprecated: true })),
    versions(version('v1', { deprecated: true, deprecationWarning: 'use v2' })),
    versions(version('v1', { deprecated: true, deprecationWarning: '' })),
    versions(version('v1', { deprecationWarning: 'use v2' })),
    versions(version('v1', { deprecated: true, deprecationWarning: 'x'.repeat(257) })),
    versions(version('v1', { deprecated: true, deprecationWarning: 'ab\ncd' })),
    versions(version('v1', { deprecated: true, deprecationWarning: 'é\u0007' })),
    versions(version('v1', { storage: 'yes' })),
    versions('v1'),
    definition('things', { preserveUnknownFields: true }),
    definition('things', { preserveUnknownFields: false }),
    definition('things', { unknown: 1 }),
  ]),
  conversion: tries([
    conversion(undefined),
    conversion({ strategy: 'None' }),
    conversion({ strategy: '' }),
    conversion({ strategy: 'Other' }),
    conversion({ strategy: 'Webhook' }),
    conversion({ strategy: 'None', webhook: { conversionReviewVersions: ['v1'] } }),
    conversion({ strategy: 'None', webhook: { clientConfig: { url: 'https://a' }, conversionReviewVersions: [] } }),
    conversion({ strategy: 'Webhook', webhook: { clientConfig: {}, conversionReviewVersions: ['v1'] } }),
    conversion({ strategy: 'Webhook' }, { preserveUnknownFields: true }),
    webhook(undefined),
    webhook({ url: 'https://example.com/convert' }),
    webhook({ url: 'https://example.com/convert' }, []),
    webhook({ url: 'https://example.com/convert' }, ['v1', 'v1']),
    webhook({ url: 'https://example.com/convert' }, ['v2', 'V3']),
    webhook({ url: 'https://example.com/convert' }, ['v1beta1', 'other']),
    webhook({ url: 'https://example.com', service: { name: 'a', namespace: 'b' } }),
    ...[
      'http://example.com',
      'https://',
      'https://user:pw@example.com',
      'https://example.com/#f',
      'https://example.com/?q=1',
      'example.com',
      '://x',
      'https://exa mple.com',
      'https://example.com:port',
      'https://example.com/%zz',
      'https://[::1]:443/x',
      '',
      '/path',
      'a:b:c',
      'a b:c',
      'HTTPS://example.com',
    ].map((url) => webhook({ url })),
    service({}),
    service({ name: '' }),
    service({ namespace: '' }),
    service({ port: 0 }),
    service({ port: 65536 }),
    service({ path: '/convert' }),
    service({ path: 'convert' }),
    service({ path: '//' }),
    service({ path: '/a//b/' }),
    service({ path: '/A_b/c' }),
    service({ path: '/' }),
    webhook({ url: 'https://example.com', caBundle: PEM }),
    webhook({ url: 'https://example.com', caBundle: 'bm9wZQ==' }),
    webhook({ url: 'https://example.com', caBundle: 'not base64' }),
  ]),
  'subresources and columns': tries([
    scale({}),
    scale({ labelSelectorPath: '.status.selector' }),
    scale({ labelSelectorPath: '.spec.selector' }),
    scale({ labelSelectorPath: '' }),
    scale({ labelSelectorPath: '.metadata.selector' }),
    scale({ labelSelectorPath: 'status.selector' }),
    scale({ specReplicasPath: '' }),
    scale({ specReplicasPath: 'spec.replicas' }),
    scale({ specReplicasPath: '.status.replicas' }),
    scale({ specReplicasPath: '.spec' }),
    scale({ specReplicasPath: '.spec.a[0].b' }),
    scale({ statusReplicasPath: '' }),
    scale({ statusReplicasPath: '.spec.replicas' }),
    scale({ statusReplicasPath: 'x' }),
    columns({ name: 'A', type: 'string', jsonPath: '.spec.a' }),
    columns({ name: '', type: '', jsonPath: '' }),
    columns({ name: 'A', type: 'text', jsonPath: 'spec.a' }),
    columns({ name: 'A', type: 'date', format: 'date-time', jsonPath: '.metadata.creationTimestamp' }),
    columns({ name: 'A', type: 'integer', format: 'int16', jsonPath: '.spec.a' }),
    columns({ name: 'A', type: 'number', jsonPath: '.spec.a[?(@.b==1)]', priority: 1 }),
    columns({ name: 'A', type: 'string', jsonPath: '.' }, { name: 'A', type: 'string', jsonPath: '.spec..[' }),
  ]),
  'selectable fields': tries([
    selectable(['.spec.a'], { a: { type: 'string' } }),
    selectable(['.spec.a', '.spec.b', '.spec.c'], {
      a: { type: 'integer' },
      b: { type: 'boolean' },
      c: { type: 'number' },
    }),
    selectable(['spec.a'], { a: { type: 'string' } }),
    selectable([''], { a: { type: 'string' } }),
    selectable(['.'], { a: { type: 'string' } }),
    selectable(['.spec.x'], { a: { type: 'string' } }),
    selectable(['.spec.a', '.spec.a'], { a: { type: 'string' } }),
    selectable(['.spec.a[0]'], { a: { type: 'array', items: { type: 'string' } } }),
    selectable([".spec['a']"], { a: { type: 'string' } }),
    selectable(['.spec'], { a: { type: 'string' } }),
    selectable(['.metadata.name'], { a: { type: 'string' } }),
    selectable(['.spec.m.k'], { m: { type: 'object', additionalProperties: { type: 'string' } } }),
    selectable(
      Array.from({ length: 9 }, (_, i) => `.spec.f${i}`),
      Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`f${i}`, { type: 'string' }])),
    ),
    versions(version('v1', { schema: undefined, selectableFields: [{ jsonPath: '.spec.a' }] })),
    versions(
      version('v1', { selectableFields: [{ jsonPath: '.spec.a' }] }),
      version('v2', { storage: false, schema: undefined, selectableFields: [{ jsonPath: '.spec.b' }] }),
    ),
  ]),
  'several versions, several schemas': tries([
    versions(
      version('v1', { schema: { openAPIV3Schema: { properties: { a: {} } } } }),
      version('v2', { storage: false, schema: { openAPIV3Schema: { type: 'object', properties: { b: {} } } } }),
    ),
    versions(
      version('v1', { schema: { openAPIV3Schema: { properties: { a: {} } } } }),
      version('v2', { storage: false, schema: { openAPIV3Schema: { properties: { a: {} } } } }),
    ),
    versions(
      version('v1', { subresources: { status: {}, scale: {} } }),
      version('v2', { storage: false, subresources: { status: {}, scale: {} } }),
    ),
    versions(
      version('v1', { additionalPrinterColumns: [{ name: '', type: 'x', jsonPath: '' }] }),
      version('v2', { storage: false }),
    ),
    versions(version('v1'), version('v2', { storage: false, subresources: { status: {} } })),
  ]),
  'protected groups': tries(
    [
      undefined,
      '',
      'unapproved, testing',
      'https://github.com/kubernetes/kubernetes/pull/1',
      'nonsense',
      'https://',
      '/x',
    ].map((value) =>
      definition(
        'things',
        { group: 'things.k8s.io' },
        {
          metadata: {
            name: 'things.things.k8s.io',
            annotations: value === undefined ? undefined : { 'api-approved.kubernetes.io': value },
          },
        },
      ),
    ),
  ),
});
