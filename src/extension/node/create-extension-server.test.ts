import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isForbidden, isUnauthorized } from '../../apimachinery/status/status.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import { systemClock } from '../../base/clock.ts';
import { isConfigError } from '../../base/errors.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { createClient } from '../../client/create-client.ts';
import { connect } from '../../node/kubeconfig/connect.ts';
import { createCa, issueServerCertificate } from '../../pki/certificates.ts';
import { formatKubeconfig } from '../../pki/kubeconfig.ts';
import { ACCOUNT, ACCOUNT_RESOURCE } from '../extension.fixtures.ts';
import type { ExtensionServer, ListeningServer } from '../extension-server.ts';
import { createExtensionServer } from './create-extension-server.ts';

const account = (name: string) => ({ metadata: { name }, spec: { owner: 'ann' } });

let folder: string;
const servers: ExtensionServer[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'extension-'));
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  rmSync(folder, { recursive: true });
});

function create(options: Partial<Parameters<typeof createExtensionServer>[0]> = {}): ExtensionServer {
  const server = createExtensionServer({
    resources: [ACCOUNT_RESOURCE],
    standalone: true,
    storage: 'memory',
    ...options,
  });
  servers.push(server);
  return server;
}

async function clientOf(kubeconfig: string | undefined): Promise<ReturnType<typeof createClient>> {
  const connection = await connect({ kubeconfig: kubeconfig ?? '' });
  servers.push({ stop: () => connection.stop() } as ExtensionServer);
  return createClient(connection.transport);
}

function tokenConfig({ url, ca }: ListeningServer, token: string): string {
  return formatKubeconfig({ server: url, caPem: ca, credentials: { kind: 'token', token } });
}

describe('a standalone extension server', () => {
  it('serves its resources to the administrator of its kubeconfig', async () => {
    const { kubeconfig, url } = await create().listen();
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const accounts = (await clientOf(kubeconfig)).api(ACCOUNT, 'default');
    await accounts.create(account('a'));
    expect((await accounts.list().toArray()).map(({ metadata }) => metadata.name)).toEqual(['a']);
  });

  it('answers probes to everyone, nothing else to strangers, and 401 to unknown tokens', async () => {
    const listening = await create().listen();
    const stranger = await clientOf(
      formatKubeconfig({ server: listening.url, caPem: listening.ca, credentials: { kind: 'token', token: '' } }),
    );
    for (const target of ['/healthz', '/livez', '/readyz'])
      expect((await stranger.transport({ method: 'GET', target, headers: {} })).status).toBe(200);
    await expect(stranger.all(ACCOUNT).list().toArray()).rejects.toSatisfy(isForbidden);
    const forged = await clientOf(tokenConfig(listening, 'forged'));
    await expect(forged.all(ACCOUNT).list().toArray()).rejects.toSatisfy(isUnauthorized);
  });

  it('recognizes the tokens and asks the authorizer of the program', async () => {
    const listening = await create({
      authentication: {
        tokens: (token) =>
          token === 'good'
            ? { outcome: 'ok', user: { name: 'ann', uid: '', groups: [], extra: {} } }
            : { outcome: 'none' },
      },
      authorization: {
        authorizer: {
          authorize: ({ user, verb }) => ({
            decision: user.name === 'ann' && verb === 'list' ? 'allow' : 'no-opinion',
            reason: '',
            error: '',
          }),
        },
      },
    }).listen();
    const ann = await clientOf(tokenConfig(listening, 'good'));
    expect(await ann.api(ACCOUNT, 'default').list().toArray()).toEqual([]);
    await expect(ann.api(ACCOUNT, 'default').create(account('a'))).rejects.toSatisfy(isForbidden);
  });

  it('keeps objects, its CA and the administrator in its folder', async () => {
    const first = await create({ storage: { folder } }).listen();
    await (await clientOf(first.kubeconfig)).api(ACCOUNT, 'default').create(account('kept'));
    const { port } = first;
    await first.stop();
    const second = await create({ storage: { folder } }).listen({ port });
    expect(second.ca).toBe(first.ca);
    const found = await (await clientOf(first.kubeconfig)).api(ACCOUNT, 'default').get('kept');
    expect(found.metadata.name).toBe('kept');
    expect(readdirSync(join(folder, 'pki')).sort()).toEqual(
      ['admin.crt', 'admin.key', 'ca.crt', 'ca.key', 'serving.crt', 'serving.key'].sort(),
    );
  });

  it('sends requests of the program without a socket, as a member of system:masters', async () => {
    const accounts = createClient(create().transport).api(ACCOUNT, 'default');
    await accounts.create(account('a'));
    expect((await accounts.get('a')).spec).toEqual({ owner: 'ann' });
  });

  it('answers 503 before it has started', async () => {
    const server = create();
    const answer = await server.handler({} as Parameters<ExtensionServer['handler']>[0]);
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  });

  it('counts requests and shows the process in its metrics, and has checks of its own', async () => {
    const server = create({
      setup: (generic) => generic.health.addTo('readyz', { name: 'ledger', check: () => 'the ledger is locked' }),
    });
    const get = async (target: string): Promise<{ status: number; text: string }> => {
      const { status, body } = await server.transport({ method: 'GET', target, headers: {} });
      return { status, text: new TextDecoder().decode(body as Uint8Array) };
    };
    expect(await get('/readyz')).toMatchObject({ status: 500, text: expect.stringContaining('[-]ledger failed') });
    expect((await get('/livez')).status).toBe(200);
    const { text } = await get('/metrics');
    expect(text).toContain('process_resident_memory_bytes');
    expect(text).toContain('apiserver_request_total');
  });

  it('refuses options that contradict each other', async () => {
    expect(() => createExtensionServer({ resources: [] })).toThrow('needs at least one resource');
    expect(() => create({ parent: { kubeconfig: 'x' } })).toThrow('a standalone server has no parent');
    await expect(create().listen({ certFile: 'x' })).rejects.toSatisfy(isConfigError);
  });
});

