import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { isPromise } from '../../base/maybe-promise.ts';
import { iterateChunks } from '../http/chunk-source.ts';
import { parseRequestInfo } from '../http/request-info.ts';
import { ServerRequest } from '../http/server-request.ts';
import { createTestServer, failure, GADGETS, type TestServer } from './endpoints.fixtures.ts';

const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const PARTIAL = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const PARTIAL_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

describe('reading', () => {
  let server: TestServer;

  beforeEach(async () => {
    server = await createTestServer();
    await server.ask('POST', GADGETS, { metadata: { name: 'a', labels: { l: 'x' } }, data: { k: '<v>' } });
    await server.ask('POST', GADGETS, { metadata: { name: 'b' } });
  });

  afterEach(async () => {
    await server.stop();
  });

  describe('get', () => {
    it('answers synchronously with the stored bytes and a newline', async () => {
      const target = `${GADGETS}/a`;
      const info = parseRequestInfo('GET', target);
      const incoming = { method: 'GET', target, header: () => undefined } as unknown as ServerRequest['incoming'];
      if (!info.ok) throw new Error('the target is good');
      const answer = server.resources.handle(new ServerRequest(incoming, info.info, 0));
      expect(isPromise(answer)).toBe(false);
      expect(answer).toMatchObject({ kind: 'bytes', status: 200 });
      const { text } = await server.ask('GET', target);
      expect(text.startsWith('{"kind":"Gadget","apiVersion":"toys.test/v1","metadata":{')).toBe(true);
      expect(text.endsWith('"data":{"k":"\\u003cv\\u003e"},"status":{},"color":"grey"}\n')).toBe(true);
    });

    it('sends large objects by reference', async () => {
      await server.ask('POST', GADGETS, { metadata: { name: 'big' }, data: { k: 'x'.repeat(20_000) } });
      const answer = await server.answer('GET', `${GADGETS}/big`);
      expect(answer).toMatchObject({ kind: 'chunks' });
      const size = answer.kind === 'chunks' ? Array.from(iterateChunks(answer.chunks), (chunk) => chunk.length) : [];
      expect(size[0]).toBeGreaterThan(20_000);
      expect(size[1]).toBe(1);
    });

    it('answers in YAML, also with failures', async () => {
      const reply = await server.ask('GET', `${GADGETS}/a`, undefined, { accept: 'application/yaml' });
      expect(reply.headers['content-type']).toBe('application/yaml');
      expect(reply.text).toMatch(/^apiVersion: toys.test\/v1\ncolor: grey\ndata:\n {2}k: <v>\nkind: Gadget\n/);
      const missing = await server.ask('GET', `${GADGETS}/z`, undefined, { accept: 'application/yaml' });
      expect(missing.headers['content-type']).toBe('application/yaml');
      expect(missing.text).toContain('reason: NotFound\n');
    });

    it('indents JSON for pretty=true and for curl and browsers', async () => {
      const asked = await server.ask('GET', `${GADGETS}/a?pretty=true`);
      expect(asked.text).toMatch(/^\{\n {2}"kind": "Gadget",\n/);
      expect(asked.text.endsWith('}')).toBe(true);
      const agent = { 'user-agent': 'curl/8.0' };
      expect((await server.ask('GET', `${GADGETS}/a`, undefined, agent)).text).toMatch(/^\{\n/);
      expect((await server.ask('GET', `${GADGETS}/a?pretty=0`, undefined, agent)).text).toMatch(/^\{"kind"/);
      expect((await server.ask('GET', `${GADGETS}/z`, undefined, agent)).text).toMatch(/^\{\n {2}"kind": "Status"/);
    });

    it("refuses unsupported media types with the router's message, then with the endpoint's", async () => {
      const router = await server.ask('GET', `${GADGETS}/a`, undefined, { accept: 'application/*' });
      expect(failure(router)).toEqual([
        406,
        'NotAcceptable',
        '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml',
      ]);
      const endpoint = await server.ask('GET', `${GADGETS}/a`, undefined, {
        accept: 'application/json;as=Foo;g=meta.k8s.io;v=v1',
      });
      expect(failure(endpoint)).toEqual([
        406,
        'NotAcceptable',
        'only the following media types are accepted: application/json, application/yaml',
      ]);
      // A failed negotiation is reported in indented JSON.
      expect(endpoint.text).toMatch(/^\{\n/);
    });

    it('answers with PartialObjectMetadata', async () => {
      const { body } = await server.ask('GET', `${GADGETS}/a`, undefined, { accept: PARTIAL });
      expect(Object.keys(body)).toEqual(['kind', 'apiVersion', 'metadata']);
      expect(body).toMatchObject({
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { name: 'a', labels: { l: 'x' } },
      });
      expect(failure(await server.ask('GET', `${GADGETS}/a`, undefined, { accept: PARTIAL_LIST }))).toEqual([
        406,
        'NotAcceptable',
        'you requested PartialObjectMetadataList, but the requested object is not a list (*toys.Gadget)',
      ]);
    });

    it('answers with a table of one row', async () => {
      const { body } = await server.ask('GET', `${GADGETS}/a`, undefined, { accept: TABLE });
      const { resourceVersion } = (await server.ask('GET', `${GADGETS}/a`)).body['metadata'] as JsonObject;
      expect(body).toMatchObject({
        kind: 'Table',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { resourceVersion },
        columnDefinitions: [{ name: 'Name', type: 'string', format: 'name', priority: 0 }, { name: 'Color' }],
        rows: [{ cells: ['a', 'grey'], object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } } }],
      });
    });

    it('has the columns name and age for kinds without columns', async () => {
      await server.ask('POST', '/api/v1/yards', { metadata: { name: 'y' } });
      await server.clock.advance(90_000);
      const { body } = await server.ask('GET', '/api/v1/yards/y', undefined, { accept: TABLE });
      expect(body).toMatchObject({
        columnDefinitions: [{ name: 'Name' }, { name: 'Age' }],
        rows: [{ cells: ['y', '90s'] }],
      });
    });

    it('has the objects in the rows that includeObject asks for', async () => {
      const row = async (include: string): Promise<unknown> => {
        const { body } = await server.ask('GET', `${GADGETS}/a?includeObject=${include}`, undefined, { accept: TABLE });
        return (body as unknown as { rows: { object: JsonObject | null }[] }).rows[0]?.object;
      };
      expect(await row('None')).toBeNull();
      expect(await row('Object')).toMatchObject({ kind: 'Gadget', data: { k: '<v>' } });
      expect(await row('')).toMatchObject({ kind: 'PartialObjectMetadata' });
      expect(failure(await server.ask('GET', `${GADGETS}/a?includeObject=All`, undefined, { accept: TABLE }))).toEqual([
        400,
        'BadRequest',
        "Unable to convert to Table as requested: includeObject: Invalid value: \"All\": must be 'Metadata', 'Object', 'None', or empty",
      ]);
    });

    it('refuses the removed parameter export', async () => {
      expect(failure(await server.ask('GET', `${GADGETS}/a?export=1`))[0]).toBe(400);
      expect((await server.ask('GET', `${GADGETS}/a?export=false`)).status).toBe(200);
    });
  });

  describe('list', () => {
    it('joins items without their type fields, between header and footer', async () => {
      const { text, body } = await server.ask('GET', GADGETS);
      expect(text).toMatch(
        /^\{"kind":"GadgetList","apiVersion":"toys.test\/v1","metadata":\{"resourceVersion":"\d+"\},"items":\[\{"metadata":\{/,
      );
      expect(text.endsWith(']}\n')).toBe(true);
      const items = (body as unknown as { items: JsonObject[] }).items;
      expect(items.map((item) => (item['metadata'] as JsonObject)['name'])).toEqual(['a', 'b']);
      expect(items.some((item) => 'kind' in item || 'apiVersion' in item)).toBe(false);
    });

    it('keeps the type fields of items for kinds with typedItems', async () => {
      await server.ask('POST', '/apis/toys.test/v1/namespaces/ns/widgets', { metadata: { name: 'w' } });
      const target = '/apis/toys.test/v1/widgets';
      for (const headers of [{}, { 'user-agent': 'curl' }])
        expect((await server.ask('GET', target, undefined, headers)).body).toMatchObject({
          kind: 'WidgetList',
          items: [{ kind: 'Widget', apiVersion: 'toys.test/v1' }],
        });
    });

    it('answers an empty list with empty items, in every form', async () => {
      const target = '/apis/toys.test/v1/namespaces/none/gadgets';
      expect((await server.ask('GET', target)).body['items']).toEqual([]);
      expect((await server.ask('GET', target, undefined, { accept: TABLE })).body['rows']).toEqual([]);
      expect((await server.ask('GET', target, undefined, { accept: PARTIAL_LIST })).body['items']).toEqual([]);
      expect((await server.ask('GET', target, undefined, { accept: 'application/yaml' })).text).toMatch(
        /^apiVersion.*\nitems: \[\]\n/,
      );
    });

    it('has a continue token and the number of remaining items', async () => {
      const first = await server.ask('GET', `${GADGETS}?limit=1`);
      const metadata = first.body['metadata'] as JsonObject;
      expect(Object.keys(metadata)).toEqual(['resourceVersion', 'continue', 'remainingItemCount']);
      expect(metadata['remainingItemCount']).toBe(1);
      const second = await server.ask('GET', `${GADGETS}?limit=1&continue=${metadata['continue']}`);
      expect(second.body).toMatchObject({ items: [{ metadata: { name: 'b' } }] });
      expect(Object.keys(second.body['metadata'] as JsonObject)).toEqual(['resourceVersion']);
      const table = await server.ask('GET', `${GADGETS}?limit=1`, undefined, { accept: TABLE });
      expect(table.body['metadata']).toMatchObject({ remainingItemCount: 1 });
    });

    it('answers with PartialObjectMetadata', async () => {
      const { body } = await server.ask('GET', GADGETS, undefined, { accept: PARTIAL_LIST });
      expect(body).toMatchObject({
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.k8s.io/v1',
        items: [{ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } }, {}],
      });
      expect(failure(await server.ask('GET', GADGETS, undefined, { accept: PARTIAL }))).toEqual([
        406,
        'NotAcceptable',
        'you requested PartialObjectMetadata, but the requested object is a list (*toys.GadgetList)',
      ]);
    });

    it('refuses malformed and invalid options', async () => {
      expect(failure(await server.ask('GET', `${GADGETS}?limit=x`))).toEqual([
        400,
        'BadRequest',
        'strconv.ParseInt: parsing "x": invalid syntax',
      ]);
      expect(failure(await server.ask('GET', `${GADGETS}?resourceVersionMatch=Exact`))).toEqual([
        422,
        'Invalid',
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      ]);
    });

    it('selects by the fields of the version, and refuses others with the message of the kind', async () => {
      const named = await server.ask('GET', `${GADGETS}?fieldSelector=metadata.name=b`);
      expect((named.body as unknown as { items: unknown[] }).items).toHaveLength(1);
      expect(failure(await server.ask('GET', `${GADGETS}?fieldSelector=x=y`))[2]).toBe(
        '"x" is not a known field selector: only "metadata.name", "metadata.namespace"',
      );
      expect(failure(await server.ask('GET', '/apis/toys.test/v1/widgets?fieldSelector=x=y'))[2]).toBe(
        'field label not supported: x',
      );
      expect((await server.ask('GET', '/apis/toys.test/v1/widgets?fieldSelector=color=y')).status).toBe(200);
      expect((await server.ask('GET', '/api/v1/yards?fieldSelector=metadata.namespace=x')).status).toBe(200);
    });

    it('names the streaming media types in its 406', async () => {
      expect(failure(await server.ask('GET', GADGETS, undefined, { accept: 'text/plain' }))[2]).toBe(
        '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/json;stream=watch',
      );
    });
  });
});

describe('compression', () => {
  const squeezed: number[] = [];
  const gzip = {
    compress: async (bytes: Uint8Array): Promise<Uint8Array> => {
      squeezed.push(bytes.byteLength);
      return encodeUtf8('zip');
    },
  };

  it('compresses only large answers, and only for clients that accept gzip', async () => {
    const server = await createTestServer({ server: { gzip } });
    for (const name of ['a', 'b'])
      await server.ask('POST', GADGETS, { metadata: { name }, data: { k: 'x'.repeat(100_000) } });
    const accept = { 'accept-encoding': 'deflate, gzip' };
    const list = await server.ask('GET', GADGETS, undefined, accept);
    expect(list.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(squeezed.splice(0)).toEqual([(await server.ask('GET', GADGETS)).text.length]);
    expect((await server.ask('GET', `${GADGETS}/a`, undefined, accept)).headers).not.toHaveProperty('content-encoding');
    expect((await server.ask('GET', GADGETS, undefined, { 'accept-encoding': 'br' })).headers).not.toHaveProperty(
      'vary',
    );
    const yaml = await server.ask('GET', GADGETS, undefined, { ...accept, accept: 'application/yaml' });
    expect(yaml.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': 'application/yaml' });
    expect(squeezed).toHaveLength(1);
    await server.stop();
  });
});
