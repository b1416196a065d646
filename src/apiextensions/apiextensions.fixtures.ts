/** An API extensions server over memory storage for tests, requests to it, and definitions to create. */
import { isStatusError } from '../apimachinery/status/status.ts';
import { decodeUtf8, encodeUtf8 } from '../base/bytes.ts';
import { readJson } from '../base/json-read.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.ts';
import { writeJsonBytes } from '../base/json-write.ts';
import { SILENT } from '../base/logger.ts';
import { settle } from '../base/virtual-clock.ts';
import { typeName, viewOfTypeName } from '../kinds/views.ts';
import { NO_ADMISSION } from '../server/admission.ts';
import { DiscoveryManager } from '../server/discovery/discovery-manager.ts';
import { drainChunks } from '../server/http/chunk-source.ts';
import type { AnswerSink } from '../server/http/exchange.ts';
import { serverRequestOf } from '../server/http/requests.fixtures.ts';
import type { ServerRequest } from '../server/http/server-request.ts';
import { OpenApiManager } from '../server/openapi/openapi-manager.ts';
import { type TestHost, testHost } from '../server/registry/thing.fixtures.ts';
import {
  type ApiExtensionsServer,
  type ApiExtensionsServerOptions,
  createApiExtensionsServer,
} from './api-extensions-server.ts';

export interface TestAnswer {
  readonly status: number;
  readonly body: JsonObject;
  readonly warnings: readonly string[];
}

/** A watch as its client sees it. */
export interface TestWatch {
  readonly events: readonly { readonly type: string; readonly object: JsonObject }[];
  /** The events as texts such as `ADDED a`. */
  readonly short: readonly string[];
  /** True once the stream has ended cleanly. */
  readonly ended: boolean;
}

export interface TestExtensions {
  readonly server: ApiExtensionsServer;
  readonly world: TestHost;
  readonly discovery: DiscoveryManager;
  readonly openapi: OpenApiManager;
  /** Patches are sent as merge patches. */
  request(
    method: string,
    target: string,
    body?: JsonObject,
    headers?: Readonly<Record<string, string>>,
  ): Promise<TestAnswer>;
  watch(target: string, headers?: Readonly<Record<string, string>>): Promise<TestWatch>;
  /** Creates a definition and waits until it is established. */
  define(definition: JsonObject): Promise<void>;
}

/** Starts a server. `inWorld` may be the one of a server that was stopped. */
export async function startTestExtensions(
  changes: Partial<ApiExtensionsServerOptions> = {},
  inWorld: TestHost = testHost(),
): Promise<TestExtensions> {
  const { clock, host } = inWorld;
  const types = { view: viewOfTypeName, typeName };
  const discovery = new DiscoveryManager({ types });
  const openapi = new OpenApiManager({ clock, types });
  const server = createApiExtensionsServer({
    host,
    clock,
    random: () => 0,
    logger: SILENT,
    admission: NO_ADMISSION,
    delegate: () => ({ kind: 'bytes', status: 404, headers: {}, body: encodeUtf8('{"plain":"404"}') }),
    discovery,
    openapi,
    types,
    checkCaBundle: (bundle) => (bundle === 'AAAA' ? 'bad' : undefined),
    ...changes,
  });
  await server.start();
  const send = (request: ServerRequest): Promise<TestAnswer> => answerOf(server, request);
  return {
    server,
    world: inWorld,
    discovery,
    openapi,
    request: (method, target, body, headers) => send(requestOf(method, target, body, headers)),
    watch: (target, headers) => watchOf(server, requestOf('GET', target, undefined, headers)),
    define: async (definition) => {
      const created = await send(requestOf('POST', CRDS, definition, undefined));
      if (created.status !== 201) throw new Error(`refused: ${JSON.stringify(created.body)}`);
      await settle();
    },
  };
}

export const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function requestOf(
  method: string,
  target: string,
  body: JsonObject | undefined,
  headers: Readonly<Record<string, string>> | undefined,
): ServerRequest {
  const all: Record<string, string> = {
    'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    ...headers,
  };
  return serverRequestOf({
    method,
    target,
    headers: all,
    ...(body === undefined ? {} : { body: writeJsonBytes(body) }),
  });
}

