import { describe, expect, it, onTestFinished } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../base/bytes.ts';
import type { JsonObject } from '../base/json-value.ts';
import { type LogFields, SILENT } from '../base/logger.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { NO_ADMISSION } from './admission.ts';
import { anonymousAuthenticator } from './filters/authentication/anonymous.ts';
import { createAuthenticator } from './filters/authentication/union.ts';
import { ALWAYS_ALLOW } from './filters/authorizers.ts';
import { GenericServer, type GenericServerOptions } from './generic-server.ts';
import { inProcess } from './http/in-process.ts';
import { NOT_FOUND } from './http/paths.ts';
import type { RequestHandler } from './http/server-request.ts';
import { types } from './openapi/openapi.fixtures.ts';
import { testHost, thing, thingDefinition } from './registry/thing.fixtures.ts';
import { openResource } from './resource/open-resource.ts';
import { ResourceServer } from './resource-server.ts';

const BUILD = { version: '0.0.0', runtime: 'test', platform: 'test/test' };

function createServer(delegate: RequestHandler = () => NOT_FOUND, more: Partial<GenericServerOptions> = {}) {
  const server = new GenericServer({ clock: new VirtualClock(), logger: SILENT, types, build: BUILD, ...more });
  const transport = inProcess(
    server.prepare({
      authenticate: createAuthenticator({ authenticators: [], anonymous: anonymousAuthenticator() }),
      authorizer: ALWAYS_ALLOW,
      delegate,
    }),
  );
  const get = async (target: string) => {
    const { status, headers, body } = await transport({ method: 'GET', target });
    return { status, headers, text: body instanceof Uint8Array ? new TextDecoder().decode(body) : '' };
  };
  const send = async (method: string, target: string, object?: JsonObject) => {
    const headers = { 'content-type': 'application/json' };
    const content = object === undefined ? {} : { body: encodeUtf8(JSON.stringify(object)) };
    const { status, body } = await transport({ method, target, headers, ...content });
    return { status, body: JSON.parse(decodeUtf8(body as Uint8Array)) as JsonObject };
  };
  return { server, get, send };
}

