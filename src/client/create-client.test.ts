import { describe, expect, it } from 'vitest';
import type { TransportResponse } from '../apimachinery/http/transport.ts';
import {
  isBadRequest,
  isConflict,
  isExpired,
  isNotFound,
  isServiceUnavailable,
  isUnexpectedServerResponse,
  suggestedDelaySeconds,
} from '../apimachinery/status/status.ts';
import { isBugError, isTransportError } from '../base/errors.ts';
import { Deployment } from '../kinds/api/apps/v1.ts';
import { ConfigMap, Namespace, Pod } from '../kinds/api/core/v1.ts';
import { createClient } from './create-client.ts';
import { json, type ScriptedTransport, scripted, stream, text } from './scripted-transport.fixtures.ts';

const OBJECT = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', uid: 'u', resourceVersion: '1' } };

function configMaps(...responses: TransportResponse[]) {
  const script = scripted(...responses);
  return { script, api: createClient(script.transport).api(ConfigMap, 'n') };
}

function sent({ requests }: ScriptedTransport): string[] {
  return requests.map(({ method, target, headers }) => {
    const type = headers?.['content-type'];
    return `${method} ${target}${type === undefined ? '' : ` ${type as string}`}`;
  });
}

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (caught: unknown) => caught,
  );
}

describe('a request', () => {
  it('of every verb has its path, query, media type and body', async () => {
    const { api, script } = configMaps(...Array.from({ length: 12 }, () => json(OBJECT)));
    await api.get('x', { resourceVersion: '0' });
    await api.create({ metadata: { name: 'x' } }, { fieldManager: 'me', dryRun: true, fieldValidation: 'Strict' });
    await api.update({ metadata: { name: 'x' }, data: { a: 'é' } });
    await api.updateStatus({ metadata: { name: 'x' } });
    await api.patch('x', { type: 'json', operations: [{ op: 'remove', path: '/data' }] });
    await api.patch('x', { type: 'merge', body: { data: null } }, { subresource: 'status' });
    await api.patch('x', { type: 'strategic', body: { data: {} } });
    await api.apply({ metadata: { name: 'x' }, data: { a: 'b' } }, { fieldManager: 'a&b', force: true });
    await api.delete('x');
    await api.delete('x', { propagationPolicy: 'Orphan', preconditions: { uid: 'u' }, gracePeriodSeconds: 0 });
    await api.deleteCollection({ labelSelector: 'a in (b,c)', dryRun: true });
    await api.scale('x', 3);
    expect(sent(script)).toEqual([
      'GET /api/v1/namespaces/n/configmaps/x?resourceVersion=0',
      'POST /api/v1/namespaces/n/configmaps?fieldManager=me&dryRun=All&fieldValidation=Strict application/json',
      'PUT /api/v1/namespaces/n/configmaps/x application/json',
      'PUT /api/v1/namespaces/n/configmaps/x/status application/json',
      'PATCH /api/v1/namespaces/n/configmaps/x application/json-patch+json',
      'PATCH /api/v1/namespaces/n/configmaps/x/status application/merge-patch+json',
      'PATCH /api/v1/namespaces/n/configmaps/x application/strategic-merge-patch+json',
      'PATCH /api/v1/namespaces/n/configmaps/x?fieldManager=a%26b&force=true application/apply-patch+yaml',
      'DELETE /api/v1/namespaces/n/configmaps/x',
      'DELETE /api/v1/namespaces/n/configmaps/x application/json',
      'DELETE /api/v1/namespaces/n/configmaps?labelSelector=a%20in%20(b%2Cc) application/json',
      'PATCH /api/v1/namespaces/n/configmaps/x/scale application/merge-patch+json',
    ]);
    const type = { apiVersion: 'v1', kind: 'ConfigMap' };
    expect(script.bodies().slice(1)).toEqual([
      { ...type, metadata: { name: 'x' } },
      { ...type, metadata: { name: 'x' }, data: { a: 'é' } },
      { ...type, metadata: { name: 'x' } },
      [{ op: 'remove', path: '/data' }],
      { data: null },
      { data: {} },
      { ...type, metadata: { name: 'x' }, data: { a: 'b' } },
      undefined,
      {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        gracePeriodSeconds: 0,
        propagationPolicy: 'Orphan',
        preconditions: { uid: 'u' },
      },
      { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] },
      { spec: { replicas: 3 } },
    ]);
  });

  it('of a subresource has its path', async () => {
    const script = scripted(...Array.from({ length: 5 }, () => json({})));
    const token = createClient(script.transport).api(Pod, 'n').subresource('p', 'eviction');
    await token.get();
    await token.create({ kind: 'Eviction' }, { dryRun: true });
    await token.update({});
    await token.patch({ type: 'merge', body: {} });
    const { status } = await token.connect({ method: 'POST', path: 'a/b', query: { q: ['1', '2'] } });
    expect(status).toBe(200);
    expect(sent(script)).toEqual([
      'GET /api/v1/namespaces/n/pods/p/eviction',
      'POST /api/v1/namespaces/n/pods/p/eviction?dryRun=All application/json',
      'PUT /api/v1/namespaces/n/pods/p/eviction application/json',
      'PATCH /api/v1/namespaces/n/pods/p/eviction application/merge-patch+json',
      'POST /api/v1/namespaces/n/pods/p/eviction/a/b?q=1&q=2',
    ]);
  });

  it('of other groups and scopes has its path', async () => {
    const script = scripted(json(OBJECT), json({ metadata: {}, items: [] }));
    const client = createClient(script.transport);
    await client.api(Namespace).get('n');
    await client.all(Deployment).list().toArray();
    expect(sent(script)).toEqual(['GET /api/v1/namespaces/n', 'GET /apis/apps/v1/deployments?limit=500']);
  });

  it.each(['', '.', '..', 'a/b', 'a%b'])('for the name %j is refused before it is sent', async (name) => {
    const { api, script } = configMaps();
    expect(isBadRequest(await failureOf(api.get(name)))).toBe(true);
    expect(isBadRequest(await failureOf(api.update({ metadata: { name } })))).toBe(true);
    expect(script.requests).toEqual([]);
  });

  it('needs the scope of its kind', () => {
    const client = createClient(scripted().transport);
    const wrong = [() => client.api(Pod, undefined), () => client.api(Namespace as never, 'n')];
    for (const call of wrong) {
      expect(call).toThrow(/namespace/);
      try {
        call();
      } catch (caught) {
        expect(isBugError(caught)).toBe(true);
      }
    }
  });

  it('prints every digit of an int64', async () => {
    const { api, script } = configMaps(json(OBJECT));
    await api.create({ metadata: { name: 'x', generation: 9223372036854775807n } });
    expect(new TextDecoder().decode(script.requests[0]?.body)).toContain('"generation":9223372036854775807');
  });
});

