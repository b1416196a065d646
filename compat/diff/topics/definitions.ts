/** CustomResourceDefinitions themselves: which are accepted, which are not and why. */
import { post, type Step, type Topic, topic } from '../request.ts';
import { DRY, definition, type Fields, version, withProperties, withSchema } from './definition-bodies.ts';

function tries(bodies: readonly Fields[]): readonly Step[] {
  return bodies.map((body) => post(DRY, body));
}

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

function list(change: Fields): Fields {
  return withProperties('things', { list: { type: 'array', ...change } });
}

function property(schema: unknown): Fields {
  return withProperties('things', { field: schema });
}

function selectable(paths: readonly (string | undefined)[], properties: Fields): Fields {
  const selectableFields = paths.map((jsonPath) => ({ jsonPath }));
  return withProperties('things', properties, { selectableFields });
}

const KEYED = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, port: { type: 'integer' }, inner: { type: 'object' } },
};

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
  'the root of a schema': tries([
    withSchema('things', {}),
    withSchema('things', { type: 'object' }),
    withSchema('things', { type: 'string' }),
    withSchema('things', { type: 'array', items: { type: 'string' } }),
    withSchema('things', { properties: { spec: { type: 'object' } } }),
    withSchema('things', { type: 'object', nullable: true }),
    withSchema('things', { type: 'object', default: {} }),
    withSchema('things', { type: 'object', additionalProperties: { type: 'string' } }),
    withSchema('things', { type: 'object', properties: { metadata: { type: 'object' } } }),
    withSchema('things', { type: 'object', properties: { metadata: { type: 'string' } } }),
    withSchema('things', { type: 'object', properties: { metadata: { type: 'object', description: 'x' } } }),
    withSchema('things', {
      type: 'object',
      properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } } },
    }),
    withSchema('things', {
      type: 'object',
      properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
    }),
    withSchema('things', { type: 'object', properties: { apiVersion: { type: 'integer' }, kind: { type: 'string' } } }),
    withSchema('things', { type: 'object', properties: { kind: { type: 'string', default: 'X' } } }),
    withSchema('things', { type: 'object' }, { subresources: { status: {} } }),
    withSchema('things', { type: 'object', nullable: true }, { subresources: { status: {} } }),
    withSchema('things', { type: 'string' }, { subresources: { status: {} } }),
    withSchema('things', { type: 'object', maxProperties: 3, title: 'T' }, { subresources: { status: {} } }),
    withSchema(
      'things',
      { type: 'object', anyOf: [{ required: ['spec'] }], properties: { spec: { type: 'object' } } },
      { subresources: { status: {} } },
    ),
    withSchema('things', 'object'),
    withSchema('things', null),
    withSchema('things', { type: ['object'] }),
    withSchema('things', { type: 'object', unknownField: 1, properties: { a: { type: 'string', bad: 1 } } }),
  ]),
  'what schemas may say': tries([
    property({}),
    property({ type: '' }),
    property({ type: 'null' }),
    property({ type: 'text' }),
    property({ type: 'string', id: 'x' }),
    property({ type: 'string', $ref: '#/definitions/x' }),
    property({ type: 'string', $schema: 'http://json-schema.org/draft-04/schema#' }),
    property({ type: 'object', definitions: { a: { type: 'string' } } }),
    property({ type: 'object', dependencies: { a: ['b'] } }),
    property({ type: 'object', dependencies: { a: { type: 'object' } } }),
    property({ type: 'object', patternProperties: { '^a': { type: 'string' } } }),
    property({ type: 'array', additionalItems: { type: 'string' }, items: { type: 'string' } }),
    property({ type: 'array', additionalItems: false, items: { type: 'string' } }),
    property({ type: 'array', items: [{ type: 'string' }, { type: 'integer' }] }),
    property({ type: 'array' }),
    property({ type: 'array', items: {} }),
    property({ type: 'array', items: true }),
    property({ type: 'array', items: { type: 'string' }, uniqueItems: true }),
    property({ type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true }),
    property({ type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false }),
    property({ type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } }),
    property({ type: 'object', additionalProperties: {} }),
    property({ type: 'object', additionalProperties: 5 }),
    property({ type: 'object', additionalProperties: false }),
    property({ type: 'string', items: { type: 'string' } }),
    property({ type: 'string', properties: { a: { type: 'string' } } }),
    property({ type: 'string', pattern: '(' }),
    property({ type: 'string', pattern: '(?=x)' }),
    property({ type: 'string', format: 'unheard-of' }),
    property({ type: 'integer', format: 'int16' }),
    property({ type: 'string', maxLength: -1, minLength: 5 }),
    property({ type: 'string', maxLength: 1.5 }),
    property({ type: 'number', minimum: 5, maximum: 1, multipleOf: 0 }),
    property({ type: 'number', minimum: 'five' }),
    property({ type: 'string', enum: ['a', 'a', 1, null] }),
    property({ type: 'string', enum: [] }),
    property({ type: 'string', enum: 'a' }),
    property({ type: 'string', nullable: true, description: 'd', title: 't', example: { a: 1 } }),
    property({ type: 'object', required: ['a', 'a'] }),
    property({ type: 'string', externalDocs: { url: 'x' } }),
  ]),
  'structural schemas': tries([
    property({ anyOf: [{ type: 'string' }, { type: 'integer' }] }),
    property({ type: 'string', anyOf: [{ type: 'string' }] }),
    property({ type: 'string', allOf: [{ description: 'x' }] }),
    property({ type: 'string', oneOf: [{ default: 'x' }] }),
    property({ type: 'string', not: { nullable: true } }),
    property({ type: 'string', not: { title: 'x', minLength: 2 } }),
    property({ type: 'object', anyOf: [{ properties: { a: { type: 'string' } } }] }),
    property({ type: 'object', anyOf: [{ properties: { a: { minLength: 1 } } }] }),
    property({
      type: 'object',
      properties: { a: { type: 'string' } },
      anyOf: [{ properties: { a: { minLength: 1 } } }],
    }),
    property({ type: 'object', anyOf: [{ additionalProperties: { minLength: 1 } }] }),
    property({ type: 'array', items: { type: 'string' }, anyOf: [{ items: { minLength: 1 } }] }),
    property({ type: 'array', items: { type: 'string' }, anyOf: [{ items: { type: 'string' } }] }),
    property({ 'x-kubernetes-int-or-string': true }),
    property({ type: 'string', 'x-kubernetes-int-or-string': true }),
    property({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }),
    property({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'string' }, { type: 'integer' }] }),
    property({
      'x-kubernetes-int-or-string': true,
      allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { minLength: 1 }],
    }),
    property({ 'x-kubernetes-preserve-unknown-fields': true }),
    property({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
    property({ type: 'object', 'x-kubernetes-preserve-unknown-fields': false }),
    property({ type: 'string', 'x-kubernetes-preserve-unknown-fields': true }),
    property({ type: 'object', 'x-kubernetes-embedded-resource': true }),
    property({ type: 'string', 'x-kubernetes-embedded-resource': true }),
    property({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { metadata: { type: 'object', 'x-kubernetes-embedded-resource': true } },
    }),
    property({ type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } }),
    property({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: {
        kind: { type: 'integer' },
        metadata: { type: 'object', additionalProperties: { type: 'string', default: 'x' } },
      },
    }),
    property({ type: 'object', allOf: [{ 'x-kubernetes-preserve-unknown-fields': true }] }),
    property({ type: 'object', not: { 'x-kubernetes-embedded-resource': true, 'x-kubernetes-int-or-string': true } }),
    property({ type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
    property({ type: 'object', properties: { a: {}, b: { type: 'object', properties: { c: {} } } } }),
  ]),
  'lists and maps': tries([
    list({ items: { type: 'string' }, 'x-kubernetes-list-type': 'set' }),
    list({ items: { type: 'string' }, 'x-kubernetes-list-type': 'bag' }),
    list({ items: { type: 'object' }, 'x-kubernetes-list-type': 'set' }),
    list({ items: { type: 'object', 'x-kubernetes-map-type': 'atomic' }, 'x-kubernetes-list-type': 'set' }),
    list({ items: { type: 'array', items: { type: 'string' } }, 'x-kubernetes-list-type': 'set' }),
    list({
      items: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      'x-kubernetes-list-type': 'set',
    }),
    list({ items: { type: 'string', nullable: true }, 'x-kubernetes-list-type': 'set' }),
    list({ items: KEYED, 'x-kubernetes-list-type': 'map' }),
    list({ items: KEYED, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
    list({ items: KEYED, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['port'] }),
    list({ items: KEYED, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name', 'name'] }),
    list({ items: KEYED, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['other'] }),
    list({ items: KEYED, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['inner'] }),
    list({ items: KEYED, 'x-kubernetes-list-map-keys': ['name'] }),
    list({ items: KEYED, 'x-kubernetes-list-type': 'set', 'x-kubernetes-list-map-keys': ['name'] }),
    list({
      items: { ...KEYED, nullable: true },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    }),
    list({ items: { type: 'string' }, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
    list({ items: [KEYED], 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
    list({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
    property({
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string', nullable: true, default: 'a' } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    }),
    property({ type: 'object', 'x-kubernetes-list-type': 'set' }),
    property({ 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-list-type': 'set' }),
    property({ type: 'object', 'x-kubernetes-map-type': 'atomic' }),
    property({ type: 'object', 'x-kubernetes-map-type': 'granular' }),
    property({ type: 'object', 'x-kubernetes-map-type': 'other' }),
    property({ type: 'string', 'x-kubernetes-map-type': 'atomic' }),
    property({ 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-map-type': 'atomic' }),
  ]),
  defaults: tries([
    property({ type: 'string', default: 'x' }),
    property({ type: 'string', default: 1 }),
    property({ type: 'string', default: null }),
    property({ type: 'string', nullable: true, default: null }),
    property({ type: 'string', maxLength: 1, default: 'long' }),
    property({ type: 'string', enum: ['a'], default: 'b' }),
    property({ type: 'object', default: { a: 1 } }),
    property({ type: 'object', default: { a: 1 }, 'x-kubernetes-preserve-unknown-fields': true }),
    property({ type: 'object', properties: { a: { type: 'string' } }, default: { a: 1, b: 2 } }),
    property({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'], default: {} }),
    property({ type: 'object', properties: { a: { type: 'string', default: 'x' } }, required: ['a'], default: {} }),
    property({ type: 'array', items: { type: 'string' }, default: ['a', 1] }),
    property({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set', default: ['a', 'a'] }),
    property({
      type: 'object',
      anyOf: [{ properties: { a: { default: 'x' } } }],
      properties: { a: { type: 'string' } },
    }),
    property({ type: 'string', format: 'date-time', default: 'yesterday' }),
    property({ 'x-kubernetes-int-or-string': true, default: true }),
    property({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
      default: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'Bad_' } },
    }),
    property({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
      default: {},
    }),
    definition('things', {
      versions: [
        version('v1', { schema: { openAPIV3Schema: { properties: { a: { type: 'string', default: 'b' } } } } }),
      ],
      preserveUnknownFields: true,
    }),
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