describe('the generic server', () => {
  it('serves version, health, metrics, discovery and OpenAPI without any resource server', async () => {
    const { get } = createServer();
    for (const path of ['/version', '/livez', '/metrics', '/apis', '/openapi/v3', '/openapi/v2'])
      expect([path, (await get(path)).status]).toEqual([path, 200]);
    expect(JSON.parse((await get('/')).text).paths).toEqual(expect.arrayContaining(['/apis', '/readyz', '/version']));
  });

  it('prints results of health checks at /metrics/slis only', async () => {
    const { get } = createServer();
    await get('/livez');
    expect((await get('/metrics/slis')).text).toContain('kubernetes_healthcheck{name="ping",type="livez"} 1\n');
    expect((await get('/metrics')).text).not.toContain('kubernetes_healthcheck');
  });

  it('has /statusz, and /flagz if it knows the flags', async () => {
    const { get } = createServer();
    expect([(await get('/statusz')).status, (await get('/flagz')).status]).toEqual([200, 404]);
    const { get: other } = createServer(undefined, { flags: { a: 'b' } });
    expect((await other('/flagz')).text).toContain('\na=b\n');
    expect((await other('/statusz')).text).toContain(
      'Paths: /flagz /healthz /livez /metrics /readyz /statusz /version',
    );
  });

  it('sends Strict-Transport-Security with every answer if it is configured', async () => {
    const value = 'max-age=1; preload';
    const { get } = createServer(() => Promise.reject(new Error('fails')), { strictTransportSecurity: value });
    for (const path of ['/version', '/apis', '/unknown', '/version/x'])
      expect([path, (await get(path)).headers['strict-transport-security']]).toEqual([path, value]);
    expect((await createServer().get('/version')).headers).not.toHaveProperty('strict-transport-security');
  });

  it('passes everything else to the delegate, except paths with repeated leading slashes', async () => {
    const seen: string[] = [];
    const { get } = createServer(({ info }) => {
      seen.push(info.path);
      return NOT_FOUND;
    });
    await get('/apis/example.com/v1/widgets');
    await get('/unknown');
    expect((await get('//unknown')).status).toBe(404);
    expect(seen).toEqual(['/apis/example.com/v1/widgets', '/unknown']);
  });

  it('is ready when all post-start hooks have finished', async () => {
    const { server, get } = createServer();
    let finish = (): void => undefined;
    server.addPostStartHook(['first'], () => new Promise<void>((resolve) => (finish = resolve)));
    server.addPostStartHook(['second', 'third'], async () => undefined);
    const started = server.start();
    await Promise.resolve();
    expect((await get('/readyz')).status).toBe(500);
    expect((await get('/readyz/poststarthook/third')).status).toBe(200);
    finish();
    await started;
    expect((await get('/readyz?verbose')).text).toContain('[+]poststarthook/first ok');
  });

  it('rejects its start with the failure of a hook, which the check of that hook then names', async () => {
    const { server, get } = createServer();
    server.addPostStartHook(['broken'], () => Promise.reject(new Error('the disk is full')));
    await expect(server.start()).rejects.toThrow('the disk is full');
    expect((await get('/readyz/poststarthook/broken')).text).toContain('the disk is full');
    expect(() => server.addPostStartHook(['late'], async () => undefined)).toThrow('after the start');
  });

  it('runs pre-shutdown hooks in order while requests are still served, and refuses requests after the drain', async () => {
    const { server, get } = createServer();
    const steps: string[] = [];
    server.addPreShutdownHook(async () => void steps.push(`first ${(await get('/apis')).status}`));
    server.addPreShutdownHook(async () => void steps.push(`second ${(await get('/readyz')).status}`));
    server.onDrain(() => steps.push('drained'));
    await server.start();
    await server.preShutdown();
    server.drain();
    expect(steps).toEqual(['first 200', 'second 500', 'drained']);
    expect((await get('/apis')).status).toBe(503);
    expect((await get('/livez')).status).toBe(200);
  });

  it('logs a warning for a write whose managedFields cannot be computed', async () => {
    const warnings: unknown[] = [];
    const logger = { ...SILENT, warn: (message: string, fields?: LogFields) => void warnings.push([message, fields]) };
    const { server, send } = createServer((request) => resources.handle(request), { logger });
    const resources: ResourceServer = new ResourceServer({
      ...server.serving,
      admission: NO_ADMISSION,
      delegate: () => NOT_FOUND,
    });
    const things = openResource(
      thingDefinition({
        convert: () => {
          throw new Error('no way to v2');
        },
      }),
      testHost().host,
    );
    onTestFinished(() => things.stop());
    resources.install([things], { groupPriority: () => 1, versionPriority: () => 1 });
    const path = '/apis/example.test/v1/namespaces/ns/things';
    const manager = { manager: 'x', operation: 'Update', apiVersion: 'example.test/v2', fieldsType: 'FieldsV1' };
    const managedFields = [{ ...manager, fieldsV1: { 'f:spec': { 'f:hue': {} } } }];
    const body = thing('a', { spec: { color: 'red' } }, { managedFields });
    expect(await send('POST', path, body)).toMatchObject({ status: 201, body: { metadata: { name: 'a' } } });
    expect(warnings).toEqual([
      [
        'the managedFields of an object cannot be updated',
        { group: 'example.test', version: 'v1', resource: 'things', reason: 'no way to v2' },
      ],
    ]);
    expect((await send('GET', `${path}/a`)).body['metadata']).not.toHaveProperty('managedFields');
  });

  it('is prepared once', () => {
    const { server } = createServer();
    const parts = {
      authenticate: createAuthenticator({ authenticators: [], anonymous: undefined }),
      authorizer: ALWAYS_ALLOW,
      delegate: () => NOT_FOUND,
    };
    expect(() => server.prepare(parts)).toThrow('prepared once');
  });
});
