/** A server of made-up kinds on memory storage, and an in-process client, for tests of the endpoints. */

import { normalizeTyped } from '../../apimachinery/codec/typed-normalize.ts';
import type { HttpHeaders, Transport } from '../../apimachinery/http/transport.ts';
import { struct } from '../../apimachinery/patch/strategic-merge.fixtures.ts';
import type { Status } from '../../apimachinery/status/status.ts';
import type { StructView, TypeView } from '../../apimachinery/type-view.ts';
import { nameIsDnsSubdomain } from '../../apimachinery/validation/name-rules.ts';
import { concatBytes, decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { BugError } from '../../base/errors.ts';
import type { JsonObject, JsonValue } from '../../base/json-value.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { createMemoryStorage } from '../../storage/memory/memory-storage.ts';
import { type Admission, NO_ADMISSION } from '../admission.ts';
import type { Authorizer } from '../authorizer.ts';
import type { DiscoveryVersion } from '../discovery/discovery-publisher.ts';
import type { Answer, Connection, Handler } from '../http/exchange.ts';
import { inProcess } from '../http/in-process.ts';
import { parseRequestInfo } from '../http/request-info.ts';
import { incomingOf } from '../http/requests.fixtures.ts';
import { statusAnswer, statusOfError } from '../http/respond.ts';
import { type AuditRecord, ServerRequest } from '../http/server-request.ts';
import type { OpenApiVersion } from '../openapi/openapi-publisher.ts';
import { RegistryStore } from '../registry/store.ts';
import { type OpenResource, openResource } from '../resource/open-resource.ts';
import type { RegistryHost } from '../resource/registry-host.ts';
import type { ResourceDefinition, SubresourceDefinition } from '../resource/resource-definition.ts';
import type { Strategy } from '../resource/strategy.ts';
import type { VersionDefinition } from '../resource/version-definition.ts';
import { type InstallOptions, ResourceServer, type ResourceServerOptions } from '../resource-server.ts';

const text: TypeView = { kind: 'scalar', scalar: 'string' };
const texts: TypeView = { kind: 'map', atomic: false, values: text };
const owner = struct('OwnerReference', { apiVersion: text, kind: text, name: text, uid: text });
const managedFieldsEntry = struct('ManagedFieldsEntry', {
  manager: text,
  operation: text,
  apiVersion: text,
  time: { type: { kind: 'scalar', scalar: 'time' }, pointer: true },
  fieldsType: text,
  fieldsV1: { type: { kind: 'any', raw: 'fields-v1' }, pointer: true },
  subresource: text,
});

const objectMeta = struct('ObjectMeta', {
  name: text,
  generateName: text,
  namespace: text,
  uid: text,
  resourceVersion: text,
  generation: { kind: 'scalar', scalar: 'int64' },
  creationTimestamp: { kind: 'scalar', scalar: 'time' },
  deletionTimestamp: { type: { kind: 'scalar', scalar: 'time' }, pointer: true },
  deletionGracePeriodSeconds: { type: { kind: 'scalar', scalar: 'int64' }, pointer: true },
  labels: texts,
  annotations: texts,
  ownerReferences: {
    type: { kind: 'list', items: owner, listType: 'map', mapKeys: ['uid'] },
    strategies: ['merge'],
    mergeKey: 'uid',
  },
  finalizers: { type: { kind: 'list', items: text, listType: 'set', mapKeys: [] }, strategies: ['merge'] },
  managedFields: { kind: 'list', items: managedFieldsEntry, listType: 'atomic', mapKeys: [] },
});

const gadgetView: StructView = struct('Gadget', {
  kind: text,
  apiVersion: text,
  metadata: objectMeta,
  data: texts,
  tags: { type: { kind: 'list', items: text, listType: 'set', mapKeys: [] }, strategies: ['merge'] },
  color: text,
  size: { kind: 'scalar', scalar: 'int32' },
  status: struct('GadgetStatus', { phase: text }),
});

function version(name: string, more: Partial<VersionDefinition> = {}): VersionDefinition {
  return {
    group: 'toys.test',
    version: name,
    kind: 'Gadget',
    listKind: 'GadgetList',
    type: () => gadgetView,
    strategicMerge: true,
    protobuf: true,
    normalize: (object) => normalizeTyped(object, gadgetView, 'stored'),
    selectableFields: [],
    deprecationWarning: '',
    ...more,
  };
}

export const gadgetV1: VersionDefinition = version('v1', {
  setDefaults: (object) => {
    object['color'] ??= 'grey';
  },
  table: () => ({
    columns: [
      { name: 'Name', type: 'string', format: 'name', description: 'its name', priority: 0 },
      { name: 'Color', type: 'string', format: '', description: 'its color', priority: 0 },
    ],
    cells: (object) => [
      ((object['metadata'] as JsonObject)['name'] as string) ?? '',
      (object['color'] as string) ?? '',
    ],
  }),
});
export const gadgetBeta: VersionDefinition = version('v1beta1', {
  deprecationWarning: 'toys.test/v1beta1 Gadget is deprecated',
});
/** Like a custom resource: no strategic merge patch, no protobuf, and list items with type fields. */
export const widgetV1: VersionDefinition = version('v1', {
  kind: 'Widget',
  listKind: 'WidgetList',
  strategicMerge: false,
  protobuf: false,
  typedItems: true,
  selectableFields: ['color'],
});
const yardV1: VersionDefinition = version('v1', { group: '', kind: 'Yard', listKind: 'YardList' });
const spaceV1: VersionDefinition = version('v1', { group: '', kind: 'Space', listKind: 'SpaceList' });

export const strategy: Strategy = {
  objectVersion: 'storage',
  nameRule: nameIsDnsSubdomain,
  allowUnconditionalUpdate: true,
  allowCreateOnUpdate: false,
  countsGeneration: false,
};

/** Answers with the method, the object's name and the rest of the path. */
const echo: SubresourceDefinition = {
  name: 'echo',
  store: () => ({
    connectMethods: ['GET', 'POST', 'HEAD'],
    connectOptions: { takesPath: true },
    connect: (context, { path, incoming }) => ({
      kind: 'bytes',
      status: 200,
      headers: {},
      body: encodeUtf8(`${incoming.method} ${context.name} ${path}`),
    }),
  }),
};

/** Accepts creates only, and answers with the object that it got. */
const stamp: SubresourceDefinition = {
  name: 'stamp',
  version: version('v1', { kind: 'Stamp', listKind: 'StampList' }),
  store: () => ({
    create: (context, object) => ({
      bytes: encodeUtf8(JSON.stringify({ ...object, color: `for ${context.name}` })),
      created: true,
    }),
  }),
};

const status: SubresourceDefinition = {
  name: 'status',
  store: (parent) => {
    if (!(parent instanceof RegistryStore)) return {};
    return parent.withStrategy({
      ...strategy,
      prepareForUpdate: (object, old) => {
        const { metadata, status: next } = object as { metadata: JsonValue; status: JsonValue };
        for (const key of Object.keys(object)) delete object[key];
        Object.assign(object, structuredClone(old), { metadata, status: next });
      },
    });
  },
};

export function gadgets(more: Partial<ResourceDefinition> = {}): ResourceDefinition {
  return {
    plural: 'gadgets',
    singular: 'gadget',
    shortNames: ['gd'],
    categories: ['all'],
    scope: 'Namespaced',
    versions: [gadgetV1, gadgetBeta],
    storageVersion: gadgetV1,
    storagePrefix: 'gadgets',
    generation: '1',
    strategy,
    subresources: [status, stamp, echo],
    ...more,
  };
}

/** Has only `create`, like a review. */
const opinions: ResourceDefinition = gadgets({
  plural: 'opinions',
  singular: 'opinion',
  versions: [version('v1', { kind: 'Opinion', listKind: 'OpinionList' })],
  storageVersion: undefined,
  storagePrefix: 'opinions',
  subresources: [],
  store: () => ({
    create: (_context, object) => ({ bytes: encodeUtf8(JSON.stringify(object)), created: true }),
  }),
});

export interface Reply {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly text: string;
  readonly body: JsonObject;
  readonly warnings: readonly string[];
}

export interface TestServer {
  readonly clock: VirtualClock;
  readonly resources: ResourceServer;
  readonly published: Map<string, DiscoveryVersion>;
  readonly documents: Map<string, OpenApiVersion>;
  readonly opened: readonly OpenResource[];
  readonly transport: Transport;
  /** Returns the answer of the handler, without a transport. */
  answer(method: string, target: string, headers?: Readonly<Record<string, string>>, body?: string): Promise<Answer>;
  /** Sends a request; the body is JSON unless the headers say otherwise. */
  ask(
    method: string,
    target: string,
    body?: JsonValue | string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply>;
  stop(): Promise<void>;
}

export interface TestServerOptions {
  readonly admission?: Admission;
  readonly authorizer?: Authorizer;
  readonly resources?: readonly ResourceDefinition[];
  readonly server?: Partial<ResourceServerOptions>;
  readonly install?: Partial<InstallOptions>;
  /** The audit record of every request. */
  readonly audit?: AuditRecord;
  /** The protocol of requests that `answer` makes. Default in-process. */
  readonly protocol?: Connection['protocol'];
}

export async function createTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const clock = new VirtualClock();
  let uids = 0;
  let seed = 7;
  const host: RegistryHost = {
    storage: createMemoryStorage({ clock }),
    scope: 'registry',
    clock,
    newUid: () => `uid-${++uids}`,
    random: (below) => {
      seed = (seed * 48271) % 2147483647;
      return seed % below;
    },
    onTrouble: (error) => {
      throw error;
    },
    onUntracked: ({ resource }, reason) => {
      throw new BugError(`${resource} without managedFields: ${reason}`);
    },
  };
  const published = new Map<string, DiscoveryVersion>();
  const documents = new Map<string, OpenApiVersion>();
  const nameOf = ({ group, version: name }: { group: string; version: string }): string => `${group}/${name}`;
  const server = new ResourceServer({
    clock,
    admission: options.admission ?? NO_ADMISSION,
    ...(options.authorizer === undefined ? {} : { authorizer: options.authorizer }),
    delegate: () => ({ kind: 'bytes', status: 404, headers: {}, body: encodeUtf8('404 page not found\n') }),
    discovery: {
      publish: (v) => void published.set(nameOf(v), v),
      get: () => undefined,
      getLocal: () => undefined,
      remove: (v) => void published.delete(nameOf(v)),
    },
    openapi: { publish: (v) => void documents.set(nameOf(v), v), remove: (v) => void documents.delete(nameOf(v)) },
    random: () => 0.5,
    ...options.server,
  });
  const definitions = options.resources ?? [
    gadgets(),
    gadgets({
      plural: 'widgets',
      singular: 'widget',
      versions: [widgetV1],
      storageVersion: widgetV1,
      storagePrefix: 'widgets',
      subresources: [],
    }),
    gadgets({
      plural: 'yards',
      singular: 'yard',
      scope: 'Cluster',
      versions: [yardV1],
      storageVersion: yardV1,
      storagePrefix: 'yards',
      subresources: [],
    }),
    gadgets({
      plural: 'namespaces',
      isNamespaces: true,
      singular: 'namespace',
      scope: 'Cluster',
      versions: [spaceV1],
      storageVersion: spaceV1,
      storagePrefix: 'namespaces',
      subresources: [status],
    }),
    opinions,
  ];
  const opened = definitions.map((definition) => openResource(definition, host));
  for (const open of opened) await open.registry?.start();
  server.install(opened, {
    groupPriority: () => 1000,
    versionPriority: () => 10,
    typeName: () => undefined,
    ...options.install,
  });
  const handler = handlerOf(server, clock, options.audit);
  const transport = inProcess(handler);
  return {
    clock,
    resources: server,
    published,
    documents,
    opened,
    transport,
    answer: async (method, target, headers = {}, body = '') =>
      handler(
        incomingOf({ method, target, headers, body: encodeUtf8(body), protocol: options.protocol ?? 'in-process' }),
      ),
    ask: async (method, target, body, headers = {}) => {
      const bytes = body === undefined ? undefined : encodeUtf8(typeof body === 'string' ? body : JSON.stringify(body));
      const type = bytes === undefined ? {} : { 'content-type': 'application/json' };
      const response = await transport({
        method,
        target,
        headers: { ...type, ...headers },
        ...(bytes === undefined ? {} : { body: bytes }),
      });
      const chunks: Uint8Array[] = [];
      if (response.body instanceof Uint8Array) chunks.push(response.body);
      else for await (const chunk of response.body) chunks.push(chunk);
      const shown = decodeUtf8(concatBytes(chunks));
      const warnings = response.headers['warning'] ?? [];
      return {
        status: response.status,
        headers: response.headers,
        text: shown,
        body: shown.startsWith('{') && !shown.includes('\n{') ? (JSON.parse(shown) as JsonObject) : {},
        warnings: typeof warnings === 'string' ? [warnings] : warnings,
      };
    },
    stop: async () => {
      server.drain();
      for (const open of opened) await open.stop();
    },
  };
}

/** The shortest chain: parses RequestInfo, turns errors into Statuses and adds warnings. */
function handlerOf(server: ResourceServer, clock: VirtualClock, audit: AuditRecord | undefined): Handler {
  return async (incoming) => {
    const parsed = parseRequestInfo(incoming.method, incoming.target);
    if (!parsed.ok) return { kind: 'bytes', status: 400, headers: {}, body: encodeUtf8('') };
    const request = new ServerRequest(incoming, parsed.info, clock.now());
    request.user = { name: 'ann', uid: '', groups: [], extra: {} };
    request.audit = audit;
    let answer: Answer;
    try {
      answer = await server.handle(request);
    } catch (caught) {
      answer = statusAnswer(request, statusOfError(caught));
    }
    const warnings = request.warnings?.headers ?? [];
    return warnings.length === 0 ? answer : { ...answer, headers: { ...answer.headers, warning: warnings } };
  };
}

/** Starts a streaming answer. Returns the chunks that it writes, also later ones. */
export function chunksOf(answer: Answer): Uint8Array[] {
  if (answer.kind !== 'stream') throw new BugError(`the answer is ${answer.kind}`);
  const chunks: Uint8Array[] = [];
  answer.start({
    write: (more) => chunks.push(...more) > 0,
    onDrain: () => undefined,
    end: () => undefined,
    abort: () => undefined,
    onClose: () => undefined,
  });
  return chunks;
}

/** Returns code, reason and message of a failure. */
export function failure({ body }: Reply): readonly [number, string, string] {
  const { code = 0, reason = '', message = '' } = body as unknown as Status;
  return [code, reason, message];
}

export const GADGETS = '/apis/toys.test/v1/namespaces/ns/gadgets';
