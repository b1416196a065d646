import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fieldAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { badRequest, forbidden } from '../../../apimachinery/status/status-catalogue.ts';
import { invalid } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { RequestAttributes } from '../../authorizer.ts';
import { defineResource } from '../define-resource.ts';
import { action } from './action.ts';
import { causesOf, events, serve } from './kit.fixtures.ts';
import { listMap, listSet, rule } from './schema-helpers.ts';

const NAMES = { group: 'bank.example.com', version: 'v1', kind: 'Account' } as const;
const ACCOUNTS = '/apis/bank.example.com/v1/namespaces/default/accounts';
const X = `${ACCOUNTS}/x`;
const MERGE = { 'content-type': 'application/merge-patch+json' };

const Card = z.object({ name: z.string(), limit: z.int().default(100) });
const Transfer = z.object({ to: z.string(), amount: z.int().positive() });

const Account = defineResource({
  ...NAMES,
  description: 'Money of somebody.',
  spec: z
    .object({
      owner: z.string().min(1).describe('The name of the owner.'),
      cards: z.array(Card).default([]).meta(listMap('name')),
      tags: z.array(z.string()).default([]).meta(listSet()),
      email: z
        .string()
        .optional()
        .refine((text) => text !== 'a@b', { error: 'is not a real address' }),
    })
    .refine(({ owner, tags }) => !tags.includes(owner), { path: ['tags', 0], error: 'the owner is not a tag' })
    .meta(rule('self.owner == oldSelf.owner', 'an account keeps its owner')),
  status: z.object({ balance: z.int() }),
  selectableFields: ['spec.owner'],
  columns: {
    Owner: ({ spec }) => spec.owner,
    Balance: { value: (account) => account.status?.balance ?? 0, type: 'integer' },
    Cards: { value: ({ spec }) => spec.cards.length, type: 'integer', wide: true, description: 'How many cards.' },
  },
  default: (account) => {
    account.metadata.labels ??= { bank: 'example' };
  },
  mutate: (account, old, { user, dryRun }) => {
    account.metadata.annotations = {
      ...account.metadata.annotations,
      by: `${user.name} ${old === undefined} ${dryRun}`,
    };
  },
  validate: ({ spec }, old, { verb }) =>
    old !== undefined && spec.cards.length < old.spec.cards.length
      ? [invalid(FieldPath.of('spec', 'cards'), null, `cards are never dropped by ${verb}`)]
      : [],
  warnings: ({ spec }) => (spec.cards.length > 1 ? ['many cards'] : []),
  beforeDelete: (account) => {
    if ((account.status?.balance ?? 0) > 0)
      throw new StatusError(forbidden({ group: NAMES.group, resource: 'accounts' }, 'x', 'there is money left'));
    return account.spec.owner === 'root' ? [invalid(FieldPath.of('spec', 'owner'), 'root', 'stays')] : undefined;
  },
  actions: {
    transfer: {
      body: Transfer,
      result: z.object({ balance: z.int(), to: z.string() }),
      description: 'pay another account',
      run: async (account, { to, amount }, context) => {
        if (to === account.metadata.name) throw new StatusError(badRequest('not to itself'));
        const after = await context.update((draft) => {
          draft.status = { balance: (draft.status?.balance ?? 0) - amount };
        });
        return { balance: after.status?.balance ?? 0, to };
      },
    },
    lock: action({ type: 'object' }, () => undefined),
  },
});

const account = (spec: object = {}, name = 'x'): object => ({
  apiVersion: 'bank.example.com/v1',
  kind: 'Account',
  metadata: { name },
  spec: { owner: 'ada', ...spec },
});

