import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isForbidden, isInvalid, statusOf } from '../../src/apimachinery/status/status.ts';
import { isConfigError } from '../../src/base/errors.ts';
import { VirtualClock } from '../../src/base/virtual-clock.ts';
import { untypedKind } from '../../src/client/untyped-kind.ts';
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '../../src/kinds/api/admissionregistration/v1.ts';
import { CustomResourceDefinition } from '../../src/kinds/api/apiextensions/v1.ts';
import { ConfigMap } from '../../src/kinds/api/core/v1.ts';
import { createCa, issueServerCertificate } from '../../src/pki/certificates.ts';
import { converting, mutating, spoke, validating } from '../../src/webhook/hooks.ts';
import { serveWebhooks } from '../../src/webhook/node/serve-webhooks.ts';
import { denied } from '../../src/webhook/problem.ts';
import type { WebhookServer, WebhookServerOptions } from '../../src/webhook/webhook-server.ts';
import { type Plane, startPlane } from '../loops/plane.fixtures.ts';

const label = mutating(ConfigMap, ({ object, user }) => ({
  ...object,
  metadata: {
    ...object.metadata,
    labels: { ...object.metadata?.labels, by: user.groups.length > 0 ? 'group' : 'none' },
  },
}));
const check = validating(
  ConfigMap,
  ({ object, oldObject, operation, warn }) => {
    if (operation === 'DELETE') throw denied('config maps are kept');
    if (oldObject !== undefined) warn('changed');
    return object.data?.['size'] === 'large' ? [{ field: 'data[size]', message: 'must not be large' }] : [];
  },
  { operations: ['CREATE', 'UPDATE', 'DELETE'] },
);

let folder: string;
let plane: Plane;
let clock: VirtualClock;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  plane = await startPlane();
});

afterAll(() => plane.plane.stop());

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
  // The outbound client of the API server verifies certificates by the clock of the system.
  clock = new VirtualClock(Date.now());
});

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  for (const kind of [MutatingWebhookConfiguration, ValidatingWebhookConfiguration])
    await plane.client.api<unknown>(kind, undefined).deleteCollection();
  rmSync(folder, { recursive: true });
});

async function serve(options: Partial<WebhookServerOptions> = {}): Promise<WebhookServer> {
  const server = await serveWebhooks({ name: 'guard.example.com', clock, ...options });
  stops.push(() => server.stop());
  return server;
}

const maps = () => plane.client.api(ConfigMap, 'default');

async function bundleOf(): Promise<string> {
  const { webhooks } = await plane.client.api(ValidatingWebhookConfiguration).get('guard.example.com');
  return atob(webhooks?.[0]?.clientConfig.caBundle ?? '');
}