describe('the listener of an extension server', () => {
  it('serves the files of an operator and follows their changes', async () => {
    const clock = new VirtualClock(Date.now());
    const ca = await createCa({ clock: systemClock, commonName: 'operator' });
    const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
    const write = async (commonName: string): Promise<void> => {
      const { certificatePem, keyPem } = await issueServerCertificate(ca, { clock: systemClock, commonName });
      writeFileSync(certFile, certificatePem);
      writeFileSync(keyFile, keyPem);
    };
    await write('first');
    const { port } = await create({ clock }).listen({ certFile, keyFile });
    expect(await peerName(port)).toBe('first');
    await write('second');
    await clock.advance(10_000);
    await expect.poll(() => peerName(port)).toBe('second');
    writeFileSync(certFile, 'garbage');
    await clock.advance(10_000);
    expect(await peerName(port)).toBe('second');
  });

  it('adds names to its certificate while it runs', async () => {
    const server = create();
    const { port, ca } = await server.listen();
    expect(await server.addServingHosts(['bank.bank.svc'])).toBe(ca);
    expect(await peerNames(port, ca)).toContain('DNS:bank.bank.svc');
  });

  it('names hosts that are added while it starts', async () => {
    const server = create();
    const listening = server.listen();
    const ca = await server.addServingHosts(['bank.bank.svc']);
    expect(await peerNames((await listening).port, ca)).toContain('DNS:bank.bank.svc');
  });

  it('ends watches, finishes requests and closes all connections when it stops', async () => {
    const abort = new AbortController();
    const listening = await create().listen({ signal: abort.signal });
    const client = await clientOf(listening.kubeconfig);
    const watched: string[] = [];
    const watch = (async () => {
      for await (const { type } of client.all(ACCOUNT).watch({ resourceVersion: '1' })) watched.push(type);
    })();
    await client.api(ACCOUNT, 'default').create(account('a'));
    await expect.poll(() => watched).toEqual(['ADDED']);
    abort.abort();
    await watch;
    await listening.stopped;
    await expect(peerName(listening.port)).rejects.toThrow('ECONNREFUSED');
  });
});

function peerName(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

function peerNames(port: number, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: '127.0.0.1', port, ca: Buffer.from(encodeUtf8(ca)) }, () => {
      resolve(String(socket.getPeerCertificate().subjectaltname));
      socket.destroy();
    });
    socket.on('error', reject);
  });
}
