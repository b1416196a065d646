import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../../src/base/bytes.ts';
import { systemClock } from '../../src/base/clock.ts';
import { Deferred } from '../../src/base/deferred.ts';
import { type Logger, SILENT } from '../../src/base/logger.ts';
import { VirtualClock } from '../../src/base/virtual-clock.ts';
import { completeOptions } from '../../src/controlplane/complete-options.ts';
import type { ControlPlane } from '../../src/controlplane/control-plane.ts';
import { nodePlatform } from '../../src/controlplane/node/node-platform.ts';
import { type PartialOptions, type ServerOptions, serverOptions } from '../../src/controlplane/options.ts';
import type { Platform } from '../../src/controlplane/platform.ts';
import { startControlPlane } from '../../src/controlplane/start.ts';
import { createCa, issueServerCertificate, type KeyedCertificate } from '../../src/pki/certificates.ts';
import { inProcess } from '../../src/server/http/in-process.ts';
import { createMemoryStorage } from '../../src/storage/memory/memory-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

let folder: string;
let planes: ControlPlane[];
let sessions: ClientHttp2Session[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-control-plane-'));
  planes = [];
  sessions = [];
});

afterEach(async () => {
  for (const session of sessions) session.destroy();
  for (const plane of planes) await plane.stop();
  rmSync(folder, { recursive: true });
});

interface Starting {
  readonly options?: PartialOptions<ServerOptions>;
  readonly platform?: Partial<Platform>;
  readonly logger?: Logger;
}

async function start({ options = {}, platform = {}, logger = SILENT }: Starting = {}): Promise<ControlPlane> {
  const dataDir = join(folder, 'data');
  const said = serverOptions({ storage: 'memory', ...options, dataDir, serving: { ...options.serving, port: 0 } });
  const plane = await startControlPlane(await completeOptions(said, { ...nodePlatform, ...platform }), { logger });
  planes.push(plane);
  return plane;
}

/** A store whose writes wait while the gate is shut. */
class Gate {
  readonly storage: Storage;
  #shut: Deferred<void> | undefined;
  #arrived = new Deferred<void>();

  constructor() {
    const memory = createMemoryStorage();
    this.storage = new Proxy(memory, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== 'function') return member;
        if (!['create', 'compareAndWrite', 'delete', 'transact'].includes(String(name))) return member.bind(target);
        return async (...args: unknown[]) => {
          if (this.#shut !== undefined) this.#arrived.resolve();
          await this.#shut?.promise;
          return (member as (...all: unknown[]) => unknown).apply(target, args);
        };
      },
    });
  }

  /** Resolves when the first write waits. */
  shut(): Promise<void> {
    this.#shut = new Deferred();
    this.#arrived = new Deferred();
    return this.#arrived.promise;
  }

  open(): void {
    this.#shut?.resolve();
    this.#shut = undefined;
  }
}

interface Answered {
  readonly status: number;
  readonly text: string;
}

async function ask(
  plane: ControlPlane,
  method: string,
  target: string,
  body?: unknown,
  token?: string,
): Promise<Answered> {
  const response = await plane.transport({
    method,
    target,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: encodeUtf8(JSON.stringify(body)) }),
  });
  const parts: Uint8Array[] = [];
  if (response.body instanceof Uint8Array) parts.push(response.body);
  else for await (const part of response.body) parts.push(part);
  return { status: response.status, text: parts.map(decodeUtf8).join('') };
}

/** Sends a request over a socket as the admin. */
function post(plane: ControlPlane, body: unknown): Promise<Answered> {
  const pki = join(folder, 'data', 'pki');
  const session = connect(plane.url, {
    ca: readFileSync(join(pki, 'ca.crt')),
    cert: readFileSync(join(pki, 'admin.crt')),
    key: readFileSync(join(pki, 'admin.key')),
  });
  session.on('error', () => undefined);
  sessions.push(session);
  const stream = session.request({ ':method': 'POST', ':path': CONFIG_MAPS, 'content-type': 'application/json' });
  stream.end(JSON.stringify(body));
  return new Promise((resolve, reject) => {
    let status = 0;
    let text = '';
    stream.on('response', (headers) => {
      status = Number(headers[':status']);
    });
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    stream.on('close', () => resolve({ status, text }));
    stream.on('error', reject);
  });
}

