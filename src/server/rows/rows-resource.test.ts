import { describe, expect, it } from 'vitest';
import { objectsAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { SILENT } from '../../base/logger.ts';
import { settle } from '../../base/virtual-clock.ts';
import { createMemoryStorage } from '../../storage/memory/memory-storage.ts';
import { type ApiServer, createServer } from '../create-server.ts';
import { defineResource } from '../resource/define-resource.ts';
import { FakeRows } from './fake-rows.fixtures.ts';
import type { ReadOnlyRows } from './rows.ts';

const NAMES = { group: 'bank.example.com', version: 'v1', kind: 'Account' } as const;
const SCHEMA = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { owner: { type: 'string' } } },
    status: { type: 'object', properties: { balance: { type: 'integer' } } },
  },
};
const ACCOUNTS = '/apis/bank.example.com/v1/namespaces/default/accounts';

interface Reply {
  readonly status: number;
  readonly body: JsonObject;
}

async function start(rows: ReadOnlyRows<object>): Promise<
  ApiServer & {
    readonly troubles: string[];
    send(method: string, target: string, body?: object, type?: string): Promise<Reply>;
  }
> {
  const troubles: string[] = [];
  const logger = { ...SILENT, error: (_: string, error?: Error): void => void troubles.push(String(error?.message)) };
  const account = defineResource({ ...NAMES, schema: SCHEMA, rows, selectableFields: ['spec.owner'] });
  const server = createServer({ resources: [account], storage: createMemoryStorage(), logger });
  await server.start();
  const send = async (method: string, target: string, body?: object, type = 'application/json'): Promise<Reply> => {
    const { status, body: sent } = await server.transport({
      method,
      target,
      headers: { 'content-type': type, accept: 'application/json' },
      ...(body && { body: encodeUtf8(JSON.stringify(body)) }),
    });
    const chunks: Uint8Array[] = [];
    if (sent instanceof Uint8Array) chunks.push(sent);
    else for await (const chunk of sent) chunks.push(chunk);
    return { status, body: JSON.parse(Buffer.concat(chunks).toString()) };
  };
  return { ...server, send, troubles };
}

const account = (name: string, owner: string): JsonObject => ({
  apiVersion: 'bank.example.com/v1',
  kind: 'Account',
  metadata: { name, namespace: 'default' },
  spec: { owner },
});