describe('a resource declared with Zod', () => {
  it('has defaults of the schema and of its hook, and what mutate sets', async () => {
    const { send, stop } = await serve([Account]);
    const { status, body } = await send('POST', ACCOUNTS, account({ cards: [{ name: 'gold' }], extra: 1 }));
    expect(status).toBe(201);
    expect(body).toMatchObject({
      metadata: { labels: { bank: 'example' }, annotations: { by: 'system:admin true false' }, generation: 1 },
      spec: { owner: 'ada', cards: [{ name: 'gold', limit: 100 }], tags: [] },
    });
    expect(body['spec']).not.toHaveProperty('extra');
    const dry = await send('PATCH', `${X}?dryRun=All`, { spec: { tags: ['a'] } }, MERGE);
    expect(textAt(dry.body, 'metadata', 'annotations', 'by')).toBe('system:admin false true');
    await stop();
  });

  it.each<[string, object, readonly string[]]>([
    [
      'types',
      { owner: 1 },
      ['spec.owner: Invalid value: "integer": spec.owner in body must be of type string: "integer"'],
    ],
    ['limits', { owner: '' }, ['spec.owner: Invalid value: "": spec.owner in body should be at least 1 chars long']],
    ['required fields', { owner: undefined }, ['spec.owner: Required value']],
    ['list types', { cards: [{ name: 'a' }, { name: 'a' }] }, ['spec.cards[1]: Duplicate value: {"name":"a"}']],
    ['refinements of a field', { email: 'a@b' }, ['spec.email: Invalid value: "a@b": is not a real address']],
    ['refinements of an object', { tags: ['ada'] }, ['spec.tags[0]: Invalid value: "ada": the owner is not a tag']],
  ])('refuses by %s, with field paths', async (_, spec, expected) => {
    const { send, stop } = await serve([Account]);
    const reply = await send('POST', ACCOUNTS, account(spec));
    expect(reply.status).toBe(422);
    expect(causesOf(reply).filter((cause) => !cause.startsWith('<nil>'))).toEqual(expected);
    await stop();
  });

  it('refuses updates by CEL and by its hook', async () => {
    const { send, stop } = await serve([Account]);
    await send('POST', ACCOUNTS, account({ cards: [{ name: 'gold' }, { name: 'tin' }] }));
    expect(causesOf(await send('PATCH', X, { spec: { owner: 'bob' } }, MERGE))).toEqual([
      'spec: Invalid value: an account keeps its owner',
    ]);
    expect(causesOf(await send('PATCH', X, { spec: { cards: [] } }, MERGE))).toEqual([
      'spec.cards: Invalid value: null: cards are never dropped by patch',
    ]);
    await stop();
  });

  it('does not run the refinements of a part that has not changed', async () => {
    let strict = false;
    const resource = defineResource({
      ...NAMES,
      spec: z.object({ a: z.string() }).refine(() => !strict, { error: 'too late' }),
      status: z.object({ b: z.int() }),
    });
    const { send, stop } = await serve([resource]);
    await send('POST', ACCOUNTS, { ...account(), spec: { a: 'b' } });
    strict = true;
    expect((await send('PATCH', X, { metadata: { labels: { a: 'b' } } }, MERGE)).status).toBe(200);
    expect(causesOf(await send('PATCH', X, { spec: { a: 'c' } }, MERGE))).toEqual([
      'spec: Invalid value: {"a":"c"}: too late',
    ]);
    await stop();
  });

  it('waits for asynchronous refinements and validation', async () => {
    const resource = defineResource({
      ...NAMES,
      spec: z.object({ a: z.string().refine(async (text) => text !== 'bad', { error: 'asked' }) }),
      validate: async ({ spec }) => (spec.a === 'worse' ? [invalid(FieldPath.of('spec', 'a'), spec.a, 'seen')] : []),
    });
    const { send, stop } = await serve([resource]);
    const causes = async (a: string): Promise<readonly string[]> =>
      causesOf(await send('POST', ACCOUNTS, { ...account({}, a), spec: { a } }));
    expect(await causes('bad')).toEqual(['spec.a: Invalid value: "bad": asked']);
    expect(await causes('worse')).toEqual(['spec.a: Invalid value: "worse": seen']);
    expect(await causes('good')).toEqual([]);
    await stop();
  });

  it('warns, and checks deletes', async () => {
    const { send, stop } = await serve([Account]);
    const { headers } = await send('POST', ACCOUNTS, account({ cards: [{ name: 'a' }, { name: 'b' }] }));
    expect(headers['warning']).toContain('299 - "many cards"');
    await send('PATCH', `${X}/status`, { status: { balance: 5 } }, MERGE);
    expect((await send('DELETE', X)).body).toMatchObject({ code: 403, message: expect.stringContaining('money left') });
    await send('POST', ACCOUNTS, account({ owner: 'root' }, 'y'));
    expect(causesOf(await send('DELETE', `${ACCOUNTS}/y`))).toEqual(['spec.owner: Invalid value: "root": stays']);
    expect((await send('DELETE', ACCOUNTS)).status).toBe(403);
    await send('PATCH', `${X}/status`, { status: { balance: 0 } }, MERGE);
    expect((await send('DELETE', X)).status).toBe(200);
    await stop();
  });

  it('has columns that are functions', async () => {
    const { send, stop } = await serve([Account]);
    await send('POST', ACCOUNTS, account({ cards: [{ name: 'a' }] }));
    const { body } = await send('GET', ACCOUNTS, undefined, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    expect(
      objectsAt(body, 'columnDefinitions').map(({ name, type, priority }) => `${name} ${type} ${priority}`),
    ).toEqual(['Name string 0', 'Owner string 0', 'Balance integer 0', 'Cards integer 1']);
    expect(objectsAt(body, 'rows')[0]).toMatchObject({ cells: ['x', 'ada', 0, 1] });
    await stop();
  });

  it('is selected by its selectable fields', async () => {
    const { send, stop } = await serve([Account]);
    await send('POST', ACCOUNTS, account());
    await send('POST', ACCOUNTS, account({ owner: 'bob' }, 'y'));
    const { body } = await send('GET', `${ACCOUNTS}?fieldSelector=spec.owner%3Dbob`);
    expect(objectsAt(body, 'items').map((item) => textAt(item, 'metadata', 'name'))).toEqual(['y']);
    expect((await send('GET', `${ACCOUNTS}?fieldSelector=spec.email%3Dx`)).status).toBe(400);
    await stop();
  });

  it('merges lists by their list types: strategic merge and server-side apply', async () => {
    const { send, stop } = await serve([Account]);
    await send('POST', ACCOUNTS, account({ cards: [{ name: 'gold', limit: 5 }], tags: ['a'] }));
    const patched = await send(
      'PATCH',
      X,
      {
        spec: {
          cards: [
            { name: 'tin', limit: 1 },
            { name: 'gold', limit: 9 },
          ],
          tags: ['b'],
        },
      },
      { 'content-type': 'application/strategic-merge-patch+json' },
    );
    expect(patched.status).toBe(200);
    expect(fieldAt(patched.body, 'spec', 'cards')).toEqual([
      { name: 'tin', limit: 1 },
      { name: 'gold', limit: 9 },
    ]);
    expect(fieldAt(patched.body, 'spec', 'tags')).toEqual(['b', 'a']);
    const applied = await send('PATCH', `${X}?fieldManager=me`, account({ cards: [{ name: 'iron' }] }), {
      'content-type': 'application/apply-patch+yaml',
    });
    expect(applied.status).toBe(200);
    expect(fieldAt(applied.body, 'spec', 'cards')).toHaveLength(3);
    await stop();
  });

  it('refuses strategic merge if a list does not say how it is merged', async () => {
    const plain = defineResource({ ...NAMES, spec: z.object({ list: z.array(z.string()).default([]) }) });
    const { send, stop } = await serve([plain]);
    await send('POST', ACCOUNTS, { ...account(), spec: {} });
    const reply = await send('PATCH', X, {}, { 'content-type': 'application/strategic-merge-patch+json' });
    expect(reply.status).toBe(415);
    await stop();
  });

  it('can be declared with plain JSON Schema', async () => {
    const plain = defineResource<{ spec: { size: number } }>({
      ...NAMES,
      spec: { type: 'object', required: ['size'], properties: { size: { type: 'integer' } }, ...rule('self.size > 0') },
      status: { type: 'object', properties: { ready: { type: 'boolean' } } },
      validate: ({ spec }) => (spec.size === 13 ? [invalid(FieldPath.of('spec', 'size'), 13, 'bad luck')] : []),
    });
    const { send, stop } = await serve([plain]);
    const create = async (size: number): Promise<number> =>
      (await send('POST', ACCOUNTS, { ...account(), spec: { size } })).status;
    expect([await create(0), await create(13), await create(1)]).toEqual([422, 422, 201]);
    await stop();
  });
});

describe('an action', () => {
  it('runs with a typed body, changes spec and status, and answers with its result', async () => {
    const { send, stop } = await serve([Account]);
    await send('POST', ACCOUNTS, account());
    const reply = await send('POST', `${X}/transfer`, { to: 'y', amount: 5 });
    expect(reply).toMatchObject({
      status: 201,
      body: { kind: 'AccountTransferResult', apiVersion: 'bank.example.com/v1', balance: -5, to: 'y' },
    });
    const { body } = await send('GET', X);
    expect(body).toMatchObject({ status: { balance: -5 }, metadata: { generation: 1 } });
    expect(objectsAt(body, 'metadata', 'managedFields').map((entry) => textAt(entry, 'manager'))).toContain(
      'account-transfer',
    );
    expect((await send('POST', `${X}/lock`, {})).body).toMatchObject({ kind: 'Status', status: 'Success' });
    await stop();
  });

  it('stores nothing in a dry run', async () => {
    const { send, stop } = await serve([Account]);
    await send('POST', ACCOUNTS, account());
    expect((await send('POST', `${X}/transfer?dryRun=All`, { to: 'y', amount: 5 })).body).toMatchObject({
      balance: -5,
    });
    expect((await send('GET', X)).body['status']).toBeUndefined();
    await stop();
  });

  it.each<[string, string, object, number, string]>([
    ['a body of a wrong type', 'x', { to: 1, amount: 1 }, 422, 'to: Invalid value'],
    ['a body that the schema refuses', 'x', { to: 'y', amount: 0 }, 422, 'amount'],
    ['a body of another kind', 'x', { kind: 'Pod', apiVersion: 'v1', to: 'y', amount: 1 }, 400, 'Pod'],
    ['an object that does not exist', 'z', { to: 'y', amount: 1 }, 404, 'not found'],
    ['a body that the handler refuses', 'x', { to: 'x', amount: 1 }, 400, 'not to itself'],
  ])('refuses %s', async (_, name, sent, code, text) => {
    const { send, stop } = await serve([Account]);
    await send('POST', ACCOUNTS, account());
    const reply = await send('POST', `${ACCOUNTS}/${name}/transfer`, sent);
    expect([reply.status, textAt(reply.body, 'message')]).toEqual([code, expect.stringContaining(text)]);
    await stop();
  });

  it('is authorized as a create of the subresource, and admitted', async () => {
    const asked: RequestAttributes[] = [];
    const admitted: string[] = [];
    const { send, stop } = await serve([Account], {
      authenticate: () => ({ outcome: 'ok', user: { name: 'eve', uid: '', groups: [], extra: {} } }),
      authorizer: {
        authorize: (attributes) => {
          asked.push(attributes);
          return { decision: 'allow', reason: '', error: '' };
        },
      },
      admission: {
        handles: () => true,
        admit: () => undefined,
        validate: ({ operation, kind, subresource }) => {
          admitted.push(`${operation} ${kind.kind} ${subresource}`);
        },
      },
    });
    await send('POST', ACCOUNTS, account());
    await send('POST', `${X}/transfer`, { to: 'y', amount: 1 });
    expect(asked.at(-1)).toMatchObject({ verb: 'create', resource: 'accounts', subresource: 'transfer', name: 'x' });
    expect(admitted.at(-1)).toBe('CREATE AccountTransfer transfer');
    await stop();
  });

  it('is published in discovery and OpenAPI', async () => {
    const { send, stop } = await serve([Account]);
    const { body } = await send('GET', '/apis/bank.example.com/v1');
    const resources = Object.fromEntries(
      objectsAt(body, 'resources').map((one) => [
        textAt(one, 'name'),
        `${textAt(one, 'kind')} ${String(one['verbs'])}`,
      ]),
    );
    expect(resources).toMatchObject({
      'accounts/transfer': 'AccountTransfer create',
      'accounts/lock': 'AccountLock create',
      'accounts/status': 'Account get,patch,update',
    });
    const { body: v3 } = await send('GET', '/openapi/v3/apis/bank.example.com/v1');
    const post = fieldAt(
      v3,
      'paths',
      '/apis/bank.example.com/v1/namespaces/{namespace}/accounts/{name}/transfer',
      'post',
    ) as JsonObject;
    expect(post['description']).toBe('pay another account');
    expect(JSON.stringify(post['requestBody'])).toContain('com.example.bank.v1.AccountTransfer"');
    expect(JSON.stringify(post['responses'])).toContain('com.example.bank.v1.AccountTransferResult"');
    expect(fieldAt(v3, 'components', 'schemas', 'com.example.bank.v1.AccountTransfer', 'properties')).toHaveProperty(
      'amount',
    );
    expect(
      fieldAt(v3, 'components', 'schemas', 'com.example.bank.v1.AccountTransferResult', 'properties'),
    ).toHaveProperty('balance');
    const { body: v2 } = await send('GET', '/openapi/v2');
    expect(fieldAt(v2, 'definitions', 'com.example.bank.v1.AccountTransfer')).toBeDefined();
    await stop();
  });

  it('must not have a body with the fields of every kind', () => {
    const declare = (): unknown =>
      defineResource({
        ...NAMES,
        spec: z.object({}),
        actions: { go: action(z.object({ kind: z.string() }), () => ({})) },
      });
    expect(declare).toThrow('the body of the action go of Account must not have the field kind');
  });
});

describe('the read hook', () => {
  const Seen = defineResource({
    ...NAMES,
    spec: z.object({ owner: z.string(), seen: z.string().optional() }),
    status: z.object({ balance: z.int() }),
    read: async (object, { user, verb }) => {
      if (object.metadata.name === 'sync') return object;
      object.spec.seen = `${user.name} ${verb}`;
      return object;
    },
  });

  it('changes what get, list, watch and writes show, and not what is stored', async () => {
    const server = await serve([Seen]);
    const { send, stop } = server;
    const seen = (body: JsonObject): string => textAt(body, 'spec', 'seen');
    expect(seen((await send('POST', ACCOUNTS, account())).body)).toBe('system:admin create');
    expect(seen((await send('GET', X)).body)).toBe('system:admin get');
    const { body: list } = await send('GET', ACCOUNTS);
    expect(objectsAt(list, 'items').map(seen)).toEqual(['system:admin list']);
    expect(seen((await send('PATCH', X, { spec: { owner: 'bob' } }, MERGE)).body)).toBe('system:admin patch');
    const status = await send('PATCH', `${X}/status`, { status: { balance: 1 } }, MERGE);
    expect(seen(status.body)).toBe('system:admin patch');
    const stored = await send('PATCH', X, [{ op: 'test', path: '/spec', value: { owner: 'bob' } }], {
      'content-type': 'application/json-patch+json',
    });
    expect(stored.status).toBe(200);
    await stop();
  });

  it('runs for every event of a watch, in order', async () => {
    const server = await serve([Seen]);
    const { send, stop } = server;
    await send('POST', ACCOUNTS, account());
    const watching = events(
      server,
      `${ACCOUNTS}?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
      4,
    );
    await send('POST', ACCOUNTS, account({}, 'sync'));
    await send('PATCH', X, { spec: { owner: 'bob' } }, MERGE);
    const found = await watching;
    const shown = found.map((event) =>
      [
        textAt(event, 'type'),
        textAt(event, 'object', 'metadata', 'name'),
        textAt(event, 'object', 'spec', 'seen'),
      ].join(' '),
    );
    expect(shown.filter((text) => text.startsWith('BOOKMARK'))).toHaveLength(1);
    expect(shown.filter((text) => !text.startsWith('BOOKMARK'))).toEqual([
      'ADDED x system:admin watch',
      'ADDED sync ',
      'MODIFIED x system:admin watch',
    ]);
    await stop();
  });

  it('that fails, fails the request and ends the watch', async () => {
    const Failing = defineResource({
      ...NAMES,
      spec: z.object({ owner: z.string() }),
      read: (object, { verb }) => {
        if (verb !== 'create') throw new StatusError(badRequest('no reading today'));
        return object;
      },
    });
    const server = await serve([Failing]);
    await server.send('POST', ACCOUNTS, account());
    expect((await server.send('GET', X)).body).toMatchObject({ code: 400, message: 'no reading today' });
    const [event] = await events(server, `${ACCOUNTS}?watch=true`, 1);
    expect(event).toMatchObject({ type: 'ERROR', object: { code: 400, message: 'no reading today' } });
    await server.stop();
  });
});