describe('a control plane', () => {
  it('answers in-process requests as the server itself with its token, and as anonymous without', async () => {
    const plane = await start();
    await plane.ready;
    const who = await ask(plane, 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
    expect(JSON.parse(who.text)).toMatchObject({
      status: { userInfo: { username: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] } },
    });
    const nobody = await inProcess(plane.handler)({ method: 'GET', target: CONFIG_MAPS });
    expect(nobody.status).toBe(403);
  });

  it('serves health checks to anonymous clients by a role only, and not on paths with an extra slash', async () => {
    const plane = await start();
    await plane.ready;
    const send = inProcess(plane.handler);
    const codeOf = async (method: string, target: string) => (await send({ method, target })).status;
    expect(await Promise.all(['GET', 'HEAD', 'POST'].map((method) => codeOf(method, '/livez')))).toEqual([
      200, 403, 403,
    ]);
    const binding = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:public-info-viewer';
    expect((await ask(plane, 'DELETE', binding)).status).toBe(200);
    expect(await codeOf('GET', '/livez')).toBe(403);
    expect((await ask(plane, 'GET', `/${CONFIG_MAPS}`)).status).toBe(404);
    expect((await ask(plane, 'POST', '/openid/v1/jwks')).status).toBe(405);
  });

  it('keeps no metrics of subresources that a client has made up', async () => {
    const plane = await start();
    await plane.ready;
    const send = inProcess(plane.handler);
    for (const subresource of ['made-up-1', 'made-up-2', 'token']) {
      const target = `/api/v1/watch/namespaces/x/serviceaccounts/y/${subresource}`;
      expect((await send({ method: 'GET', target })).status).toBe(403);
    }
    const { text } = await ask(plane, 'GET', '/metrics');
    expect(text).toMatch(/apiserver_longrunning_requests\{.*subresource="token"/);
    expect(text).not.toContain('made-up');
  });

  it('listens before its bootstrap objects exist, and is ready only afterwards', async () => {
    const gate = new Gate();
    void gate.shut();
    const plane = await start({ options: { storage: 'lmdb' }, platform: { openStorage: async () => gate.storage } });
    const before = await ask(plane, 'GET', '/readyz?verbose');
    expect(before.status).toBe(500);
    expect(before.text).toContain('[-]poststarthook/rbac/bootstrap-roles failed');
    expect(before.text).toContain('[+]etcd ok');
    gate.open();
    await plane.ready;
    expect((await ask(plane, 'GET', '/readyz')).status).toBe(200);
  });

  it('rejects ready if the bootstrap fails, and can be stopped then', async () => {
    const storage = createMemoryStorage();
    const broken = new Proxy(storage, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as unknown;
        if (['create', 'compareAndWrite', 'transact'].includes(String(name)))
          return () => Promise.reject(new Error('the disk is gone'));
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const plane = await start({ options: { storage: 'lmdb' }, platform: { openStorage: async () => broken } });
    await expect(plane.ready).rejects.toThrow();
    expect((await ask(plane, 'GET', '/readyz')).status).toBe(500);
    await plane.stop();
  });

  it('counts its requests and its resources', async () => {
    const plane = await start();
    await plane.ready;
    await ask(plane, 'GET', CONFIG_MAPS);
    await ask(plane, 'GET', '/api/v1/namespaces/default/inventions');
    const { text } = await ask(plane, 'GET', '/metrics');
    const counted =
      /^apiserver_request_total\{code="200".*resource="configmaps",scope="namespace".*verb="LIST".*\} 1$/m;
    expect(text.replace(/\{([^}]*)\}/g, (_, labels: string) => `{${labels.split(',').sort().join(',')}}`)).toMatch(
      counted,
    );
    expect(text).not.toContain('inventions');
    expect(Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1])).toBeGreaterThan(0);
    expect(Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1])).toBeGreaterThan(1e7);
    expect(text).toMatch(/^apiserver_current_inflight_requests\{request_kind="readOnly"\} \d+$/m);
  });

  it('accepts the tokens of the token file, also in reviews', async () => {
    const tokenFile = join(folder, 'tokens.csv');
    writeFileSync(tokenFile, 'tell-nobody,jane,7,"dev,ops"\n');
    const plane = await start({ options: { authentication: { tokenFile } } });
    await plane.ready;
    const who = await ask(plane, 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, 'tell-nobody');
    expect(JSON.parse(who.text)).toMatchObject({ status: { userInfo: { username: 'jane', uid: '7' } } });
    const review = await ask(plane, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
      spec: { token: 'tell-nobody' },
    });
    expect(JSON.parse(review.text)).toMatchObject({ status: { authenticated: true, user: { username: 'jane' } } });
    expect((await ask(plane, 'GET', CONFIG_MAPS, undefined, 'wrong')).status).toBe(401);
  });

  it('writes the audit log of the policy, without tokens', async () => {
    const policyFile = join(folder, 'policy.yaml');
    const logPath = join(folder, 'audit.log');
    writeFileSync(
      policyFile,
      'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: RequestResponse}]\n',
    );
    // The requests of control loops are audited, too.
    const plane = await start({ options: { audit: { policyFile, logPath }, controllers: [] } });
    await plane.ready;
    await ask(plane, 'POST', CONFIG_MAPS, { metadata: { name: 'seen' } });
    await ask(plane, 'POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
    const token = await ask(plane, 'POST', '/api/v1/namespaces/default/serviceaccounts/robot/token', { spec: {} });
    const secret = (JSON.parse(token.text) as { status: { token: string } }).status.token;
    const review = { spec: { token: secret } };
    expect((await ask(plane, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', review)).text).toContain(
      '"authenticated":true',
    );
    await plane.stop();
    const text = readFileSync(logPath, 'utf8');
    const events = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { verb: string; requestObject?: unknown });
    expect(events).toHaveLength(4);
    expect(events[0]).toMatchObject({ verb: 'create', requestObject: { metadata: { name: 'seen' } } });
    expect(text).not.toContain(secret);
  });

  it('serves renewed certificates to new connections', async () => {
    const clock = new VirtualClock(Date.now());
    const renewed = new Deferred<void>();
    const logger: Logger = {
      ...SILENT,
      info: (message) => {
        if (message.startsWith('renewed the certificates')) renewed.resolve();
      },
      error: (message, error) => renewed.reject(error ?? new Error(message)),
    };
    const ca = await createCa({ commonName: 'somebody', clock: systemClock });
    const [old, next] = await Promise.all([1, 2].map(() => issueServerCertificate(ca, { clock: systemClock })));
    const [certFile, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
    const place = (pair: KeyedCertificate | undefined): void => {
      writeFileSync(certFile, pair?.certificatePem ?? '');
      writeFileSync(keyFile, pair?.keyPem ?? '');
    };
    place(old);
    const plane = await start({ options: { serving: { certFile, keyFile } }, platform: { clock }, logger });
    await plane.ready;
    const shown = async (): Promise<string> => {
      const socket = connectTls({ host: plane.address, port: plane.port, rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      const { fingerprint256 } = socket.getPeerCertificate();
      socket.destroy();
      return fingerprint256;
    };
    const fingerprint = (pair: KeyedCertificate | undefined): string =>
      new X509Certificate(pair?.certificatePem ?? '').fingerprint256;
    expect(await shown()).toBe(fingerprint(old));
    place(next);
    await clock.advance(3_600_000);
    await renewed.promise;
    expect(await shown()).toBe(fingerprint(next));
    expect(readFileSync(plane.kubeconfig as string, 'utf8')).toContain(
      Buffer.from(next?.certificatePem.trim() ?? '')
        .toString('base64')
        .slice(0, 100),
    );
  });
});

describe('stopping a control plane', () => {
  it('lets running writes finish and loses no acknowledged write', async () => {
    const gate = new Gate();
    const plane = await start({ options: { storage: 'lmdb' }, platform: { openStorage: async () => gate.storage } });
    await plane.ready;
    const arrived = gate.shut();
    const writing = post(plane, { metadata: { name: 'late' } });
    await arrived;
    const stopping = plane.stop();
    gate.open();
    expect((await writing).status).toBe(201);
    await stopping;
    expect(plane.stop()).toBe(stopping);
  });

  it('aborts requests that do not finish in time', async () => {
    const gate = new Gate();
    const platform = { openStorage: async () => gate.storage };
    const plane = await start({ options: { storage: 'lmdb', shutdownGraceMs: 50 }, platform });
    await plane.ready;
    const arrived = gate.shut();
    const writing = post(plane, { metadata: { name: 'never' } }).catch(() => ({ status: 0, text: '' }));
    await arrived;
    const stopping = plane.stop();
    expect((await writing).status).toBe(0);
    gate.open();
    await stopping;
  });

  it('releases the port and the folder', async () => {
    const first = await start({ options: { storage: 'lmdb' } });
    await first.ready;
    await first.stop();
    const second = await start({ options: { storage: 'lmdb' } });
    await second.ready;
    await second.stop();
  });
});
