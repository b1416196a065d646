import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import { converterText } from './decode/converter-text.ts';
import { createTestServer, failure, GADGETS, type Reply, type TestServer } from './endpoints.fixtures.ts';

const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
const MERGE = { 'content-type': 'application/merge-patch+json' };
const STRATEGIC = { 'content-type': 'application/strategic-merge-patch+json' };
const WIDGET = '/apis/toys.test/v1/namespaces/ns/widgets/w';

describe('patch', () => {
  let server: TestServer;

  beforeEach(async () => {
    server = await createTestServer();
    await server.ask('POST', GADGETS, { metadata: { name: 'a', finalizers: ['x.test/1'] }, data: { x: '1' } });
  });

  afterEach(async () => {
    await server.stop();
  });

  function patch(body: string, headers: Readonly<Record<string, string>>, query = ''): Promise<Reply> {
    return server.ask('PATCH', `${GADGETS}/a${query}`, body, headers);
  }

  it('applies JSON patches', async () => {
    const reply = await patch(
      '[{"op":"test","path":"/data/x","value":"1"},{"op":"add","path":"/data/y","value":"2"}]',
      JSON_PATCH,
    );
    expect([reply.status, reply.body['data']]).toEqual([200, { x: '1', y: '2' }]);
    expect((await server.ask('GET', `${GADGETS}/a`)).body['data']).toEqual({ x: '1', y: '2' });
  });

  it('applies merge patches', async () => {
    expect((await patch('{"data":{"x":null,"y":"2"}}', MERGE)).body['data']).toEqual({ y: '2' });
  });

  it('applies strategic merge patches, which merge lists', async () => {
    const { body } = await patch('{"metadata":{"finalizers":["x.test/2"]}}', STRATEGIC);
    expect((body['metadata'] as JsonObject)['finalizers']).toEqual(['x.test/2', 'x.test/1']);
    const merged = await patch('{"metadata":{"finalizers":["x.test/3"]}}', MERGE);
    expect((merged.body['metadata'] as JsonObject)['finalizers']).toEqual(['x.test/3']);
  });

  it("refuses content types of other requests with the router's message, and unsupported patch types with the endpoint's", async () => {
    const router = [415, 'UnsupportedMediaType', '415: Unsupported Media Type'];
    for (const type of ['application/json', 'application/octet-stream', 'application/Merge-patch+json'])
      expect(failure(await patch('{}', { 'content-type': type }))).toEqual(router);
    expect(failure(await patch('{}', { 'content-type': 'application/merge-patch+json ;x=y' }))).toEqual([
      415,
      'UnsupportedMediaType',
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml',
    ]);
    expect((await patch('{}', { 'content-type': 'application/merge-patch+json; charset=utf-8' })).status).toBe(200);
  });

  it('refuses strategic merge patches for kinds that do not support them', async () => {
    await server.ask('POST', '/apis/toys.test/v1/namespaces/ns/widgets', { metadata: { name: 'w' } });
    expect((await server.ask('PATCH', WIDGET, '{}', STRATEGIC)).status).toBe(415);
    expect((await server.ask('PATCH', WIDGET, '{"color":"red"}', MERGE)).body['color']).toBe('red');
  });

  it('answers 404 for a missing object before it decodes the patch', async () => {
    expect(failure(await server.ask('PATCH', `${GADGETS}/z`, '{', MERGE))).toEqual([
      404,
      'NotFound',
      'gadgets.toys.test "z" not found',
    ]);
  });

  it('checks the options before it decodes the patch', async () => {
    const [code, , message] = failure(await patch('{', MERGE, '?force=true&fieldValidation=x'));
    expect(code).toBe(422);
    expect(message).toMatch(/^PatchOptions.meta.k8s.io "" is invalid: \[force: Forbidden: may not be specified/);
  });

  it('refuses malformed patches with the message of each type and validation level', async () => {
    const messages = async (body: string, headers: Readonly<Record<string, string>>): Promise<readonly string[]> => {
      const strict = failure(await patch(body, headers, '?fieldValidation=Strict'));
      const ignored = failure(await patch(body, headers, '?fieldValidation=Ignore'));
      expect([strict[0], ignored[0]]).toEqual([400, 400]);
      return [strict[2], ignored[2]];
    };
    const end = 'unexpected end of JSON input';
    expect(await messages('{', JSON_PATCH)).toEqual([`error decoding patch: ${end}`, end]);
    expect(await messages('{', MERGE)).toEqual([`error decoding patch: ${end}`, 'Invalid JSON Patch']);
    expect(await messages('{', STRATEGIC)).toEqual([end, end]);
    const noList = 'json: cannot unmarshal object into Go value of type';
    expect(await messages('{}', JSON_PATCH)).toEqual([
      `error decoding patch: ${noList} []handlers.jsonPatchOp`,
      `${noList} jsonpatch.Patch`,
    ]);
    expect(await messages('"x"', MERGE)).toEqual([
      'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}',
      'Invalid JSON Patch',
    ]);
  });

  it('answers 422 without details for JSON patches that do not apply', async () => {
    for (const operation of [
      '{"op":"test","path":"/data/x","value":"9"}',
      '{"op":"remove","path":"/data/z"}',
      '{"op":"no"}',
    ]) {
      const reply = await patch(`[${operation}]`, JSON_PATCH);
      expect(failure(reply)).toEqual([
        422,
        'Invalid',
        'the server rejected our request due to an error in our request',
      ]);
      expect(reply.body['details']).toEqual({});
    }
  });

  it('answers 413 for too many operations, and 500 for unknown directives', async () => {
    const many = `[${Array.from({ length: 10_001 }, () => '{"op":"add","path":"/data/y","value":"1"}').join(',')}]`;
    expect(failure(await patch(many, JSON_PATCH))).toEqual([
      413,
      'RequestEntityTooLarge',
      'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    ]);
    const reply = await patch('{"$patch":"foo"}', STRATEGIC);
    expect(reply.status).toBe(500);
    expect(failure(reply)).toEqual([500, '', 'unknown patch type: foo in map: map[$patch:foo]']);
  });

  it('lists the strict errors of a JSON patch in the order of its text', async () => {
    const operation =
      '{"op":"add","foo":{"a":1,"a":2},"op":"add","path":"/data/y","value":[{"b":1,"b":2}],"foo":1,"path":"/data/y","value":"2"}';
    const reply = await patch(`[${operation}]`, JSON_PATCH);
    expect(reply.warnings).toEqual(
      ['unknown field "[0].foo"', 'duplicate field "[0].op"', 'duplicate field "[0].value[0].b"']
        .concat('duplicate field "[0].path"', 'duplicate field "[0].value"')
        .map((text) => `299 - "json patch ${text.replaceAll('"', '\\"')}"`),
    );
  });

  it('warns about unknown and duplicate fields of the patch and of the patched object', async () => {
    const body = '[{"op":"add","path":"/data/y","value":"2","foo":1},{"op":"add","path":"/zap","value":1}]';
    const reply = await patch(body, JSON_PATCH);
    expect(reply.status).toBe(200);
    expect(reply.body).not.toHaveProperty('zap');
    expect(reply.warnings).toEqual([
      '299 - "json patch unknown field \\"[0].foo\\""',
      '299 - "unknown field \\"zap\\""',
    ]);
    const merged = await patch('{"data":{"q":"1","q":"2"},"zap":1}', MERGE);
    expect(merged.warnings).toEqual(['299 - "duplicate field \\"data.q\\""', '299 - "unknown field \\"zap\\""']);
    const strategic = await patch('{"zap":1}', STRATEGIC);
    expect(strategic.warnings).toEqual(['299 - "unknown field \\"zap\\""']);
    expect((await patch('{"zap":1}', MERGE, '?fieldValidation=Ignore')).warnings).toEqual([]);
  });

  it('refuses unknown fields with Strict and shows the patched object', async () => {
    const reply = await patch('{"zap":1}', MERGE, '?fieldValidation=Strict');
    const [code, reason, message] = failure(reply);
    expect([code, reason]).toEqual([422, 'Invalid']);
    expect(message).toMatch(
      /^ "" is invalid: patch: Invalid value: "\{\\"apiVersion\\":\\"toys.test\/v1\\",\\"color\\":/,
    );
    expect(message).toMatch(/: strict decoding error: unknown field "zap"$/);
    expect(reply.body['details']).toMatchObject({ causes: [{ reason: 'FieldValueInvalid', field: 'patch' }] });
    expect(failure(await patch('{"zap":1}', STRATEGIC, '?fieldValidation=Strict'))[2]).toBe(
      ' "" is invalid: patch: Invalid value: "map[zap:1]": strict decoding error: unknown field "zap"',
    );
  });

  it('refuses results of a wrong type or kind', async () => {
    expect(failure(await patch('{"data":{"x":5}}', MERGE))[2]).toMatch(
      /: json: cannot unmarshal number into Go struct field Gadget.data of type string$/,
    );
    expect(failure(await patch('{"data":{"x":5}}', STRATEGIC))[2]).toBe(
      ' "" is invalid: patch: Invalid value: "map[data:map[x:5]]": cannot convert int64 to string',
    );
    expect(failure(await patch('{"kind":"Foo"}', MERGE))[2]).toMatch(
      /no kind "Foo" is registered for version "toys.test\/v1"/,
    );
    expect((await patch('{"kind":"Foo"}', STRATEGIC)).body['kind']).toBe('Gadget');
    expect(failure(await patch('[{"op":"replace","path":"","value":[]}]', JSON_PATCH))[0]).toBe(422);
    expect((await patch('{"kind":null}', MERGE)).status).toBe(200);
  });

  it('may change neither name nor namespace', async () => {
    expect(failure(await patch('{"metadata":{"name":"b"}}', MERGE))[2]).toBe(
      'the name of the object (b) does not match the name on the URL (a)',
    );
    expect(failure(await patch('{"metadata":{"namespace":"b"}}', MERGE))[2]).toBe(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  });

  it('conflicts only if it names a resourceVersion', async () => {
    expect(failure(await patch('{"metadata":{"resourceVersion":"1"}}', MERGE))[0]).toBe(409);
    const both = await Promise.all([patch('{"data":{"p":"1"}}', MERGE), patch('{"data":{"q":"1"}}', MERGE)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect((await server.ask('GET', `${GADGETS}/a`)).body['data']).toEqual({ x: '1', p: '1', q: '1' });
  });

  it('fills in defaults that a patch removed', async () => {
    expect((await patch('{"color":null}', MERGE)).body['color']).toBe('grey');
  });

  it('stores nothing in a dry run', async () => {
    expect((await patch('{"data":{"y":"2"}}', MERGE, '?dryRun=All')).body['data']).toEqual({ x: '1', y: '2' });
    expect((await server.ask('GET', `${GADGETS}/a`)).body['data']).toEqual({ x: '1' });
  });

  it('patches subresources', async () => {
    const reply = await server.ask('PATCH', `${GADGETS}/a/status`, '{"data":{},"status":{"phase":"Up"}}', MERGE);
    expect(reply.body).toMatchObject({ data: { x: '1' }, status: { phase: 'Up' } });
  });
});

describe('converterText', () => {
  it('translates messages of the JSON decoder', () => {
    const said = (what: string, type: string): string =>
      converterText(`json: cannot unmarshal ${what} into Go struct field X.y of type ${type}`);
    expect(said('number', 'string')).toBe('cannot convert int64 to string');
    expect(said('number 1.5', 'int32')).toBe('cannot convert float64 to int32');
    expect(said('string', 'bool')).toBe('unrecognized type: bool');
    expect(said('number', 'bool')).toBe('unrecognized type: bool');
    expect(said('string', '[]string')).toBe('cannot restore slice from string');
    expect(said('array', 'map[string]string')).toBe('cannot restore map from slice');
    expect(said('bool', 'v1.ObjectMeta')).toBe('cannot restore struct from: bool');
    expect(converterText('something else')).toBe('something else');
  });
});
