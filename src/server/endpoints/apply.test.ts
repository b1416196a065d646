import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { type Admission, type AdmissionAttributes, NO_ADMISSION } from '../admission.ts';
import type { Authorizer } from '../authorizer.ts';
import { createTestServer, failure, GADGETS, type Reply, type TestServer } from './endpoints.fixtures.ts';

const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const A = `${GADGETS}/a`;
const NOW = '2030-01-01T00:00:00Z';

let server: TestServer;
afterEach(() => server.stop());

function config(fields: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'toys.test/v1', kind: 'Gadget', metadata: { name: 'a', ...metadata }, ...fields };
}

function apply(query: string, body: JsonValue | string, path = A): Promise<Reply> {
  return server.ask('PATCH', `${path}?${query}`, body, APPLY);
}

function metadataOf({ body }: Reply): JsonObject {
  return body['metadata'] as JsonObject;
}

function entry(manager: string, operation: string, fieldsV1: JsonObject): JsonObject {
  return { manager, operation, apiVersion: 'toys.test/v1', time: NOW, fieldsType: 'FieldsV1', fieldsV1 };
}

describe('apply', () => {
  it('creates a missing object and owns exactly the fields of the configuration', async () => {
    server = await createTestServer();
    const made = await apply('fieldManager=one', config({ data: { x: '1' }, size: 3 }));
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ data: { x: '1' }, size: 3, color: 'grey', metadata: { namespace: 'ns' } });
    expect(metadataOf(made)['managedFields']).toEqual([
      entry('one', 'Apply', { 'f:data': { 'f:x': {} }, 'f:size': {} }),
    ]);
    expect((await server.ask('GET', A)).body).toEqual(made.body);
  });

  it('asks for the permission to create before it creates, and not for other applies', async () => {
    const asked: string[] = [];
    let decision: 'allow' | 'no-opinion' = 'no-opinion';
    const authorizer: Authorizer = {
      authorize: ({ verb }) => {
        asked.push(verb);
        return { decision, reason: 'says the test', error: '' };
      },
      rulesFor: () => {
        throw new Error('no rules are asked for');
      },
    };
    server = await createTestServer({ authorizer });
    const [code, reason, message] = failure(await apply('fieldManager=one', config()));
    expect([code, reason]).toEqual([403, 'Forbidden']);
    expect(message).toContain('User "ann" cannot create resource "gadgets" in API group "toys.test"');
    expect((await server.ask('GET', A)).status).toBe(404);
    decision = 'allow';
    expect((await apply('fieldManager=one', config({ size: 1 }))).status).toBe(201);
    expect(asked).toEqual(['create', 'create']);
    decision = 'no-opinion';
    expect((await apply('fieldManager=one', config({ size: 2 }))).status).toBe(200);
    expect(asked).toHaveLength(2);
  });

  it('refuses a change of fields of other managers with a cause for each of them, unless it is forced', async () => {
    server = await createTestServer();
    await apply('fieldManager=one', config({ data: { x: '1', y: '1' }, size: 1 }));
    await server.ask('PATCH', `${A}?fieldManager=two`, '{"color":"red"}', {
      'content-type': 'application/merge-patch+json',
    });
    const other = config({ data: { x: '2', y: '1' }, color: 'blue' });
    const refused = await apply('fieldManager=three', other);
    expect(failure(refused)).toEqual([
      409,
      'Conflict',
      'Apply failed with 2 conflicts: conflicts with "one":\n- .data.x\nconflicts with "two" using toys.test/v1:\n- .color',
    ]);
    expect(refused.body['details']).toEqual({
      causes: [
        { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.x' },
        {
          reason: 'FieldManagerConflict',
          message: 'conflict with "two" using toys.test/v1',
          field: '.color',
        },
      ],
    });
    expect((await server.ask('GET', A)).body).toMatchObject({ data: { x: '1', y: '1' }, color: 'red' });

    const forced = await apply('fieldManager=three&force=true', other);
    expect(forced.body).toMatchObject({ data: { x: '2', y: '1' }, color: 'blue', size: 1 });
    expect(metadataOf(forced)['managedFields']).toEqual([
      entry('one', 'Apply', { 'f:data': { 'f:y': {} }, 'f:size': {} }),
      entry('three', 'Apply', { 'f:color': {}, 'f:data': { 'f:x': {}, 'f:y': {} } }),
    ]);
  });

  it('removes a field that its only owner no longer applies, and keeps one with another owner', async () => {
    server = await createTestServer();
    await apply('fieldManager=one', config({ data: { x: '1', y: '1' }, size: 1 }));
    await apply('fieldManager=two', config({ data: { y: '1' } }));
    const { body } = await apply('fieldManager=one', config({ size: 1 }));
    expect(body['data']).toEqual({ y: '1' });
  });

  it('stores nothing in a dry run, neither a create nor a change, and reports conflicts', async () => {
    server = await createTestServer();
    expect((await apply('fieldManager=one&dryRun=All', config({ size: 1 }))).status).toBe(201);
    expect((await server.ask('GET', A)).status).toBe(404);
    await apply('fieldManager=one', config({ size: 1 }));
    expect((await apply('fieldManager=one&dryRun=All', config({ size: 2 }))).body['size']).toBe(2);
    expect((await apply('fieldManager=two&dryRun=All', config({ size: 3 }))).status).toBe(409);
    expect((await server.ask('GET', A)).body['size']).toBe(1);
  });

  it('writes nothing if the object and its managers stay the same', async () => {
    server = await createTestServer();
    const first = metadataOf(await apply('fieldManager=one', config({ size: 1 })));
    server.clock.advance(60_000);
    const again = metadataOf(await apply('fieldManager=one', config({ size: 1 })));
    expect(again).toEqual(first);
    const put = await server.ask('PUT', `${A}?fieldManager=two`, config({ size: 1, color: 'grey' }));
    expect(metadataOf(put)['resourceVersion']).toBe(first['resourceVersion']);
  });

  it('applies to the status without touching the rest', async () => {
    server = await createTestServer();
    await apply('fieldManager=one', config({ size: 1 }));
    const { status, body } = await apply('fieldManager=loop', config({ status: { phase: 'Up' } }), `${A}/status`);
    expect([status, body['status'], body['size']]).toEqual([200, { phase: 'Up' }, 1]);
    expect((body['metadata'] as JsonObject)['managedFields']).toContainEqual({
      ...entry('loop', 'Apply', { 'f:status': { 'f:phase': {} } }),
      subresource: 'status',
    });
  });
});

