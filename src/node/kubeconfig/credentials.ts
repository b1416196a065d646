/** The credentials of a kubeconfig user: its files are read, and its plugin is run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, resolve } from 'node:path';
import { decodeBase64, encodeBase64 } from '../../base/base64.ts';
import { decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { ConfigError, toError } from '../../base/errors.ts';
import { readJson } from '../../base/json-read.ts';
import { getField, isJsonObject, type JsonObject } from '../../base/json-value.ts';
import type { ExecPlugin, InlineOrFile, KubeconfigContext } from '../../client/kubeconfig.ts';
import type { ClientKeyPair } from '../../server/http/outbound.ts';
import { readTextFile } from '../platform.ts';

export interface Credentials {
  /** PEM; '' for the authorities that the system trusts. */
  readonly caPem: string;
  readonly clientCertificate: ClientKeyPair | undefined;
  /** `authorization` and the headers of impersonation. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

/** Throws ConfigError naming the file or the plugin that cannot be used. */
export async function loadCredentials(
  context: KubeconfigContext,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Credentials> {
  const { user } = context;
  const caPem = context.ca === undefined ? '' : await read(context.ca);
  const certificate = user.clientCertificate === undefined ? undefined : await read(user.clientCertificate);
  const key = user.clientKey === undefined ? undefined : await read(user.clientKey);
  if ((certificate === undefined) !== (key === undefined))
    throw new ConfigError(`the context ${context.name} has a client certificate without its key, or a key without it`);
  const given = certificate === undefined || key === undefined ? undefined : { cert: certificate, key };
  const token = user.tokenFile === undefined ? user.token : (await read(user.tokenFile)).trim();
  const isComplete = given !== undefined || token !== undefined || user.basic !== undefined;
  const plugin = user.exec === undefined || isComplete ? undefined : await runPlugin(user.exec, context, caPem, env);
  return {
    caPem,
    clientCertificate: given ?? plugin?.clientCertificate,
    headers: { ...authorization(token ?? plugin?.token, user.basic), ...impersonation(user.impersonate) },
  };
}

function authorization(
  token: string | undefined,
  basic: KubeconfigContext['user']['basic'],
): Readonly<Record<string, string>> {
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  if (basic === undefined) return {};
  return { authorization: `Basic ${encodeBase64(encodeUtf8(`${basic.username}:${basic.password}`))}` };
}

function impersonation(
  impersonate: KubeconfigContext['user']['impersonate'],
): Readonly<Record<string, string | readonly string[]>> {
  if (impersonate === undefined) return {};
  const { user, groups, uid } = impersonate;
  return {
    'impersonate-user': user,
    ...(groups.length === 0 ? {} : { 'impersonate-group': groups }),
    ...(uid === '' ? {} : { 'impersonate-uid': uid }),
  };
}

async function read(source: InlineOrFile): Promise<string> {
  if (source.kind === 'inline') {
    const bytes = decodeBase64(source.base64);
    if (bytes === undefined) throw new ConfigError('the kubeconfig has data that is not base64');
    return decodeUtf8(bytes);
  }
  const path = resolve(dirname(source.base), source.path);
  const text = await readTextFile(path);
  if (text === undefined) throw new ConfigError(`${source.base} names ${path}, which does not exist`);
  return text;
}

interface PluginCredentials {
  readonly token: string | undefined;
  readonly clientCertificate: ClientKeyPair | undefined;
}

/** Runs a credential plugin: client.authentication.k8s.io, ExecCredential. */
async function runPlugin(
  plugin: ExecPlugin,
  { server, insecureSkipTlsVerify, tlsServerName }: KubeconfigContext,
  caPem: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<PluginCredentials> {
  const cluster = {
    server,
    ...(caPem === '' ? {} : { 'certificate-authority-data': encodeBase64(encodeUtf8(caPem)) }),
    ...(insecureSkipTlsVerify ? { 'insecure-skip-tls-verify': true } : {}),
    ...(tlsServerName === undefined ? {} : { 'tls-server-name': tlsServerName }),
  };
  const info = {
    kind: 'ExecCredential',
    apiVersion: plugin.apiVersion,
    spec: { interactive: process.stdin.isTTY === true, ...(plugin.provideClusterInfo ? { cluster } : {}) },
  };
  const command = plugin.command.includes('/') ? resolve(dirname(plugin.base), plugin.command) : plugin.command;
  const output = await outputOf(command, plugin, { ...env, ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) });
  const answer = readJson(output);
  const status = answer.ok && isJsonObject(answer.value) ? getField(answer.value, 'status') : undefined;
  if (!isJsonObject(status)) throw new ConfigError(`the credential plugin ${command} printed no ExecCredential`);
  const cert = textOf(status, 'clientCertificateData');
  const key = textOf(status, 'clientKeyData');
  return {
    token: textOf(status, 'token'),
    clientCertificate: cert === undefined || key === undefined ? undefined : { cert, key },
  };
}

async function outputOf(
  command: string,
  { args, installHint }: ExecPlugin,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const child = spawn(command, args, { stdio: ['inherit', 'pipe', 'inherit'], env });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new ConfigError(`the credential plugin ${command} ended with ${code ?? 'a signal'}`);
    return output;
  } catch (caught) {
    if (caught instanceof ConfigError) throw caught;
    const hint = installHint === '' ? '' : ` (${installHint.trim()})`;
    throw new ConfigError(`cannot run the credential plugin ${command}: ${toError(caught).message}${hint}`);
  }
}

function textOf(object: JsonObject, name: string): string | undefined {
  const value = getField(object, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
