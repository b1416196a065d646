/** The connection of a program to a Kubernetes API server: `const { transport } = await connect();`. */
import { resolve } from 'node:path';
import type { Transport } from '../../apimachinery/http/transport.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { ConfigError } from '../../base/errors.ts';
import { type KubeconfigContext, readKubeconfig } from '../../client/kubeconfig.ts';
import { type RetryOptions, withRetries } from '../../client/with-retries.ts';
import { ServerTransport } from '../client/server-transport.ts';
import { openCredentials } from './credentials.ts';
import { inClusterContext, SERVICE_ACCOUNT_FOLDER } from './in-cluster.ts';
import { findKubeconfig, readKubeconfigFile } from './load-kubeconfig.ts';
import { userAgentOf } from './user-agent.ts';

export interface ConnectOptions {
  /**
   * The path of a kubeconfig, or its text, which has more than one line or is JSON. Default, as in client-go: the files
   * in KUBECONFIG, `~/.kube/config`, or the service account of the pod that the program runs in.
   */
  readonly kubeconfig?: string;
  /** Default: the current context of the kubeconfig. */
  readonly context?: string;
  /** The program, for the User-Agent header and the logs of the server: `my-operator/1.2.0`. Default: this package. */
  readonly userAgent?: string;
  /** Which requests are repeated; see `withRetries`. False for none. Default: as client-go does it. */
  readonly retries?: RetryOptions | false;
  /** Default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Called if credentials cannot be renewed while the old ones may still be valid. Default: a warning of the process.
   */
  readonly warn?: (message: string) => void;
  /** Files to look for without KUBECONFIG. Default: `~/.kube/config`. */
  readonly fallbacks?: readonly string[];
  /** The folder with the token of a pod. Default: where Kubernetes mounts it. */
  readonly serviceAccountFolder?: string;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/** A connection to one API server with the credentials of one user. */
export interface KubeConnection {
  /** Sends requests. It opens connections as they are needed, and replaces broken ones. */
  readonly transport: Transport;
  /** The URL of the server. */
  readonly server: string;
  /** The namespace of the context, or of the pod. Default `default`. */
  readonly namespace: string;
  /** Fails running requests and closes all connections. Later requests fail. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Finds the server and reads the credentials. Nothing is sent yet. Throws ConfigError naming what is missing or cannot
 * be used.
 */
export async function connect(options: ConnectOptions = {}): Promise<KubeConnection> {
  return connectContext(await findContext(options), options);
}

async function connectContext(context: KubeconfigContext, options: ConnectOptions): Promise<KubeConnection> {
  const { env = process.env, clock = systemClock, warn = emitWarning } = options;
  if (context.insecureSkipTlsVerify && context.ca !== undefined)
    throw new ConfigError(`the context ${context.name} has both insecure-skip-tls-verify and a certificate authority`);
  const server = new ServerTransport({
    server: context.server,
    tlsServerName: context.tlsServerName,
    insecure: context.insecureSkipTlsVerify,
    proxyUrl: context.proxyUrl,
    userAgent: userAgentOf(options.userAgent),
    credentials: await openCredentials(context, { env, clock, warn }),
    clock,
  });
  const stop = async (): Promise<void> => server.stop();
  const { transport } = server;
  return {
    transport: options.retries === false ? transport : withRetries(transport, { clock, ...options.retries }),
    server: context.server,
    namespace: context.namespace,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function findContext(options: ConnectOptions): Promise<KubeconfigContext> {
  const { kubeconfig, context, env = process.env, fallbacks } = options;
  if (kubeconfig !== undefined) {
    const file = isText(kubeconfig)
      ? { path: resolve('kubeconfig'), text: kubeconfig }
      : await readKubeconfigFile(kubeconfig);
    return readKubeconfig([file], context);
  }
  const found = await findKubeconfig({ env, fallbacks });
  const isEmpty = found.files.every(({ text }) => text.trim() === '');
  const pod =
    isEmpty && context === undefined
      ? await inClusterContext(env, options.serviceAccountFolder ?? SERVICE_ACCOUNT_FOLDER)
      : undefined;
  if (pod !== undefined) return pod;
  if (found.files.length === 0) throw new ConfigError(found.problem);
  return readKubeconfig(found.files, context);
}

function isText(kubeconfig: string): boolean {
  return kubeconfig.includes('\n') || kubeconfig.trimStart().startsWith('{');
}

function emitWarning(message: string): void {
  process.emitWarning(message, 'KeelsonWarning');
}