async function answerOf(server: ApiExtensionsServer, request: ServerRequest): Promise<TestAnswer> {
  const warnings = (): readonly string[] => request.warnings?.headers ?? [];
  try {
    const answer = await server.handle(request);
    if (answer.kind !== 'bytes' && answer.kind !== 'chunks') throw new Error(`an answer of kind ${answer.kind}`);
    const sent = answer.kind === 'bytes' ? answer.body : drainChunks(answer.chunks);
    const read = readJson(sent);
    if (!read.ok || !isJsonObject(read.value)) throw new Error('the answer is not a JSON object');
    return { status: answer.status, body: read.value, warnings: warnings() };
  } catch (error) {
    if (!isStatusError(error)) throw error;
    return { status: error.status.code ?? 500, body: error.status as unknown as JsonObject, warnings: warnings() };
  }
}

async function watchOf(server: ApiExtensionsServer, request: ServerRequest): Promise<TestWatch> {
  const answer = await server.handle(request);
  if (answer.kind !== 'stream') throw new Error(`an answer of kind ${answer.kind}`);
  const events: { type: string; object: JsonObject }[] = [];
  let ended = false;
  const sink: AnswerSink = {
    write: (chunks) => {
      for (const chunk of chunks)
        for (const line of decodeUtf8(chunk)
          .split('\n')
          .filter((text) => text !== ''))
          events.push(JSON.parse(line) as { type: string; object: JsonObject });
      return true;
    },
    onDrain: () => undefined,
    end: () => {
      ended = true;
    },
    abort: () => undefined,
    onClose: () => undefined,
  };
  answer.start(sink);
  await settle();
  await settle();
  return {
    events,
    get short() {
      return events.map(({ type, object }) => `${type} ${String((object['metadata'] as JsonObject)['name'])}`);
    },
    get ended() {
      return ended;
    },
  };
}

export interface TestVersion {
  readonly name?: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  /** The properties of the root. */
  readonly properties?: JsonObject;
  readonly more?: JsonObject;
}

/** The definition of gadgets: namespaced, one version, and a spec whose size has a default. */
export function gadgets(versions: readonly TestVersion[] = [{}], changes: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gadgets.example.test' },
    spec: {
      group: 'example.test',
      scope: 'Namespaced',
      names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
      versions: versions.map((version) => versionOf(version)) as JsonValue[],
      ...changes,
    },
  };
}

export const SPEC: JsonObject = {
  type: 'object',
  properties: { color: { type: 'string' }, size: { type: 'integer', default: 7 }, replicas: { type: 'integer' } },
};

function versionOf({ name = 'v1', served = true, storage = true, properties, more }: TestVersion): JsonObject {
  const schema = {
    type: 'object',
    properties: properties ?? { spec: SPEC, status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  };
  return { name, served, storage, schema: { openAPIV3Schema: schema }, ...more };
}

export const GADGETS = '/apis/example.test/v1/namespaces/ns/gadgets';

export function gadget(name: string, more: JsonObject = {}, version = 'v1'): JsonObject {
  return { apiVersion: `example.test/${version}`, kind: 'Gadget', metadata: { name }, ...more };
}

/** Changes a definition as a client does: get, modify, put. */
export async function redefine(
  { request }: Pick<TestExtensions, 'request'>,
  definition: JsonObject,
): Promise<TestAnswer> {
  const { name } = definition['metadata'] as JsonObject;
  const { body } = await request('GET', `${CRDS}/${String(name)}`);
  const answer = await request('PUT', `${CRDS}/${String(name)}`, { ...body, spec: definition['spec'] as JsonObject });
  await settle();
  return answer;
}

export function conditionsOf(body: JsonObject): Readonly<Record<string, string>> {
  const { conditions } = body['status'] as { conditions: readonly Record<string, string>[] | null };
  return Object.fromEntries((conditions ?? []).map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}
