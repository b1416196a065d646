/** The credential plugins of kubeconfigs: client.authentication.k8s.io, ExecCredential. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, resolve } from 'node:path';
import { encodeBase64 } from '../../base/base64.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import { ConfigError, toError } from '../../base/errors.ts';
import { readJson } from '../../base/json-read.ts';
import { getField, isJsonObject, type JsonObject } from '../../base/json-value.ts';
import type { ExecPlugin, KubeconfigContext } from '../../client/kubeconfig.ts';
import type { ClientKeyPair } from '../../server/http/outbound.ts';
import { checkToken } from './read-source.ts';

export interface PluginCredentials {
  readonly token: string | undefined;
  readonly clientCertificate: ClientKeyPair | undefined;
  /** Milliseconds since the epoch. Undefined for credentials that are valid until the server refuses them. */
  readonly expires: number | undefined;
}

export interface PluginRun {
  readonly plugin: ExecPlugin;
  readonly context: KubeconfigContext;
  readonly caPem: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the plugin. */
  readonly signal: AbortSignal;
}

/** Runs a plugin. Throws ConfigError if it cannot be run, fails, or prints no credentials. */
export async function runPlugin(run: PluginRun): Promise<PluginCredentials> {
  const { plugin, env } = run;
  const command = plugin.command.includes('/') ? resolve(dirname(plugin.base), plugin.command) : plugin.command;
  const isInteractive = process.stdin.isTTY === true && plugin.interactiveMode !== 'Never';
  if (plugin.interactiveMode === 'Always' && !isInteractive)
    throw new ConfigError(`the credential plugin ${command} needs a terminal for its input`);
  const info = JSON.stringify(execInfo(run, isInteractive));
  const child = spawn(command, plugin.args, {
    stdio: [isInteractive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    env: { ...env, ...plugin.env, KUBERNETES_EXEC_INFO: info },
    signal: run.signal,
  });
  const output = await outputOf(child, command, plugin.installHint);
  const answer = readJson(output);
  const status = answer.ok && isJsonObject(answer.value) ? getField(answer.value, 'status') : undefined;
  if (!isJsonObject(status)) throw new ConfigError(`the credential plugin ${command} printed no ExecCredential`);
  return credentialsOf(status, command);
}

function execInfo({ plugin, context, caPem }: PluginRun, interactive: boolean): unknown {
  const { server, insecureSkipTlsVerify, tlsServerName, proxyUrl } = context;
  const cluster = {
    server,
    ...(caPem === '' ? {} : { 'certificate-authority-data': encodeBase64(encodeUtf8(caPem)) }),
    ...(insecureSkipTlsVerify ? { 'insecure-skip-tls-verify': true } : {}),
    ...(tlsServerName === undefined ? {} : { 'tls-server-name': tlsServerName }),
    ...(proxyUrl === undefined ? {} : { 'proxy-url': proxyUrl }),
  };
  const spec = { interactive, ...(plugin.provideClusterInfo ? { cluster } : {}) };
  return { kind: 'ExecCredential', apiVersion: plugin.apiVersion, spec };
}

async function outputOf(child: ChildProcess, command: string, installHint: string): Promise<string> {
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
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

function credentialsOf(status: JsonObject, command: string): PluginCredentials {
  const token = textOf(status, 'token');
  const cert = textOf(status, 'clientCertificateData');
  const key = textOf(status, 'clientKeyData');
  if ((cert === undefined) !== (key === undefined))
    throw new ConfigError(
      `the credential plugin ${command} printed a certificate without its key, or a key without it`,
    );
  if (token === undefined && cert === undefined)
    throw new ConfigError(`the credential plugin ${command} printed neither a token nor a certificate`);
  if (token !== undefined) checkToken(token, `the token of the credential plugin ${command}`);
  const expiry = textOf(status, 'expirationTimestamp');
  const expires = expiry === undefined ? undefined : Date.parse(expiry);
  if (Number.isNaN(expires))
    throw new ConfigError(`the credential plugin ${command} printed the expirationTimestamp ${JSON.stringify(expiry)}`);
  return { token, clientCertificate: cert === undefined || key === undefined ? undefined : { cert, key }, expires };
}

function textOf(object: JsonObject, name: string): string | undefined {
  const value = getField(object, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
