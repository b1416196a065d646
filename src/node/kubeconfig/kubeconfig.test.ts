import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sendForObject } from '../../client/response.ts';
import { connect } from './connect.ts';

let folder: string;
let server: Server;
let url: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-kubeconfig-'));
  server = createServer(({ url: path, headers }, answer) => {
    answer.setHeader('content-type', 'application/json');
    answer.end(JSON.stringify({ path, headers }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text, { mode: 0o700 });
  return join(folder, name);
}

function config(user: unknown, more: Record<string, unknown> = {}): string {
  return JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: url, ...more } }],
    users: [{ name: 'u', user }],
  });
}

/** Returns the headers that the server sees. */
async function headersOf(user: unknown): Promise<Record<string, string>> {
  const connection = await connect({ kubeconfig: write('config', config(user)) });
  const { headers, path } = await sendForObject(connection.transport, { method: 'GET', target: '/x?y=1' });
  expect(path).toBe('/x?y=1');
  await connection.stop();
  return headers as Record<string, string>;
}

describe('the credentials of a kubeconfig', () => {
  it('are tokens, also from a file beside it, or a password', async () => {
    expect(await headersOf({ token: 'abc' })).toMatchObject({ authorization: 'Bearer abc' });
    write('token', 'from-file\n');
    expect((await headersOf({ token: 'abc', tokenFile: 'token' }))['authorization']).toBe('Bearer from-file');
    expect((await headersOf({ username: 'a', password: 'b' }))['authorization']).toBe('Basic YTpi');
  });

  it('include impersonation', async () => {
    const headers = await headersOf({ token: 'x', as: 'joe', 'as-groups': ['g', 'h'], 'as-uid': '7' });
    expect(headers).toMatchObject({
      'impersonate-user': 'joe',
      'impersonate-group': 'g, h',
      'impersonate-uid': '7',
    });
  });

  it('come from a plugin, which gets the cluster', async () => {
    write(
      'plugin',
      `#!/usr/bin/env node
const { spec, apiVersion } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
const token = [process.argv[2], process.env.WORD, spec.cluster.server === ${JSON.stringify(url)}].join('-');
console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion, status: { token } }));
`,
    );
    const exec = {
      command: './plugin',
      args: ['a'],
      env: [{ name: 'WORD', value: 'b' }],
      apiVersion: 'client.authentication.k8s.io/v1',
      provideClusterInfo: true,
    };
    expect((await headersOf({ exec }))['authorization']).toBe('Bearer a-b-true');
  });

  it('that cannot be used are named', async () => {
    const failing = (user: unknown): Promise<unknown> => headersOf(user);
    await expect(failing({ tokenFile: 'none' })).rejects.toThrow('/none, which does not exist');
    await expect(failing({ 'client-certificate-data': 'QQ==' })).rejects.toThrow(
      'a client certificate without its key',
    );
    await expect(failing({ exec: { command: 'no-such-plugin', installHint: 'Install it.' } })).rejects.toThrow(
      /cannot run the credential plugin no-such-plugin: .* \(Install it\.\)/,
    );
    await expect(failing({ exec: { command: 'false' } })).rejects.toThrow('the credential plugin false ended with 1');
    await expect(failing({ exec: { command: 'true' } })).rejects.toThrow('printed no ExecCredential');
  });
});

describe('the kubeconfig of a person', () => {
  it('is in KUBECONFIG, of which missing files are ignored, or in a usual place', async () => {
    const file = write('config', config({}));
    const env = { KUBECONFIG: [join(folder, 'none'), file].join(delimiter) };
    expect((await connect({ env })).server).toBe(url);
    const fallbacks = [join(folder, 'none'), file];
    expect((await connect({ env: {}, fallbacks })).server).toBe(url);
    expect((await connect({ env: {}, kubeconfig: config({}) })).server).toBe(url);
  });

  it('must exist', async () => {
    const none = join(folder, 'none');
    await expect(connect({ env: {}, kubeconfig: none })).rejects.toThrow(`the kubeconfig ${none} does not exist`);
    await expect(connect({ env: { KUBECONFIG: none } })).rejects.toThrow(`KUBECONFIG names ${none}, which`);
    await expect(connect({ env: {}, fallbacks: [none] })).rejects.toThrow('no kubeconfig: set KUBECONFIG or name a');
  });

  it('may name a server that does not answer', async () => {
    const kubeconfig = write('config', config({}, { server: 'http://127.0.0.1:1' }));
    const { transport } = await connect({ kubeconfig, env: {}, retries: false });
    await expect(sendForObject(transport, { method: 'GET', target: '/x' })).rejects.toThrow(
      'Get "http://127.0.0.1:1/x": dial tcp 127.0.0.1:1: connect: connection refused',
    );
  });
});