describe('serveWebhooks', () => {
  it('registers hooks that change, refuse and warn', async () => {
    const server = await serve({ mutate: [label], validate: [check] });
    const registration = await server.register({ transport: plane.client.transport });
    const created = await maps().create({ metadata: { name: 'a' } });
    expect(created.metadata.labels).toEqual({ by: 'group' });
    const refused = await maps()
      .create({ metadata: { name: 'b' }, data: { size: 'large' } })
      .catch((caught: unknown) => caught);
    expect(isInvalid(refused)).toBe(true);
    expect(statusOf(refused)).toMatchObject({
      message:
        'admission webhook "configmaps.guard.example.com" denied the request: ConfigMap "b" is invalid: ' +
        'data[size]: Invalid value: "large": must not be large',
      details: { causes: [{ reason: 'FieldValueInvalid', field: 'data[size]' }] },
    });
    const warnings: string[] = [];
    await maps().patch(
      'a',
      { type: 'merge', body: { data: { k: 'v' } } },
      { onWarning: (text) => warnings.push(text) },
    );
    expect(warnings).toEqual(['changed']);
    await expect(maps().delete('a')).rejects.toSatisfy(isForbidden);
    await registration.remove();
    expect(await plane.client.api(MutatingWebhookConfiguration).find('guard.example.com')).toBeUndefined();
    await maps().delete('a');
  });

  it('converts custom resources', async () => {
    const names = { group: 'example.com', kind: 'Widget', plural: 'widgets', scope: 'Namespaced' } as const;
    const [v1, v2] = [untypedKind({ ...names, version: 'v1' }), untypedKind({ ...names, version: 'v2' })];
    const convert = [
      converting(
        v2,
        spoke(v1, {
          toHub: (object) => ({ total: object['size'] }),
          fromHub: (object) => ({ size: object['total'] }),
        }),
      ),
    ];
    const server = await serve({ convert });
    const registering = server.register({ transport: plane.client.transport });
    await expect(registering).rejects.toThrow('the CustomResourceDefinition widgets.example.com does not exist');
    await expect(registering).rejects.toSatisfy(isConfigError);
    const version = (name: string, field: string) => ({
      name,
      served: true,
      storage: name === 'v2',
      schema: { openAPIV3Schema: { type: 'object', properties: { [field]: { type: 'integer' } } } },
    });
    await plane.client.api(CustomResourceDefinition).create({
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: names.group,
        scope: names.scope,
        names: { plural: names.plural, kind: names.kind },
        versions: [version('v1', 'size'), version('v2', 'total')],
      },
    });
    await server.register({ transport: plane.client.transport });
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, size: 3 };
    await plane.client.api(v1, 'default').create(widget);
    expect((await plane.client.api(v2, 'default').get('w'))['total']).toBe(3);
    expect((await plane.client.api(v1, 'default').get('w'))['size']).toBe(3);
    expect(await plane.client.api(MutatingWebhookConfiguration).find('guard.example.com')).toBeUndefined();
  });

  it('keeps the CAs that other replicas registered for the same address', async () => {
    const replicas = await Promise.all([serve({ validate: [check] }), serve({ validate: [check] })]);
    const address = { url: replicas[0].url };
    const register = (server: WebhookServer) => server.register({ transport: plane.client.transport, address });
    await Promise.all(replicas.map(register));
    const bundle = await bundleOf();
    for (const { ca } of replicas) expect(bundle).toContain(ca.trim());
    const refusal = maps().create({ metadata: { name: 'b' }, data: { size: 'large' } });
    await expect(refusal).rejects.toThrow('must not be large');
    await register(replicas[1]);
    expect((await bundleOf()).match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
  });

  it('removes the webhooks that a later version of the program does not have', async () => {
    const first = await serve({ mutate: [label], validate: [check] });
    await first.register({ transport: plane.client.transport });
    const second = await serve({ validate: [check] });
    await second.register({ transport: plane.client.transport });
    const left = await plane.client.api(MutatingWebhookConfiguration).get('guard.example.com');
    expect(left.webhooks ?? []).toEqual([]);
  });

  it('registers a Service, whose name is in the certificate', async () => {
    const server = await serve({ validate: [check] });
    const address = { service: { namespace: 'system', name: 'guard' } };
    await server.register({ transport: plane.client.transport, address });
    const { webhooks } = await plane.client.api(ValidatingWebhookConfiguration).get('guard.example.com');
    expect(webhooks?.[0]?.clientConfig.service).toEqual({
      namespace: 'system',
      name: 'guard',
      port: 443,
      path: '/validate/configmaps',
    });
    const socket = await open(server.port);
    expect(socket.getPeerCertificate().subjectaltname).toContain('DNS:guard.system.svc');
    socket.destroy();
  });

  it('finishes reviews in flight when it stops', async () => {
    let release = (): void => {};
    const started = new Promise<void>((resolve) => {
      release = resolve;
    });
    let answer = (): void => {};
    const waiting = new Promise<undefined>((resolve) => {
      answer = () => resolve(undefined);
    });
    const abort = new AbortController();
    const slow = validating(ConfigMap, () => {
      release();
      return waiting;
    });
    const server = await serve({ validate: [slow], signal: abort.signal });
    await server.register({ transport: plane.client.transport });
    const created = maps().create({ metadata: { name: 'slow' } });
    await started;
    abort.abort();
    answer();
    expect((await created).metadata.name).toBe('slow');
    await server.stopped;
    await expect(open(server.port)).rejects.toThrow('ECONNREFUSED');
  });
});

describe('certificates of a webhook server', () => {
  it('of an operator are replaced after the API server trusts the new CA; open connections stay', async () => {
    const [certFile, keyFile, caFile] = ['tls.crt', 'tls.key', 'ca.crt'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const write = async (commonName: string): Promise<string> => {
      const ca = await createCa({ clock, commonName: `${commonName} CA` });
      const { certificatePem, keyPem } = await issueServerCertificate(ca, { clock, commonName });
      writeFileSync(caFile, ca.certificatePem);
      writeFileSync(certFile, certificatePem);
      writeFileSync(keyFile, keyPem);
      return ca.certificatePem;
    };
    const first = await write('first');
    const server = await serve({ validate: [check], certFile, keyFile, caFile });
    await server.register({ transport: plane.client.transport });
    expect(await bundleOf()).toBe(first);
    await maps().create({ metadata: { name: 'before' } });
    const before = await open(server.port);
    const second = await write('second');
    await clock.advance(10_000);
    await expect.poll(() => server.ca).toBe(second);
    expect(await bundleOf()).toBe(`${second.trimEnd()}\n${first}`);
    const after = await open(server.port);
    expect([before, after].map((socket) => socket.getPeerCertificate().subject.CN)).toEqual(['first', 'second']);
    expect(before.destroyed).toBe(false);
    await maps().create({ metadata: { name: 'after' } });
    for (const socket of [before, after]) socket.destroy();
  });

  it('of its own CA are kept in the folder, renewed in time and registered again', async () => {
    const server = await serve({ validate: [check], folder });
    const { ca } = server;
    await server.register({ transport: plane.client.transport });
    await server.stop();
    const again = await serve({ validate: [check], folder });
    expect(again.ca).toBe(ca);
    await again.register({ transport: plane.client.transport });
    clock.setWallClock(YEARS_10);
    await clock.advance(3_600_000);
    await expect.poll(() => again.ca === ca).toBe(false);
    expect(await bundleOf()).toBe(`${again.ca.trimEnd()}\n${ca}`);
  });
});

/** Close to the end of the CA's validity. */
const YEARS_10 = 3_649 * 24 * 3_600_000;

function open(port: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => resolve(socket));
    socket.on('error', reject);
  });
}
