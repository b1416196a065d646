import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isNotFound } from '../../src/apimachinery/status/status.ts';
import { decodeUtf8 } from '../../src/base/bytes.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { JsonObject } from '../../src/base/json-value.ts';
import { createClient } from '../../src/client/create-client.ts';
import { untypedKind } from '../../src/client/untyped-kind.ts';
import { ACCOUNT, ACCOUNT_RESOURCE } from '../../src/extension/extension.fixtures.ts';
import {
  createExtensionServer,
  type ExtensionServer,
  type ListeningServer,
  manifests,
} from '../../src/extension/index.ts';
import { type ControlPlane, startControlPlane } from '../../src/index.ts';
import {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../src/kinds/api/admissionregistration/v1.ts';
import { ConfigMap, Namespace } from '../../src/kinds/api/core/v1.ts';
import { createCa, issueClientCertificate } from '../../src/pki/certificates.ts';
import { denied, mutating, serveWebhooks, validating } from '../../src/webhook/index.ts';

let folder: string;
let plane: ControlPlane;
let server: ExtensionServer;
let listening: ListeningServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'extension-server-'));
  plane = await startControlPlane({ dataDir: join(folder, 'parent'), serving: { port: 0 } });
  server = createExtensionServer({
    resources: [ACCOUNT_RESOURCE],
    storage: 'memory',
    parent: { kubeconfig: plane.kubeconfigText ?? '' },
  });
  listening = await server.listen({ host: '127.0.0.1' });
});

afterAll(async () => {
  await server.stop();
  await plane.stop();
  rmSync(folder, { recursive: true });
});

const ACCOUNTS = '/apis/bank.example.com/v1/namespaces/default/accounts';

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly cert?: string;
  readonly key?: string;
  readonly body?: object;
}

interface Reply {
  readonly status: number;
  readonly text: string;
}