describe('a response', () => {
  it('of failure is a StatusError, with the delay of its header', async () => {
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Conflict', code: 409 };
    const { api } = configMaps(
      json(status, 409),
      json({ ...status, reason: 'ServiceUnavailable', code: 503 }, 503, { 'retry-after': '7' }),
    );
    expect(isConflict(await failureOf(api.get('x')))).toBe(true);
    const failure = await failureOf(api.get('x'));
    expect(isServiceUnavailable(failure)).toBe(true);
    expect(suggestedDelaySeconds(failure)).toBe(7);
  });

  it('of failure that is no Status gets one from its code', async () => {
    const { api } = configMaps(text('404 page not found', 404), text('<html>', 503, { 'retry-after': '2' }));
    const failure = await failureOf(api.get('x'));
    expect(isNotFound(failure) && isUnexpectedServerResponse(failure)).toBe(true);
    expect((failure as Error).message).toBe('the server could not find the requested resource (get configmaps x)');
    expect(suggestedDelaySeconds(await failureOf(api.get('x')))).toBe(2);
  });

  it.each([
    ['garbage', text('<html>')],
    ['nothing', text('')],
    ['a list of JSON', text('[]')],
  ])('of %s is a TransportError that is not retried', async (_, response) => {
    const { api } = configMaps(response);
    const failure = await failureOf(api.get('x'));
    expect(isTransportError(failure) && !failure.retryable).toBe(true);
    expect((failure as Error).message).toMatch(/^GET \/api\/v1\/namespaces\/n\/configmaps\/x: the response is not/);
  });

  it('beyond the bound is refused, and its rest is not read', async () => {
    let sentBytes = 0;
    let closed = 0;
    function* endless(): Generator<Uint8Array> {
      for (const piece = new Uint8Array(1000); sentBytes < 1e6; sentBytes += 1000) yield piece;
    }
    const { transport } = scripted(
      stream(endless(), () => closed++),
      text('x'.repeat(5001)),
    );
    const api = createClient(transport, { maxResponseBytes: 5000 }).api(ConfigMap, 'n');
    await expect(api.listPage()).rejects.toThrow('the response has more than 5000 bytes');
    expect(sentBytes).toBeLessThan(10_000);
    expect(closed).toBe(1);
    expect(isTransportError(await failureOf(api.get('x')))).toBe(true);
  });

  it('reports its warnings to the call, or to the client', async () => {
    const headers = { warning: ['299 - "one \\"quoted\\" caf\xc3\xa9", 299 - "two"', '199 - "other"', 'malformed'] };
    const seen: string[] = [];
    const script = scripted(json(OBJECT, 200, headers), json(OBJECT, 200, { warning: '299 kube "three"' }));
    const client = createClient(script.transport, { onWarning: (text) => seen.push(`client: ${text}`) });
    const api = client.api(ConfigMap, 'n');
    await api.create({ metadata: { name: 'x' } }, { onWarning: (text) => seen.push(`call: ${text}`) });
    await api.get('x');
    expect(seen).toEqual(['call: one "quoted" café', 'call: two', 'client: three']);
  });

  it('that is NotFound is undefined for find', async () => {
    const { api } = configMaps(json({ kind: 'Status', reason: 'NotFound', code: 404 }, 404), json(OBJECT));
    expect(await api.find('x')).toBeUndefined();
    expect(await api.find('x')).toEqual(OBJECT);
  });

  it('to a deletion is the object only if it still exists', async () => {
    const deleting = { ...OBJECT.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 };
    const { api } = configMaps(
      json({ kind: 'Status', status: 'Success' }),
      json(OBJECT),
      json({ ...OBJECT, metadata: deleting }),
      json({ ...OBJECT, metadata: { ...deleting, finalizers: ['a.b/c'] } }),
      json({ ...OBJECT, metadata: { ...deleting, deletionGracePeriodSeconds: 30 } }),
      json({ ...OBJECT, metadata: deleting, spec: { finalizers: ['kubernetes'] } }),
    );
    const exists = [];
    for (let i = 0; i < 6; i++) exists.push((await api.delete('x')) !== undefined);
    expect(exists).toEqual([false, false, false, true, true, true]);
  });
});

