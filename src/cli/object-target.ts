/** The target of a command about one object: a file, or an object on a server. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, isTransportError, TransportError } from '../base/errors.ts';
import type { JsonObject } from '../base/json-value.ts';
import type { Client } from '../client/api.ts';
import { createClient } from '../client/create-client.ts';
import { createDiscovery } from '../client/discovery.ts';
import { defaultOptions } from '../controlplane/options.ts';
import { connect, type KubeConnection } from '../node/kubeconfig/connect.ts';

export interface ServerTarget {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

/**
 * Reports whether the arguments name a file. A single argument is a file unless it has the form KIND/NAME and no such
 * file exists. Throws ConfigError for a kind without a name.
 */
export function isFile(target: string, name: string | undefined, command: string): boolean {
  if (name !== undefined) return false;
  if (target === '-' || existsSync(target) || /\.(ya?ml|json)$/.test(target)) return true;
  if (!target.includes('/'))
    throw new ConfigError(`${target} is not a file; for an object on a server name it, too: ${command} ${target} NAME`);
  return !/^[^/]+\/[^/]+$/.test(target);
}

/** System errors that mean that nothing listens at the address of the server. */
const UNREACHABLE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ENOENT']);

/** Returns the code of the first system error in the chain of causes; '' if there is none. */
function systemCode(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (typeof code === 'string') return code;
  }
  return '';
}

/** Calls `work` with a client of the server that the kubeconfig names, and closes its connections afterwards. */
export async function withServer<T>(
  { kubeconfig, context }: ServerTarget,
  work: (client: Client, connection: KubeConnection) => Promise<T>,
): Promise<T> {
  const connection = await connect({
    fallbacks: [
      join(process.env['HOME'] ?? homedir(), '.kube', 'config'),
      join(defaultOptions.dataDir, 'admin.kubeconfig'),
    ],
    retries: { unsentRetries: 0 },
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  });
  try {
    return await work(createClient(connection.transport), connection);
  } catch (caught) {
    if (!isTransportError(caught) || !UNREACHABLE.has(systemCode(caught))) throw caught;
    const { message, retryable, connectionLost } = caught;
    const advice = `check that the server ${connection.server} runs, or name another kubeconfig with --kubeconfig`;
    throw new TransportError(`${message}: ${advice}`, { cause: caught, retryable, connectionLost });
  } finally {
    await connection.stop();
  }
}

/** Gets an object by KIND and NAME, or by KIND/NAME. Throws ConfigError for a kind that the server does not have. */
export function objectOnServer(target: string, given: string | undefined, server: ServerTarget): Promise<JsonObject> {
  const [kind = '', name = ''] = given === undefined ? target.split('/') : [target, given];
  return withServer(server, async (client, connection) => {
    const resource = await createDiscovery(client).find(kind);
    if (resource === undefined)
      throw new ConfigError(`the server ${connection.server} has no resource ${JSON.stringify(kind)}`);
    const within = resource.scope === 'Namespaced' ? (server.namespace ?? connection.namespace) : undefined;
    return (await client.api(resource, within).get(name)) as unknown as JsonObject;
  });
}
