/** A KubeServer over memory storage for tests, and requests to it. */

import type { UserInfo } from '../apimachinery/meta/user-info.ts';
import { isStatusError } from '../apimachinery/status/status.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import { BugError } from '../base/errors.ts';
import { readJson } from '../base/json-read.ts';
import { isJsonObject, type JsonObject } from '../base/json-value.ts';
import { writeJsonBytes } from '../base/json-write.ts';
import { SILENT } from '../base/logger.ts';
import type { VirtualClock } from '../base/virtual-clock.ts';
import { generateKey } from '../pki/keys.ts';
import { NOT_RECOGNIZED, type TokenAuthenticator } from '../server/authenticator.ts';
import { drainChunks } from '../server/http/chunk-source.ts';
import { serverRequestOf } from '../server/http/requests.fixtures.ts';
import { type TestHost, testHost } from '../server/registry/thing.fixtures.ts';
import type { KubeServerOptions } from './kube-server-options.ts';
import { createKubeServer, type KubeServer } from './server.ts';

export const ADMIN: UserInfo = user('admin', ['system:masters', 'system:authenticated']);
export const ISSUER = 'https://kubernetes.default.svc';

export function user(name: string, groups: readonly string[] = ['system:authenticated']): UserInfo {
  return { name, uid: '', groups, extra: {} };
}

export interface TestAnswer {
  readonly status: number;
  readonly body: JsonObject;
  readonly warnings: readonly string[];
}

export interface TestKube {
  readonly server: KubeServer;
  readonly clock: VirtualClock;
  readonly host: TestHost;
  /** Sends a request, by default as ADMIN. The media type of a patch is that of a merge patch. */
  request(
    method: string,
    target: string,
    body?: JsonObject,
    options?: { readonly as?: UserInfo; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<TestAnswer>;
  stop(): Promise<void>;
}

/** The causes of a Status as `field: message`. Empty for an answer without causes. */
export function causesOf({ body }: Pick<TestAnswer, 'body'>): readonly string[] {
  const details = body['details'] as { readonly causes?: readonly { field: string; message: string }[] } | undefined;
  return (details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
}

/** Grants the rules to a user in all namespaces, with a ClusterRole and a ClusterRoleBinding named after the user. */
export async function grant(kube: TestKube, { name }: UserInfo, rules: readonly JsonObject[]): Promise<void> {
  const group = '/apis/rbac.authorization.k8s.io/v1';
  await kube.request('POST', `${group}/clusterroles`, { metadata: { name }, rules: [...rules] });
  await kube.request('POST', `${group}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' }],
  });
}

/** Starts a server. With the host of a stopped server it starts on that server's storage. */
export async function startTestKube(
  changes: Partial<KubeServerOptions> = {},
  onHost: TestHost = testHost(),
): Promise<TestKube> {
  const { clock, host } = onHost;
  const key = await generateKey();
  const tokens: TokenAuthenticator = (token, audiences) => {
    if (token === 'static') return { outcome: 'ok', user: user('joe', ['devs']) };
    return token.includes('.') ? server.serviceAccountTokens(token, audiences) : NOT_RECOGNIZED;
  };
  const server: KubeServer = createKubeServer({
    host,
    clock,
    random: () => 0,
    logger: SILENT,
    delegate: () => ({ kind: 'bytes', status: 404, headers: {}, body: encodeUtf8('{}') }),
    discovery: {
      publish: () => undefined,
      remove: () => undefined,
      get: () => undefined,
      getLocal: () => undefined,
    },
    openapi: { publish: () => undefined, remove: () => undefined },
    authenticateToken: tokens,
    apiAudiences: [ISSUER],
    serviceAccounts: {
      issuers: [ISSUER],
      signingKey: key,
      verifyKeys: [key.publicKey],
      maxExpirationSeconds: 0,
      extendExpiration: true,
      lookup: true,
      jwksUri: '',
    },
    // Pods of tests need no account, and namespaces get none.
    admission: { enable: [], disable: ['ServiceAccount'] },
    authorizationModes: ['RBAC'],
    trust: () => ({ clientCaPem: '', requestHeader: undefined }),
    eventTtlSeconds: 3600,
    ...changes,
  });
  await server.start();
  return {
    server,
    clock,
    host: onHost,
    request: (method, target, body, { as = ADMIN, headers = {} } = {}) =>
      send(server, clock, method, target, body, as, headers),
    stop: () => server.stop(),
  };
}

async function send(
  server: KubeServer,
  clock: VirtualClock,
  method: string,
  target: string,
  body: JsonObject | undefined,
  as: UserInfo,
  headers: Readonly<Record<string, string>>,
): Promise<TestAnswer> {
  const all: Record<string, string> = {
    'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    ...headers,
  };
  const bytes = body === undefined ? {} : { body: writeJsonBytes(body) };
  const request = serverRequestOf({ method, target, headers: all, ...bytes }, clock.now());
  request.user = as;
  const warnings = (): readonly string[] => request.warnings?.headers ?? [];
  try {
    const answer = await server.handle(request);
    if (answer.kind !== 'bytes' && answer.kind !== 'chunks')
      throw new BugError(`a test request was answered with ${answer.kind}`);
    const sent = answer.kind === 'bytes' ? answer.body : drainChunks(answer.chunks);
    return { status: answer.status, body: parse(sent), warnings: warnings() };
  } catch (error) {
    if (!isStatusError(error)) throw error;
    const status = error.status as unknown as JsonObject;
    return { status: error.status.code ?? 500, body: status, warnings: warnings() };
  }
}

function parse(bytes: Uint8Array): JsonObject {
  const read = readJson(bytes);
  if (!read.ok || !isJsonObject(read.value)) throw new BugError('the answer is not a JSON object');
  return read.value;
}