async function send({ method = 'GET', path = ACCOUNTS, headers = {}, body, ...tls }: Sent): Promise<Reply> {
  const outgoing = request(`${listening.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ca: listening.ca,
    agent: false,
    ...tls,
  });
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer] = await once(outgoing, 'response');
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return { status: answer.statusCode, text };
}

const pki = (name: string): { cert: string; key: string } => ({
  cert: readFileSync(join(folder, 'parent', 'pki', `${name}.crt`), 'utf8'),
  key: readFileSync(join(folder, 'parent', 'pki', `${name}.key`), 'utf8'),
});
const account = (name: string, namespace = 'default'): object => ({
  apiVersion: 'bank.example.com/v1',
  kind: 'Account',
  metadata: { name, namespace },
  spec: { owner: 'ann' },
});

/** Lets a user read and write accounts. */
async function grant(user: string): Promise<void> {
  const client = createClient(plane.transport);
  const rbac = (kind: string, plural: string) =>
    client.api(untypedKind({ group: 'rbac.authorization.k8s.io', version: 'v1', kind, plural, scope: 'Cluster' }));
  const rules = [{ apiGroups: ['bank.example.com'], resources: ['accounts'], verbs: ['*'] }];
  await rbac('ClusterRole', 'clusterroles').create({ metadata: { name: user }, rules });
  await rbac('ClusterRoleBinding', 'clusterrolebindings').create({
    metadata: { name: user },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  });
}

describe('an extension server behind a parent', () => {
  it('recognizes the users that the proxy of the parent names', async () => {
    const proxy = pki('front-proxy-client');
    await grant('ann');
    const headers = { 'x-remote-user': 'ann', 'x-remote-group': ['staff', 'tellers'], 'x-remote-extra-scopes': 'all' };
    expect(await send({ ...proxy, headers })).toMatchObject({ status: 200 });
    const refused = await send({ ...proxy, headers: { ...headers, 'x-remote-user': 'bob' } });
    expect(refused).toMatchObject({
      status: 403,
      text: expect.stringContaining('User \\"bob\\" cannot list resource'),
    });
    const admin = await send({ ...proxy, headers: { 'x-remote-user': 'root', 'x-remote-group': 'system:masters' } });
    expect(admin.status).toBe(200);
  });

  it('ignores the headers of everyone else', async () => {
    const spoofed = { 'x-remote-user': 'root', 'x-remote-group': 'system:masters' };
    expect(await send({ headers: spoofed })).toMatchObject({
      status: 403,
      text: expect.stringContaining('system:anonymous'),
    });
    const other = await createCa({ clock: systemClock, commonName: 'front-proxy-ca' });
    const forged = await issueClientCertificate(other, { clock: systemClock, user: 'front-proxy-client' });
    expect((await send({ cert: forged.certificatePem, key: forged.keyPem, headers: spoofed })).status).toBe(401);
    // A client certificate of the parent is a user, never a proxy.
    const user = await send({ ...pki('admin'), headers: { 'x-remote-user': 'bob' } });
    expect(user.status).toBe(200);
  });

  it('recognizes client certificates and tokens of the parent, and refuses unknown tokens', async () => {
    expect((await send(pki('admin'))).status).toBe(200);
    const created = await plane.transport({
      method: 'POST',
      target: '/api/v1/namespaces/default/serviceaccounts/default/token',
      headers: { 'content-type': 'application/json' },
      body: new TextEncoder().encode('{"spec":{}}'),
    });
    const { status } = JSON.parse(decodeUtf8(created.body as Uint8Array)) as { status: { token: string } };
    const withToken = await send({ headers: { authorization: `Bearer ${status.token}` } });
    expect(withToken).toMatchObject({
      status: 403,
      text: expect.stringContaining('system:serviceaccount:default:default'),
    });
    expect((await send({ headers: { authorization: 'Bearer forged' } })).status).toBe(401);
  });

  it('answers probes to everyone, and becomes ready when it knows the namespaces', async () => {
    for (const path of ['/healthz', '/livez']) expect((await send({ path })).status).toBe(200);
    await expect.poll(async () => (await send({ path: '/readyz' })).status).toBe(200);
  });

  it('refuses objects in namespaces that are missing or terminating', async () => {
    const client = createClient(plane.transport);
    const create = (namespace: string): Promise<Reply> =>
      send({
        ...pki('admin'),
        method: 'POST',
        path: `/apis/bank.example.com/v1/namespaces/${namespace}/accounts`,
        body: account('a', namespace),
      });
    expect(await create('nowhere')).toMatchObject({
      status: 404,
      text: expect.stringContaining('namespaces \\"nowhere\\" not found'),
    });
    await client.api(Namespace).create({ metadata: { name: 'late' } });
    expect((await create('late')).status).toBe(201);
    const finalized = { metadata: { name: 'held', namespace: 'late', finalizers: ['example.com/hold'] } };
    await client.api(ConfigMap, 'late').create(finalized);
    await client.api(Namespace).delete('late');
    await expect.poll(async () => (await create('late')).status).toBe(403);
    expect((await create('late')).text).toContain('because it is being terminated');
  });

  it('runs the policies and webhooks of the parent for its own kinds', async () => {
    const client = createClient(plane.transport);
    const rules = [
      { apiGroups: ['bank.example.com'], apiVersions: ['*'], resources: ['accounts'], operations: ['*'] as const },
    ];
    const create = (name: string): Promise<Reply> =>
      send({ ...pki('admin'), method: 'POST', body: account(name), path: `${ACCOUNTS}?dryRun=All` });
    expect((await create('unguarded')).status).toBe(201);
    await client.api(ValidatingAdmissionPolicy).create({
      metadata: { name: 'names' },
      spec: {
        matchConstraints: { resourceRules: rules },
        validations: [{ expression: "!object.metadata.name.startsWith('bad')", message: 'a bad name' }],
      },
    });
    await client.api(ValidatingAdmissionPolicyBinding).create({
      metadata: { name: 'names' },
      spec: { policyName: 'names', validationActions: ['Deny'] },
    });
    await expect
      .poll(async () => (await create('bad')).text)
      .toContain(`ValidatingAdmissionPolicy 'names' with binding 'names' denied request: a bad name`);
    expect((await create('good')).status).toBe(201);
    const guard = await serveWebhooks({
      name: 'guard.example.com',
      mutate: [
        mutating(ACCOUNT, ({ object }) => ({ ...object, metadata: { ...object.metadata, labels: { seen: 'yes' } } })),
      ],
      validate: [
        validating(ACCOUNT, ({ object }) => {
          if (object.metadata?.name === 'closed') throw denied(`labelled ${object.metadata.labels?.['seen']}`);
          return [];
        }),
      ],
    });
    const registration = await guard.register({ transport: plane.transport });
    await expect.poll(async () => (await create('closed')).text).toContain('denied the request: labelled yes');
    expect(JSON.parse((await create('open')).text)).toMatchObject({ metadata: { labels: { seen: 'yes' } } });
    await registration.remove();
    await guard.stop();
    await expect.poll(async () => (await create('closed')).status).toBe(201);
  });

  it('follows the authentication that the parent publishes', async () => {
    const client = createClient(plane.transport);
    const ca = await createCa({ clock: systemClock, commonName: 'another-proxy-ca' });
    const proxy = await issueClientCertificate(ca, { clock: systemClock, user: 'another-proxy' });
    const sent = { cert: proxy.certificatePem, key: proxy.keyPem, headers: { 'x-caller': 'ann' } };
    expect((await send(sent)).status).toBe(401);
    await client.api(ConfigMap, 'kube-system').patch('extension-apiserver-authentication', {
      type: 'merge',
      body: {
        data: {
          'requestheader-client-ca-file': ca.certificatePem,
          'requestheader-username-headers': '["X-Caller"]',
          'requestheader-allowed-names': '["another-proxy"]',
        },
      },
    });
    await expect.poll(async () => (await send(sent)).status).toBe(200);
    const stranger = await issueClientCertificate(ca, { clock: systemClock, user: 'stranger' });
    const refused = await send({ ...sent, cert: stranger.certificatePem, key: stranger.keyPem });
    expect(refused.status).toBe(401);
  });
});

describe('a server whose user may not ask the parent', () => {
  it('does not start, and says which role is missing', async () => {
    const ann = createExtensionServer({
      resources: [ACCOUNT_RESOURCE],
      storage: 'memory',
      parent: {
        transport: (sent) => plane.transport({ ...sent, headers: { ...sent.headers, 'impersonate-user': 'eve' } }),
      },
    });
    await expect(ann.start()).rejects.toThrow('--role=extension-apiserver-authentication-reader');
    await ann.stop();
  });
});

describe('the manifests of a server', () => {
  it('can be applied, and give its ServiceAccount every right that it needs', async () => {
    const objects = await manifests(server, { namespace: 'bank', address: listening.url });
    expect(objects.map(({ kind }) => kind)).toEqual([
      'Namespace',
      'ServiceAccount',
      'ClusterRole',
      'ClusterRoleBinding',
      'ClusterRoleBinding',
      'RoleBinding',
      'ClusterRole',
      'ClusterRole',
      'Service',
      'APIService',
    ]);
    for (const object of objects) expect(await apply(object), String(object['kind'])).toBe(201);
    const account = createExtensionServer({
      resources: [ACCOUNT_RESOURCE],
      storage: 'memory',
      parent: {
        transport: (sent) =>
          plane.transport({
            ...sent,
            headers: { ...sent.headers, 'impersonate-user': 'system:serviceaccount:bank:bank' },
          }),
      },
    });
    await account.start();
    const found = createClient(account.transport).api(
      untypedKind({
        group: 'bank.example.com',
        version: 'v1',
        kind: 'Account',
        plural: 'accounts',
        scope: 'Namespaced',
      }),
      'default',
    );
    await expect(found.get('x')).rejects.toSatisfy(isNotFound);
    await expect
      .poll(async () => (await account.transport({ method: 'GET', target: '/readyz', headers: {} })).status)
      .toBe(200);
    await account.stop();
  });

  it('of an image can be applied, too', async () => {
    const objects = await manifests(server, { namespace: 'vault', name: 'vault', image: 'registry.example/vault:1' });
    expect(objects.map(({ kind }) => kind).slice(-4)).toEqual(['Secret', 'Service', 'Deployment', 'APIService']);
    const existing = new Set(['APIService']);
    for (const object of objects)
      expect(await apply(object), String(object['kind'])).toBe(existing.has(String(object['kind'])) ? 200 : 201);
  });

  it('with an IP address have an EndpointSlice', async () => {
    const objects = await manifests(server, { namespace: 'bank', address: '192.0.2.7:8443' });
    const slice = objects.find(({ kind }) => kind === 'EndpointSlice');
    expect(slice).toMatchObject({ addressType: 'IPv4', endpoints: [{ addresses: ['192.0.2.7'] }] });
    expect(await apply(slice as JsonObject)).toBe(201);
  });

  it('are refused with a sentence for options that make no sense', async () => {
    await expect(manifests(server, { namespace: 'bank' })).rejects.toThrow('set image or address');
    await expect(manifests(server, { namespace: 'No', address: 'x:1' })).rejects.toThrow('not a DNS label');
    await expect(manifests(server, { namespace: 'bank', address: 'http://x' })).rejects.toThrow('not host:port');
  });
});

const PLURALS: Readonly<Record<string, string>> = { APIService: 'apiservices', EndpointSlice: 'endpointslices' };

/** Applies an object on the server, as `kubectl apply --server-side` does, and returns the status of the answer. */
async function apply(object: JsonObject): Promise<number> {
  const { apiVersion, kind, metadata } = object as {
    apiVersion: string;
    kind: string;
    metadata: Record<string, string>;
  };
  const plural = PLURALS[kind] ?? `${kind.toLowerCase()}s`;
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const scope = metadata['namespace'] === undefined ? '' : `/namespaces/${metadata['namespace']}`;
  const { status, body } = await plane.transport({
    method: 'PATCH',
    target: `${root}${scope}/${plural}/${encodeURIComponent(metadata['name'] ?? '')}?fieldManager=test&force=true&fieldValidation=Strict`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: new TextEncoder().encode(JSON.stringify(object)),
  });
  if (status >= 400) throw new Error(decodeUtf8(body as Uint8Array));
  return status;
}
