import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '../../base/json-value.ts';
import type { Admission, AdmissionAttributes } from '../admission.ts';
import type { RequestAttributes } from '../authorizer.ts';
import { createTestServer, failure, GADGETS, gadgets, strategy, type TestServer } from './endpoints.fixtures.ts';

function metadataOf(body: JsonObject): JsonObject {
  return isJsonObject(body['metadata']) ? body['metadata'] : {};
}

describe('writing', () => {
  let server: TestServer;

  beforeEach(async () => {
    server = await createTestServer();
  });

  afterEach(async () => {
    await server.stop();
  });

  describe('bodies', () => {
    async function refusal(body: string, query = '', headers = {}): Promise<readonly [number, string, string]> {
      return failure(await server.ask('POST', GADGETS + query, body, headers));
    }

    it('may omit their type fields', async () => {
      const reply = await server.ask('POST', GADGETS, { metadata: { name: 'a' } });
      expect([reply.status, reply.body['kind'], reply.body['apiVersion']]).toEqual([201, 'Gadget', 'toys.test/v1']);
    });

    it('that are not objects of the kind are refused with the reason', async () => {
      const unrecognized = 'the object provided is unrecognized (must be of type Gadget): ';
      const noKind = "couldn't get version/kind; json parse error: ";
      expect(await refusal('{')).toEqual([
        400,
        'BadRequest',
        `${unrecognized}${noKind}unexpected end of JSON input ({)`,
      ]);
      expect((await refusal(''))[2]).toBe(`${unrecognized}${noKind}unexpected end of JSON input (<empty>)`);
      expect((await refusal('text'))[2]).toMatch(/ \(74657874\)$/);
      expect((await refusal('[]'))[2]).toMatch(
        /cannot unmarshal array into Go value of type struct \{ APIVersion .* \(5b5d\)$/,
      );
      expect((await refusal('{"kind":5}'))[2]).toBe(
        `${unrecognized}${noKind}json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})`,
      );
      expect((await refusal('{"apiVersion":"a/b/c"}'))[2]).toBe(
        `${unrecognized}unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"})`,
      );
      expect((await refusal('{"kind":"Gadget","apiVersion":"a/b/c"}'))[2]).toMatch(
        / \(\{"kind":"Gadget","apiVersion": \.\.\.\)$/,
      );
    });

    it('of another kind are refused', async () => {
      const handled = (kind: string, version: string): string =>
        `${kind} in version "${version}" cannot be handled as a Gadget: `;
      expect((await refusal('{"kind":"Foo"}'))[2]).toBe(
        `${handled('Foo', 'v1')}no kind "Foo" is registered for version "toys.test/v1" in scheme "pkg/runtime/scheme.go:111"`,
      );
      expect((await refusal('{"kind":"Widget","apiVersion":"toys.test/v1"}'))[2]).toBe(
        `${handled('Widget', 'v1')}converting (v1.Widget) to (toys.Gadget): unknown conversion`,
      );
      expect((await refusal('{"apiVersion":"toys.test/v1beta1"}'))[2]).toBe(
        'the API version in the data (toys.test/v1beta1) does not match the expected API version (toys.test/v1)',
      );
    });

    it('cause warnings for unknown and duplicate fields by default', async () => {
      const body = '{"metadata":{"name":"a"},"foo":1,"data":{"x":"1","x":"2"}}';
      const warned = await server.ask('POST', `${GADGETS}?dryRun=All`, body);
      expect(warned.status).toBe(201);
      expect(warned.body['data']).toEqual({ x: '2' });
      expect(warned.body).not.toHaveProperty('foo');
      expect(warned.warnings).toEqual(['299 - "unknown field \\"foo\\""', '299 - "duplicate field \\"data.x\\""']);
      expect((await server.ask('POST', `${GADGETS}?dryRun=All&fieldValidation=Ignore`, body)).warnings).toEqual([]);
      expect(await refusal(body, '?fieldValidation=Strict')).toEqual([
        400,
        'BadRequest',
        'Gadget in version "v1" cannot be handled as a Gadget: strict decoding error: unknown field "foo", duplicate field "data.x"',
      ]);
    });

    it('with values of a wrong type are refused at every level of field validation', async () => {
      for (const mode of ['Ignore', 'Warn', 'Strict'])
        expect((await refusal('{"foo":1,"data":{"x":5}}', `?fieldValidation=${mode}`))[2]).toBe(
          'Gadget in version "v1" cannot be handled as a Gadget: json: cannot unmarshal number into Go struct field Gadget.data of type string',
        );
    });

    it('may be YAML, with line numbers for duplicates', async () => {
      const yaml = { 'content-type': 'application/yaml' };
      const reply = await server.ask('POST', GADGETS, 'metadata:\n  name: yam\n  name: yam\nfoo: 1\n', yaml);
      expect(reply.status).toBe(201);
      expect(reply.warnings).toEqual([
        '299 - "line 3: key \\"name\\" already set in map"',
        '299 - "unknown field \\"foo\\""',
      ]);
      expect((await refusal('a: [', '', yaml))[2]).toMatch(/^the object provided is unrecognized.*yaml: line/);
    });

    it('of other content types are refused', async () => {
      expect(await refusal('{}', '', { 'content-type': 'text/plain' })).toEqual([
        415,
        'UnsupportedMediaType',
        'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
      ]);
    });

    it('beyond the limit are refused', async () => {
      const small = await createTestServer({ server: { limits: { bodyBytes: 10 } } });
      const reply = await small.ask('POST', GADGETS, '{"metadata":{}}');
      expect(failure(reply)).toEqual([413, 'RequestEntityTooLarge', 'Request entity too large: limit is 10']);
      await small.stop();
    });

    it('that are null count as empty', async () => {
      expect((await refusal('null'))[2]).toBe(
        'Gadget.toys.test "" is invalid: metadata.name: Required value: name or generateName is required',
      );
    });
  });

  describe('create', () => {
    it('fills in the namespace of the path and refuses another one', async () => {
      const reply = await server.ask('POST', GADGETS, { metadata: { name: 'a' } });
      expect(metadataOf(reply.body)['namespace']).toBe('ns');
      expect(failure(await server.ask('POST', GADGETS, { metadata: { name: 'b', namespace: 'other' } }))).toEqual([
        400,
        'BadRequest',
        'the namespace of the provided object does not match the namespace sent on the request',
      ]);
      const yard = await server.ask('POST', '/api/v1/yards', { metadata: { name: 'y', namespace: 'other' } });
      expect(metadataOf(yard.body)).not.toHaveProperty('namespace');
    });

    it('ignores the system fields of the body', async () => {
      const reply = await server.ask('POST', GADGETS, {
        metadata: {
          name: 'a',
          uid: 'mine',
          creationTimestamp: '2000-01-01T00:00:00Z',
          deletionTimestamp: '2000-01-01T00:00:00Z',
        },
      });
      expect(metadataOf(reply.body)).toMatchObject({ uid: 'uid-1', creationTimestamp: '2030-01-01T00:00:00Z' });
      expect(metadataOf(reply.body)).not.toHaveProperty('deletionTimestamp');
    });

    it('generates names', async () => {
      const reply = await server.ask('POST', GADGETS, { metadata: { generateName: 'g-' } });
      expect(metadataOf(reply.body)['name']).toMatch(/^g-[a-z0-9]{5}$/);
    });

    it('stores nothing in a dry run', async () => {
      expect((await server.ask('POST', `${GADGETS}?dryRun=All`, { metadata: { name: 'a' } })).status).toBe(201);
      expect((await server.ask('GET', `${GADGETS}/a`)).status).toBe(404);
      const [code, , message] = failure(
        await server.ask('POST', `${GADGETS}?dryRun=Some`, { metadata: { name: 'a' } }),
      );
      expect([code, message]).toEqual([
        422,
        'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
      ]);
    });

    it('removes repeated owner references with a warning', async () => {
      const owner = { apiVersion: 'v1', kind: 'X', name: 'n', uid: 'u' };
      const reply = await server.ask('POST', GADGETS, {
        metadata: { name: 'a', ownerReferences: [owner, { ...owner }] },
      });
      expect(metadataOf(reply.body)['ownerReferences']).toEqual([owner]);
      expect(reply.warnings[0]).toMatch(/ownerReferences contains duplicate entries; .*observed: u"$/);
    });

    it('of a subresource uses the name of its parent and its own kind', async () => {
      const reply = await server.ask('POST', `${GADGETS}/a/stamp`, {});
      expect([reply.status, reply.body['kind'], reply.body['color']]).toEqual([201, 'Stamp', 'for a']);
      expect(
        failure(await server.ask('POST', `${GADGETS}/a/stamp`, { kind: 'Gadget', apiVersion: 'toys.test/v1' }))[0],
      ).toBe(400);
    });

    it('answers in the negotiated form', async () => {
      const table = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
      const reply = await server.ask('POST', GADGETS, { metadata: { name: 'a' } }, table);
      expect([reply.status, reply.body['kind']]).toEqual([201, 'Table']);
    });
  });

  describe('update', () => {
    beforeEach(async () => {
      await server.ask('POST', GADGETS, { metadata: { name: 'a' }, data: { x: '1' } });
    });

    it('replaces the object', async () => {
      const reply = await server.ask('PUT', `${GADGETS}/a`, { metadata: { name: 'a' }, data: { y: '2' } });
      expect([reply.status, reply.body['data']]).toEqual([200, { y: '2' }]);
    });

    it('requires the name of the path', async () => {
      const put = async (body: JsonObject): Promise<readonly [number, string, string]> =>
        failure(await server.ask('PUT', `${GADGETS}/a`, body));
      expect(await put({ metadata: { name: 'b' } })).toEqual([
        400,
        'BadRequest',
        'the name of the object (b) does not match the name on the URL (a)',
      ]);
      expect((await put({}))[2]).toBe(
        'the name of the object (a based on URL) was undeterminable: name must be provided',
      );
      expect((await put({ metadata: { name: 'a', namespace: 'x' } }))[0]).toBe(400);
    });

    it('requires the uid and the resourceVersion of the body', async () => {
      expect(failure(await server.ask('PUT', `${GADGETS}/a`, { metadata: { name: 'a', uid: 'z' } }))[0]).toBe(409);
      expect(
        failure(await server.ask('PUT', `${GADGETS}/a`, { metadata: { name: 'a', resourceVersion: '1' } }))[0],
      ).toBe(409);
      const { body } = await server.ask('GET', `${GADGETS}/a`);
      expect((await server.ask('PUT', `${GADGETS}/a`, body)).status).toBe(200);
    });

    it('of a missing object is a 404', async () => {
      expect(failure(await server.ask('PUT', `${GADGETS}/z`, { metadata: { name: 'z' } }))[0]).toBe(404);
    });

    it('of a subresource changes only its part of the object', async () => {
      const reply = await server.ask('PUT', `${GADGETS}/a/status`, {
        metadata: { name: 'a' },
        data: {},
        status: { phase: 'Up' },
      });
      expect(reply.body).toMatchObject({ data: { x: '1' }, status: { phase: 'Up' } });
    });
  });

  describe('delete', () => {
    beforeEach(async () => {
      await server.ask('POST', GADGETS, { metadata: { name: 'a' } });
      await server.ask('POST', GADGETS, { metadata: { name: 'held', finalizers: ['x.test/y'] } });
    });

    it('reads its options from the body, or from the query without a body', async () => {
      expect((await server.ask('DELETE', `${GADGETS}/a?dryRun=All`)).status).toBe(200);
      const options = { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] };
      expect((await server.ask('DELETE', `${GADGETS}/a`, options)).status).toBe(200);
      const yaml = { 'content-type': 'application/yaml' };
      expect((await server.ask('DELETE', `${GADGETS}/a`, 'dryRun: [All]', yaml)).status).toBe(200);
      expect((await server.ask('GET', `${GADGETS}/a`)).status).toBe(200);
      expect(failure(await server.ask('DELETE', `${GADGETS}/a?dryRun=All`, '{"preconditions":{"uid":"z"}}'))[0]).toBe(
        409,
      );
    });

    it('refuses malformed and invalid options', async () => {
      const remove = async (body: string, headers = {}): Promise<readonly [number, string]> => {
        const [code, , message] = failure(await server.ask('DELETE', `${GADGETS}/a`, body, headers));
        return [code, message];
      };
      expect(await remove('{')).toEqual([
        400,
        "couldn't get version/kind; json parse error: unexpected end of JSON input",
      ]);
      expect((await remove('{"kind":"Foo"}'))[0]).toBe(400);
      expect((await remove('{"propagationPolicy":"x"}'))[0]).toBe(422);
      expect((await remove('{}', { 'content-type': 'text/plain' }))[0]).toBe(415);
    });

    it('answers with the object while finalizers keep it, and with 202 only for orphanDependents=false', async () => {
      const held = await server.ask('DELETE', `${GADGETS}/held`);
      expect(held.status).toBe(200);
      expect(metadataOf(held.body)).toHaveProperty('deletionTimestamp');
      expect((await server.ask('DELETE', `${GADGETS}/held?orphanDependents=false`)).status).toBe(202);
      expect((await server.ask('DELETE', `${GADGETS}/held?propagationPolicy=Background`)).status).toBe(200);
    });

    it('never sends a Status as a table', async () => {
      const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1';
      expect((await server.ask('DELETE', `${GADGETS}/a`, undefined, { accept })).body['kind']).toBe('Status');
    });

    it('of a collection lists the deleted objects', async () => {
      const reply = await server.ask('DELETE', `${GADGETS}?fieldSelector=metadata.name=a`);
      expect([reply.status, reply.body['kind']]).toEqual([200, 'GadgetList']);
      expect(reply.body).toMatchObject({ items: [{ metadata: { name: 'a' } }] });
      expect((await server.ask('GET', `${GADGETS}/a`)).status).toBe(404);
      expect((await server.ask('GET', `${GADGETS}/held`)).status).toBe(200);
      expect(failure(await server.ask('DELETE', `${GADGETS}?fieldSelector=x=y`))[0]).toBe(400);
    });
  });

  describe('connect', () => {
    it('passes on the rest of the path, for every method of the subresource', async () => {
      expect((await server.ask('GET', `${GADGETS}/a/echo`)).text).toBe('GET a ');
      expect((await server.ask('POST', `${GADGETS}/a/echo/x/y/`, '')).text).toBe('POST a x/y/');
      expect((await server.ask('HEAD', `${GADGETS}/a/echo`)).status).toBe(200);
      expect((await server.ask('DELETE', `${GADGETS}/a/echo`)).status).toBe(405);
      expect(failure(await server.ask('GET', `${GADGETS}/a/echo?dryRun=All`))[2]).toBe('dryRun is not supported');
    });
  });
});

describe('admission', () => {
  const seen: AdmissionAttributes[] = [];

  /** Marks objects on their way in, and refuses those that are marked `no`. */
  const admission: Admission = {
    handles: (operation) => operation !== 'CONNECT',
    admit: (attributes) => {
      if (attributes.object !== undefined) attributes.object['color'] = `${attributes.operation} ${attributes.name}`;
    },
    validate: (attributes) => {
      seen.push(attributes);
      attributes.warn(`${attributes.operation} was seen`);
    },
  };

  it('shares one record between both halves, with state, namespace, deadline and conversion', async () => {
    const key = {};
    const notes: unknown[] = [];
    let reads = 0;
    const sharing: Admission = {
      handles: () => true,
      admit: async (attributes) => {
        attributes.state(key, () => ['kept']).push(attributes.operation);
        notes.push(await attributes.namespaceObject());
      },
      validate: async (attributes) => {
        notes.push(
          attributes.state(key, () => ['made anew']),
          await attributes.namespaceObject(),
        );
        const [from] = attributes.versions;
        const object = attributes.object ?? {};
        if (from === undefined) throw new Error('a resource without versions');
        expect(await attributes.convert(object, from, from)).toEqual(object);
        expect(await attributes.convert(object, from, from)).not.toBe(object);
        expect(attributes.deadline).toBeGreaterThan(0);
      },
    };
    const namespaces = (name: string): JsonObject => {
      reads++;
      return { metadata: { name } };
    };
    const server = await createTestServer({ admission: sharing, server: { namespaces } });
    await server.ask('POST', GADGETS, { metadata: { name: 'a' } });
    const ns = { metadata: { name: 'ns' } };
    expect(notes).toEqual([ns, ['kept', 'CREATE'], ns]);
    expect(reads).toBe(1);
    await server.ask('PUT', `${GADGETS}/a`, { metadata: { name: 'a' } });
    expect(notes.slice(3)).toEqual([ns, ['kept', 'UPDATE'], ns]);
  });

  it('changes objects before they are stored, and validates the stored object', async () => {
    seen.length = 0;
    const server = await createTestServer({ admission });
    const made = await server.ask('POST', `${GADGETS}?fieldManager=me`, { metadata: { name: 'a' } });
    expect(made.body['color']).toBe('CREATE a');
    expect(made.warnings).toEqual(['299 - "CREATE was seen"']);
    expect(seen[0]).toMatchObject({
      operation: 'CREATE',
      kind: { group: 'toys.test', version: 'v1', kind: 'Gadget' },
      resource: { resource: 'gadgets' },
      subresource: '',
      name: 'a',
      namespace: 'ns',
      user: { name: 'ann' },
      dryRun: false,
      oldObject: undefined,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me' },
      object: { color: 'CREATE a' },
    });
    expect((await server.ask('PUT', `${GADGETS}/a`, { metadata: { name: 'a' } })).body['color']).toBe('UPDATE a');
    expect(seen[1]).toMatchObject({
      operation: 'UPDATE',
      options: { kind: 'UpdateOptions' },
      oldObject: { color: 'CREATE a' },
      object: { color: 'UPDATE a' },
    });
    const merge = { 'content-type': 'application/merge-patch+json' };
    await server.ask('PATCH', `${GADGETS}/a?dryRun=All`, { data: { x: '1' } }, merge);
    expect(seen[2]).toMatchObject({ operation: 'UPDATE', dryRun: true, oldObject: { color: 'UPDATE a' } });
    expect(seen[2]?.oldObject).not.toHaveProperty('data');
    await server.ask('DELETE', `${GADGETS}/a?propagationPolicy=Orphan`);
    expect(seen[3]).toMatchObject({
      operation: 'DELETE',
      object: undefined,
      oldObject: { metadata: { name: 'a' } },
      options: { kind: 'DeleteOptions', propagationPolicy: 'Orphan' },
    });
    await server.ask('POST', '/api/v1/namespaces', { metadata: { name: 'sp' } });
    expect(seen[4]).toMatchObject({ name: 'sp', namespace: 'sp' });
    expect((await server.ask('GET', `${GADGETS}/z/echo`)).status).toBe(200);
    expect(seen).toHaveLength(5);
    await server.stop();
  });

  it('authorizes the create when an update creates an object', async () => {
    const asked: RequestAttributes[] = [];
    let allowed = false;
    const authorizer = {
      authorize: (attributes: RequestAttributes) => {
        asked.push(attributes);
        return { decision: allowed ? ('allow' as const) : ('no-opinion' as const), reason: '', error: '' };
      },
    };
    const server = await createTestServer({
      authorizer,
      resources: [gadgets({ strategy: { ...strategy, allowCreateOnUpdate: true } })],
    });
    const put = () => server.ask('PUT', `${GADGETS}/n`, { metadata: { name: 'n' } });
    expect(failure(await put())).toEqual([
      403,
      'Forbidden',
      'gadgets.toys.test "n" is forbidden: User "ann" cannot create resource "gadgets" in API group "toys.test" in the namespace "ns"',
    ]);
    allowed = true;
    expect((await put()).status).toBe(201);
    expect((await put()).status).toBe(200);
    expect(asked.map(({ verb, name }) => `${verb} ${name}`)).toEqual(['create n', 'create n']);
    await server.stop();
  });
});
