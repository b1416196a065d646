import { describe, expect, it } from 'vitest';
import { decodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { requestOf } from '../http/requests.fixtures.ts';
import { META_TYPES } from '../resource/meta-types.ts';
import { gnosticV2 } from './gnostic/gnostic-v2.ts';
import { gnosticV3 } from './gnostic/gnostic-v3.ts';
import { GROUP, PREFIX, resourceOf, storeOf, thingVersion, types, versionOf } from './openapi.fixtures.ts';
import { ask, given, index, json, manager, things, V3 } from './openapi-manager.fixtures.ts';
import { OpenApiManager } from './openapi-manager.ts';
import type { PreparedOpenApi } from './prepared.ts';

describe('the index', () => {
  it('lists every document with its hash: versions, owned groups, and the roots', () => {
    const made = manager(
      things,
      versionOf([], { group: '', ownsGroup: true }),
      versionOf([], { group: 'custom.example' }),
    );
    const urls = index(made);
    expect(Object.keys(urls)).toEqual([
      'api',
      'api/v1',
      'apis',
      'apis/custom.example/v1',
      `apis/${GROUP}`,
      `apis/${GROUP}/v1`,
    ]);
    for (const [name, url] of Object.entries(urls))
      expect(url).toMatch(new RegExp(`^/openapi/v3/${name}\\?hash=[0-9A-F]{32}$`));
    expect(ask(made, '/openapi/v3').headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  it('changes only for the documents that are published again', () => {
    const made = manager(things);
    const before = index(made);
    made.publish(versionOf([resourceOf({ store: storeOf('get') })], { ownsGroup: true }));
    const after = index(made);
    expect(after[`apis/${GROUP}/v1`]).not.toBe(before[`apis/${GROUP}/v1`]);
    expect(after[`apis/${GROUP}`]).toBe(before[`apis/${GROUP}`]);
    made.remove({ group: GROUP, version: 'v1' });
    expect(Object.keys(index(made))).toEqual(['apis']);
  });

  it('makes no document that has a fingerprint', () => {
    let made = 0;
    const version = versionOf([], { fingerprint: 'uid-1/generation-7' });
    const counted = {
      ...version,
      resources: () => {
        made++;
        return version.resources();
      },
    };
    const { [`apis/${GROUP}/v1`]: url = '' } = index(manager(counted));
    expect(made).toBe(0);
    const other = index(manager({ ...version, fingerprint: 'uid-1/generation-8' }));
    expect(other[`apis/${GROUP}/v1`]).not.toBe(url);
    expect(ask(manager(counted), url).status, 'the hash is that of the document').toBe(200);
    expect(made).toBe(1);
  });
});

describe('a document', () => {
  it('has the paths with their operations, and every referenced type', () => {
    const document = json(manager(things), V3);
    expect(document).toMatchObject({ openapi: '3.0.0', info: { title: 'Kubernetes', version: '1.36' } });
    const below = `/apis/${GROUP}/v1`;
    expect(Object.keys(document.paths as JsonObject)).toEqual([
      `${below}/`,
      `${below}/namespaces/{namespace}/things`,
      `${below}/namespaces/{namespace}/things/{name}`,
      `${below}/things`,
      `${below}/watch/namespaces/{namespace}/things`,
      `${below}/watch/namespaces/{namespace}/things/{name}`,
      `${below}/watch/things`,
    ]);
    const { schemas } = document.components as { schemas: Record<string, JsonObject> };
    expect(Object.keys(schemas)).toEqual([
      `${PREFIX}Thing`,
      `${PREFIX}ThingList`,
      `${PREFIX}ThingSpec`,
      'io.k8s.apimachinery.pkg.api.resource.Quantity',
      ...['APIResourceList', 'DeleteOptions', 'ListMeta', 'ObjectMeta', 'Patch', 'Status', 'Time', 'WatchEvent'].map(
        (name) => META_TYPES + name,
      ),
    ]);
    expect(schemas[`${PREFIX}ThingList`]).toMatchObject({
      required: ['items'],
      'x-kubernetes-group-version-kind': [{ group: GROUP, kind: 'ThingList', version: 'v1' }],
    });
    expect(schemas[`${META_TYPES}DeleteOptions`]?.['x-kubernetes-group-version-kind']).toEqual([
      { group: '', kind: 'DeleteOptions', version: 'v1' },
      { group: GROUP, kind: 'DeleteOptions', version: 'v1' },
    ]);
  });

  it('has parameters of all operations of a path once, at the path', () => {
    const { paths } = json(manager(things), V3) as {
      paths: Record<string, Record<string, { parameters?: JsonObject[] }>>;
    };
    const names = (list: unknown) => (list as { name: string }[] | undefined)?.map(({ name }) => name);
    const item = paths[`/apis/${GROUP}/v1/namespaces/{namespace}/things/{name}`];
    expect(names(item?.parameters)).toEqual(['name', 'namespace', 'pretty']);
    expect(names(item?.get?.parameters)).toBeUndefined();
    expect(names(item?.put?.parameters)).toEqual(['dryRun', 'fieldManager', 'fieldValidation']);
    const collection = paths[`/apis/${GROUP}/v1/namespaces/{namespace}/things`];
    expect(names(collection?.parameters)).toEqual(['namespace', 'pretty']);
    expect(names(paths[`/apis/${GROUP}/v1/things`]?.parameters)).toContain('watch');
  });

  it('uses the schemas of the publisher and the descriptions of the server', () => {
    const made = new OpenApiManager({
      clock: new VirtualClock(0),
      types,
      descriptions: {
        describe: (name, field) => (name.endsWith('ThingList') && field === undefined ? 'Many things.' : undefined),
        fingerprint: () => '',
      },
    });
    made.publish(
      versionOf([resourceOf({ version: thingVersion({ strategicMerge: false, unstructured: true }) })], {
        schema: given({ [`${PREFIX}Thing`]: { type: 'object', description: 'A custom thing.' } }),
      }),
    );
    const document = json(made, V3);
    const { schemas } = document.components as { schemas: Record<string, JsonObject> };
    expect(schemas[`${PREFIX}Thing`]?.description).toBe('A custom thing.');
    expect(schemas[`${PREFIX}ThingList`]?.description).toBe('Many things.');
    expect(schemas).not.toHaveProperty([`${META_TYPES}APIResourceList`]);
    expect(decodeUtf8(ask(manager(things), V3).body)).toContain('protobuf');
    expect(JSON.stringify(document.paths)).not.toContain('protobuf');
  });

  it('is made once, and again only when its group-version is published again', () => {
    const made = manager(things, versionOf([], { group: 'other.example' }));
    const { body } = ask(made, V3);
    expect(ask(made, V3).body).toBe(body);
    made.publish(versionOf([], { group: 'other.example', version: 'v2' }));
    expect(ask(made, V3).body).toBe(body);
    made.publish(things);
    expect(ask(made, V3).body).not.toBe(body);
  });

  it('may be cached forever at the URL with its hash; another hash redirects there', () => {
    const made = manager(things);
    const { [`apis/${GROUP}/v1`]: url = '' } = index(made);
    const { headers } = ask(made, url);
    expect(headers).toMatchObject({
      'cache-control': 'public, immutable',
      'content-type': 'application/json',
      etag: `"${url.slice(-32)}"`,
      expires: 'Sun, 28 Feb 2027 12:00:00 UTC',
      vary: 'Accept',
    });
    const moved = ask(made, `${V3}?hash=0`);
    expect([moved.status, moved.headers.location, moved.body.length]).toEqual([301, url, 0]);
    expect(ask(made, `${V3}?hash=`).headers['cache-control']).toBe('no-cache, private');
  });

  it('is not sent to a client that has its ETag', () => {
    const made = manager(things);
    const { etag } = ask(made, V3).headers as { etag: string };
    for (const header of [etag, `"x", W/${etag}`, '*']) {
      const answer = ask(made, V3, { 'if-none-match': header });
      expect([answer.status, answer.body.length, answer.headers['content-type']], header).toEqual([304, 0, undefined]);
    }
    expect(ask(made, V3, { 'if-none-match': '"x"' }).status).toBe(200);
    expect(ask(made, V3, { 'if-none-match': etag }, 'POST').status).toBe(200);
  });

  it('is sent in protobuf for both names of the media type', () => {
    const made = manager(things);
    const expected = gnosticV3(json(made, V3));
    for (const separator of ['.', '@']) {
      const accept = `application/com.github.proto-openapi.spec.v3${separator}v1.0+protobuf`;
      const { headers, body } = ask(made, V3, { accept });
      expect(headers['content-type']).toBe('application/com.github.proto-openapi.spec.v3.v1.0+protobuf');
      expect(headers.etag).toBe(ask(made, V3).headers.etag);
      expect([...body]).toEqual([...expected]);
    }
  });

  it('is a 404 under other names and a 406 in other media types', () => {
    const made = manager(things);
    for (const path of ['/openapi/v3/', '/openapi/v3/nope', `${V3}/`])
      expect([ask(made, path).status, ask(made, path).body.length], path).toEqual([404, 0]);
    expect(ask(made, V3, { accept: 'application/yaml' }).status).toBe(406);
    expect(ask(made, V3, { accept: 'application/yaml, application/*;q=0.1' }).status).toBe(200);
    for (const path of ['/openapi', '/openapi/v2/', '/openapi/v4'])
      expect(made.handle(requestOf(path)), path).toBeUndefined();
  });
});

describe('v2', () => {
  it('merges all documents, without the keywords that v2 does not have', () => {
    const made = manager(things, versionOf([resourceOf({})], { version: 'v2', ownsGroup: true }));
    const document = json(made, '/openapi/v2');
    const { paths, definitions, parameters } = document as Record<string, Record<string, JsonObject>>;
    expect(Object.keys(paths ?? {})).toEqual(
      expect.arrayContaining(['/apis/', `/apis/${GROUP}/`, `/apis/${GROUP}/v2/things`]),
    );
    const item = paths?.[`/apis/${GROUP}/v1/namespaces/{namespace}/things/{name}`];
    expect(item?.patch).toMatchObject({
      consumes: [
        'application/json-patch+json',
        'application/merge-patch+json',
        'application/strategic-merge-patch+json',
        'application/apply-patch+yaml',
      ],
      produces: ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'],
      schemes: ['https'],
      parameters: [
        { name: 'body', in: 'body', required: true, schema: { $ref: `#/definitions/${META_TYPES}Patch` } },
        { $ref: '#/parameters/dryRun' },
        { $ref: '#/parameters/fieldManager' },
        { $ref: '#/parameters/fieldValidation' },
        { $ref: '#/parameters/force' },
      ],
      responses: { '200': { description: 'OK', schema: { $ref: `#/definitions/${PREFIX}Thing` } } },
      'x-kubernetes-action': 'patch',
    });
    expect(item?.get).toMatchObject({ consumes: ['*/*'] });
    expect(parameters?.name).toEqual({
      uniqueItems: true,
      type: 'string',
      description: 'The name of the object.',
      name: 'name',
      in: 'path',
      required: true,
    });
    const spec = definitions?.[`${PREFIX}ThingSpec`]?.properties;
    expect(spec).toEqual({
      capacity: {
        type: 'object',
        additionalProperties: { $ref: '#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity' },
      },
      mode: { type: 'string', enum: ['Fast', 'Slow'] },
      parts: {
        type: 'array',
        items: { $ref: `#/definitions/${PREFIX}ThingSpec` },
        'x-kubernetes-list-map-keys': ['mode'],
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-patch-merge-key': 'mode',
        'x-kubernetes-patch-strategy': 'merge,retainKeys',
      },
      since: { $ref: `#/definitions/${META_TYPES}Time` },
      size: { type: 'integer', format: 'int32' },
    });
    expect(definitions?.['io.k8s.apimachinery.pkg.api.resource.Quantity']).toMatchObject({ type: 'string' });
    expect(definitions?.[`${META_TYPES}WatchEvent`]?.['x-kubernetes-group-version-kind']).toHaveLength(3);
  });

  it('does not refuse null where the server accepts it', () => {
    const schemas = {
      [`${PREFIX}Thing`]: { type: 'object', properties: { a: { type: 'string', nullable: true, maxLength: 3 } } },
    };
    const made = manager(versionOf([resourceOf({})], { schema: given(schemas) }));
    const { definitions } = json(made, '/openapi/v2') as { definitions: Record<string, JsonObject> };
    expect(definitions[`${PREFIX}Thing`]?.properties).toEqual({ a: { maxLength: 3 } });
  });

  it('is sent in protobuf, answers 304 to its ETag, and is made again after every change', () => {
    const made = manager(things);
    const { headers, body } = ask(made, '/openapi/v2');
    const etag = headers.etag as string;
    expect(ask(made, '/openapi/v2').body).toBe(body);
    expect(ask(made, '/openapi/v2', { 'if-none-match': etag }).status).toBe(304);
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const message = ask(made, '/openapi/v2', { accept });
    expect(message.headers['content-type']).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
    expect([...message.body]).toEqual([...gnosticV2(json(made, '/openapi/v2'))]);
    expect(ask(made, '/openapi/v2', { accept: 'text/html' }).status).toBe(406);
    made.publish(versionOf([], { group: 'other.example' }));
    expect(ask(made, '/openapi/v2', { 'if-none-match': etag }).status, 'nothing to see in it').toBe(304);
    made.remove(things);
    expect(ask(made, '/openapi/v2', { 'if-none-match': etag }).status).toBe(200);
  });
});

describe('documents that were prepared', () => {
  const core = versionOf([resourceOf({})], { group: '', ownsGroup: true });
  const custom = versionOf([resourceOf({ store: storeOf('get', 'list') })], { group: 'a.custom.example' });
  const text = (from: OpenApiManager, target: string): string => decodeUtf8(ask(from, target).body);
  const preparedBy = (from: OpenApiManager) => ({ index: text(from, '/openapi/v3'), v2: text(from, '/openapi/v2') });

  function managerWith(prepared: PreparedOpenApi, ...versions: readonly ReturnType<typeof versionOf>[]) {
    const made = new OpenApiManager({
      clock: new VirtualClock(Date.UTC(2026, 1, 28, 12)),
      types,
      prepared: () => prepared,
    });
    for (const version of versions) made.publish(version);
    return made;
  }

  it('result in the same document, also with further versions', () => {
    const prepared = preparedBy(manager(core, things));
    for (const versions of [
      [core, things],
      [core, things, custom],
    ])
      expect(text(managerWith(prepared, ...versions), '/openapi/v2')).toBe(text(manager(...versions), '/openapi/v2'));
  });

  it('are used only if all published documents are unchanged', () => {
    const prepared = preparedBy(manager(core, things));
    const marked = { ...prepared, v2: prepared.v2.replace('"/apis/"', '"/marked/"') };
    expect(marked.v2).not.toBe(prepared.v2);
    expect(text(managerWith(marked, core, things, custom), '/openapi/v2')).toContain('"/marked/"');
    for (const versions of [[core], [core, versionOf([resourceOf({ store: storeOf('get') })], { ownsGroup: true })]])
      expect(text(managerWith(marked, ...versions), '/openapi/v2')).toBe(text(manager(...versions), '/openapi/v2'));
    for (const index of ['{}', '{"paths":{"api":{}}}', '{"paths":{"api":{"serverRelativeURL":"/x"}}}'])
      expect(text(managerWith({ ...marked, index }, core), '/openapi/v2')).not.toContain('"/marked/"');
  });
});