describe('an apply is refused', () => {
  it.each<[what: string, query: string, body: JsonValue | string, code: number, message: string]>([
    ['without a manager', '', config(), 422, 'fieldManager: Required value: is required for apply patch'],
    ['with a long manager', `fieldManager=${'m'.repeat(129)}`, config(), 422, 'fieldManager: Too long'],
    [
      'with managedFields',
      'fieldManager=m',
      config({}, { managedFields: [] }),
      400,
      'metadata.managedFields must be nil',
    ],
    ['without a kind', 'fieldManager=m', { metadata: { name: 'a' } }, 400, 'invalid object type: /, Kind='],
    [
      'with another version',
      'fieldManager=m',
      { ...config(), apiVersion: 'v9' },
      400,
      'invalid object type: /v9, Kind=Gadget',
    ],
    [
      'with another kind',
      'fieldManager=m',
      { ...config(), kind: 'X' },
      400,
      'invalid object type: toys.test/v1, Kind=X',
    ],
    [
      'with another name',
      'fieldManager=m',
      config({}, { name: 'b' }),
      400,
      'the name of the object (b) does not match',
    ],
    [
      'with another namespace',
      'fieldManager=m',
      config({}, { namespace: 'x' }),
      400,
      'the namespace of the provided object does',
    ],
    [
      'that is no YAML',
      'fieldManager=m',
      'a: [',
      400,
      'error decoding YAML: error converting YAML to JSON: yaml: line 1',
    ],
    [
      'that is a list',
      'fieldManager=m',
      '[]',
      400,
      'json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    ['that is empty', 'fieldManager=m', '', 400, 'invalid object type'],
    [
      'that names a uid of nothing',
      'fieldManager=m',
      config({}, { uid: 'u' }),
      409,
      'uid mismatch: the provided object specified uid u',
    ],
  ])('%s', async (_what, query, body, code, message) => {
    server = await createTestServer();
    const [got, , text] = failure(await apply(query, body));
    expect([got, text]).toEqual([code, expect.stringContaining(message)]);
    expect((await server.ask('GET', A)).status).toBe(404);
  });

  it('with a resourceVersion that is not the stored one', async () => {
    server = await createTestServer();
    await apply('fieldManager=m', config({ size: 1 }));
    const stale = await apply('fieldManager=m', config({ size: 2 }, { resourceVersion: '1' }));
    expect(failure(stale).slice(0, 2)).toEqual([409, 'Conflict']);
    expect(failure(stale)[2]).toContain('the object has been modified');
  });

  it('in a media type that is not one of apply', async () => {
    server = await createTestServer();
    for (const type of ['application/apply-patch+json', 'application/yaml', 'text/plain'])
      expect((await server.ask('PATCH', `${A}?fieldManager=m`, config(), { 'content-type': type })).status).toBe(415);
  });

  it('for a repeated YAML key only if validation is strict, and otherwise warns', async () => {
    server = await createTestServer();
    const twice = 'apiVersion: toys.test/v1\nkind: Gadget\nmetadata: {name: a}\nsize: 1\nsize: 2\n';
    const strict = await apply('fieldManager=m&fieldValidation=Strict', twice);
    expect(failure(strict)[0]).toBe(400);
    expect(failure(strict)[2]).toContain('key "size" already set in map');
    const warned = await apply('fieldManager=m', twice);
    expect([warned.status, warned.body['size']]).toEqual([201, 2]);
    expect(warned.warnings.join()).toContain('already set in map');
    expect((await apply('fieldManager=m&fieldValidation=Ignore', twice)).warnings).toEqual([]);
  });
});

describe('managedFields that admission changes', () => {
  function changing(change: (metadata: JsonObject) => void): Admission {
    return {
      ...NO_ADMISSION,
      handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
      admit: ({ object }: AdmissionAttributes) => change(object?.['metadata'] as JsonObject),
    };
  }
  const own = entry('one', 'Apply', { 'f:size': {} });

  it.each<[what: string, entries: JsonValue, problem: string]>([
    ['an unknown operation', [{ ...own, operation: 'Guess' }], 'operation must be `Apply` or `Update`'],
    ['no version', [{ ...own, apiVersion: '' }], 'apiVersion must not be empty'],
    ['no type of fields', [{ ...own, fieldsType: '' }], 'missing fieldsType in managed fields entry 0'],
    ['fields that are not a set', [{ ...own, fieldsV1: { 'k:[': {} } }], 'error decoding versioned set of manager'],
  ])('to entries with %s are undone with a warning, for apply, create and update', async (_what, entries, problem) => {
    let isBroken = true;
    server = await createTestServer({
      admission: changing((metadata) => {
        if (isBroken) metadata['managedFields'] = structuredClone(entries);
      }),
    });
    const made = await apply('fieldManager=one', config({ size: 1 }));
    expect(made.status).toBe(201);
    expect(metadataOf(made)['managedFields']).toEqual([own]);
    const warning =
      '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ';
    expect(made.warnings.join()).toContain(warning);
    expect(made.warnings.join()).toContain(problem);

    const patched = await server.ask('PATCH', `${A}?fieldManager=two`, '{"color":"red"}', {
      'content-type': 'application/merge-patch+json',
    });
    expect(metadataOf(patched)['managedFields']).toEqual([own, entry('two', 'Update', { 'f:color': {} })]);
    expect(patched.warnings.join()).toContain(problem);
    const created = await server.ask('POST', `${GADGETS}?fieldManager=two`, { metadata: { name: 'b' }, size: 2 });
    expect(metadataOf(created)['managedFields']).toEqual([entry('two', 'Update', { 'f:color': {}, 'f:size': {} })]);
    expect(created.warnings.join()).toContain(problem);
    isBroken = false;
    expect((await apply('fieldManager=one', config({ size: 3 }))).warnings).toEqual([]);
  });

  it('are kept if they can be read', async () => {
    const entries = [entry('webhook', 'Update', { 'f:size': {} })];
    server = await createTestServer({
      admission: changing((metadata) => {
        metadata['managedFields'] = structuredClone(entries);
      }),
    });
    const made = await apply('fieldManager=one', config({ size: 1 }));
    expect([made.status, made.warnings, metadataOf(made)['managedFields']]).toEqual([201, [], entries]);
  });
});