describe('a resource with rows', () => {
  it('has every verb, selectors, pages, status, and server-side apply', async () => {
    const rows = new FakeRows('polled');
    const { send, stop } = await start(rows);
    const created = await send('POST', ACCOUNTS, account('a', 'Ada'));
    expect(created.status).toBe(201);
    const applied = await send(
      'PATCH',
      `${ACCOUNTS}/b?fieldManager=me`,
      account('b', 'Bob'),
      'application/apply-patch+yaml',
    );
    expect(applied).toMatchObject({ status: 201, body: { metadata: { managedFields: [{ manager: 'me' }] } } });
    const status = { ...created.body, spec: { owner: 'ignored' }, status: { balance: 5 } };
    expect(await send('PUT', `${ACCOUNTS}/a/status`, status)).toMatchObject({
      status: 200,
      body: { spec: { owner: 'Ada' }, status: { balance: 5 } },
    });
    const selected = await send('GET', `${ACCOUNTS}?fieldSelector=spec.owner%3DBob`);
    expect(objectsAt(selected.body, 'items').map((item) => textAt(item, 'metadata', 'name'))).toEqual(['b']);
    const page = await send('GET', `${ACCOUNTS}?limit=1`);
    const token = textAt(page.body, 'metadata', 'continue');
    const next = await send('GET', `${ACCOUNTS}?limit=1&continue=${token}`);
    expect(objectsAt(next.body, 'items').map((item) => textAt(item, 'metadata', 'name'))).toEqual(['b']);
    expect(await send('DELETE', `${ACCOUNTS}/a`)).toMatchObject({ status: 200 });
    expect((await rows.list()).map(({ object }) => textAt(object, 'metadata', 'name'))).toEqual(['b']);
    const [kept] = await rows.list();
    expect(textAt(kept!.object, 'metadata', 'resourceVersion')).toBe('');
    await stop();
    expect(rows.stops).toBe(1);
  });

  it('shows rows that other programs insert, with type fields and a uid that stays the same', async () => {
    const rows = new FakeRows('changes');
    const { send, stop, troubles } = await start(rows);
    await send('GET', ACCOUNTS);
    rows.write({ metadata: { name: 'x', namespace: 'default' }, spec: { owner: 'Eve' } });
    rows.write({ metadata: { namespace: 'default' }, spec: {} });
    rows.write({ metadata: { name: 'nowhere' } });
    await settle();
    const first = await send('GET', `${ACCOUNTS}/x`);
    expect(first.body).toMatchObject({ kind: 'Account', apiVersion: 'bank.example.com/v1', spec: { owner: 'Eve' } });
    expect(textAt(first.body, 'metadata', 'uid')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-/);
    const list = await send('GET', ACCOUNTS);
    expect(objectsAt(list.body, 'items').length).toBe(1);
    expect(troubles.join('\n')).toContain('has no metadata.name');
    expect(troubles.join('\n')).toContain('has no metadata.namespace');
    const patched = await send('PATCH', `${ACCOUNTS}/x`, { spec: { owner: 'Ann' } }, 'application/merge-patch+json');
    expect(textAt(patched.body, 'metadata', 'uid')).toBe(textAt(first.body, 'metadata', 'uid'));
    await stop();
  });

  it('answers a conflict of the database with a 409, and repeats a patch on the new state', async () => {
    const rows = new FakeRows('polled');
    const { send, stop } = await start(rows);
    const created = await send('POST', ACCOUNTS, account('a', 'Ada'));
    rows.write({ ...account('a', 'by another'), status: { balance: 7 } });
    const update = { ...created.body, spec: { owner: 'mine' } };
    expect(await send('PUT', `${ACCOUNTS}/a`, update)).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
    rows.write({ ...account('a', 'by another again'), status: { balance: 8 } });
    const patch = { metadata: { labels: { a: 'b' } } };
    expect(await send('PATCH', `${ACCOUNTS}/a`, patch, 'application/merge-patch+json')).toMatchObject({
      status: 200,
      body: { spec: { owner: 'by another again' }, status: { balance: 8 }, metadata: { labels: { a: 'b' } } },
    });
    rows.write(account('taken', 'another'));
    expect(await send('POST', ACCOUNTS, account('taken', 'me'))).toMatchObject({ status: 409 });
    await stop();
  });

  it('answers failures of the database with a Status that asks for a retry', async () => {
    const rows = new FakeRows('polled');
    rows.before = (operation) => {
      if (operation === 'list') throw new Error('connection refused');
    };
    const { send, stop } = await start(rows);
    const expected = { status: 500, body: { reason: 'ServerTimeout', details: { retryAfterSeconds: 2 } } };
    expect(await send('GET', ACCOUNTS)).toMatchObject(expected);
    expect(await send('POST', ACCOUNTS, account('a', 'Ada'))).toMatchObject(expected);
    await stop();
  });

  it('has only get, list and watch if the rows cannot be written', async () => {
    const fake = new FakeRows('polled');
    fake.write(account('a', 'Ada'));
    const { send, stop } = await start({ list: () => fake.list(), get: (key) => fake.get(key) });
    const discovery = await send('GET', '/apis/bank.example.com/v1');
    expect(discovery.body['resources']).toMatchObject([{ name: 'accounts', verbs: ['get', 'list', 'watch'] }]);
    expect(await send('GET', `${ACCOUNTS}/a`)).toMatchObject({ status: 200 });
    expect(await send('DELETE', `${ACCOUNTS}/a`)).toMatchObject({ status: 405 });
    await stop();
  });

  it('is refused with rows that cannot be used', () => {
    const { list, get, insert } = new FakeRows('polled');
    const define = (rows: ReadOnlyRows<object>) => () => defineResource({ ...NAMES, schema: SCHEMA, rows });
    expect(define({ list, get, insert } as never)).toThrow('they have no replace and no remove');
    expect(define({ list, get, sequenced: true })).toThrow('they are sequenced and have no changes');
    expect(define({ list, get, pollIntervalMs: 0 })).toThrow('pollIntervalMs is 0, it must be at least 10');
    expect(() => defineResource({ ...NAMES, schema: SCHEMA, rows: { list, get }, store: () => ({}) })).toThrow(
      'the resource has a store, too',
    );
  });
});