describe('a list', () => {
  const page = (names: string[], token = '', more = {}) =>
    json({
      metadata: { resourceVersion: '7', continue: token, ...more },
      items: names.map((name) => ({ metadata: { name } })),
    });
  const names = (objects: readonly { metadata: { name: string } }[]) => objects.map(({ metadata }) => metadata.name);

  it('is read page by page', async () => {
    const { api, script } = configMaps(page(['a', 'b'], 'T'), page(['c']));
    const objects = await api.list({ pageSize: 2, resourceVersion: '5', resourceVersionMatch: 'Exact' }).toArray();
    expect(names(objects)).toEqual(['a', 'b', 'c']);
    expect(objects[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(sent(script)).toEqual([
      'GET /api/v1/namespaces/n/configmaps?resourceVersion=5&resourceVersionMatch=Exact&limit=2',
      'GET /api/v1/namespaces/n/configmaps?limit=2&continue=T',
    ]);
  });

  it('reads no page before the loop needs it', async () => {
    const { api, script } = configMaps(page(['a', 'b'], 'T'));
    for await (const object of api.list()) {
      expect(object.metadata.name).toBe('a');
      break;
    }
    expect(script.requests).toHaveLength(1);
  });

  it('is read again in one request if its token expires, but a loop fails', async () => {
    const gone = json({ kind: 'Status', reason: 'Expired', code: 410 }, 410);
    const { api, script } = configMaps(page(['a'], 'T'), gone, page(['x', 'y']), page(['a'], 'T'), gone);
    expect(names(await api.list().toArray())).toEqual(['x', 'y']);
    expect(sent(script).at(-1)).toBe('GET /api/v1/namespaces/n/configmaps');
    const loop = (async () => {
      for await (const _ of api.list());
    })();
    expect(isExpired(await failureOf(loop))).toBe(true);
  });

  it('has the facts of its page', async () => {
    const { api } = configMaps(page(['a'], 'T', { remainingItemCount: 3 }), page([]));
    expect(await api.listPage({ limit: 1 })).toMatchObject({
      resourceVersion: '7',
      continueToken: 'T',
      remainingItemCount: 3,
    });
    expect(await api.listPage()).toEqual({
      items: [],
      resourceVersion: '7',
      continueToken: '',
      remainingItemCount: undefined,
    });
  });

  it.each([
    ['no metadata', { items: [] }],
    ['items that are not a list', { metadata: {}, items: {} }],
    ['an item without a name', { metadata: {}, items: [{ metadata: {} }] }],
  ])('with %s is a TransportError', async (_, body) => {
    const { api } = configMaps(json(body));
    expect(isTransportError(await failureOf(api.listPage()))).toBe(true);
  });
});

describe('a loop over a watch', () => {
  it('gets each event, and closes the request when it is left', async () => {
    let closed = 0;
    const event = (name: string) => `${JSON.stringify({ type: 'ADDED', object: { metadata: { name } } })}\n`;
    const script = scripted(stream([event('a') + event('b'), event('c')], () => closed++));
    const api = createClient(script.transport).api(ConfigMap, 'n');
    const seen: string[] = [];
    for await (const { type, object } of api.watch({ sendInitialEvents: true, timeoutSeconds: 5 })) {
      seen.push(`${type} ${(object.metadata as { name: string }).name}`);
      if (seen.length === 2) break;
    }
    expect(seen).toEqual(['ADDED a', 'ADDED b']);
    expect(closed).toBe(1);
    expect(sent(script)).toEqual([
      'GET /api/v1/namespaces/n/configmaps?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=5',
    ]);
  });
});
