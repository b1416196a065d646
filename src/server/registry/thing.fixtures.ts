/** Fixtures of the registry tests: the kind Thing in two versions, a host on virtual time, requests, watches. */
import { DEFAULT_DELETE_OPTIONS, type DeleteOptions } from '../../apimachinery/meta/delete-options.ts';
import { DEFAULT_LIST_OPTIONS, type ListOptions } from '../../apimachinery/meta/list-options.ts';
import { parseFieldSelector } from '../../apimachinery/selectors/field-selector.ts';
import { parseLabelSelector } from '../../apimachinery/selectors/label-selector-parse.ts';
import { isStatusError, type Status } from '../../apimachinery/status/status.ts';
import { nameIsDnsSubdomain } from '../../apimachinery/validation/name-rules.ts';
import { concatBytes, decodeUtf8, encodeUtf8 } from '../../base/bytes.ts';
import { BugError } from '../../base/errors.ts';
import { cloneJson, isJsonObject, type JsonObject } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { settle, VirtualClock } from '../../base/virtual-clock.ts';
import type { EventEncoding } from '../../cache/cache.ts';
import { changedStorage } from '../../storage/changed-storage.fixtures.ts';
import { createMemoryStorage } from '../../storage/memory/memory-storage.ts';
import type { Storage, Watch, WatchOptions, WatchSink } from '../../storage/storage.ts';
import { SERVER_USER } from '../own/own-context.ts';
import { defineResource } from '../resource/define-resource.ts';
import type { RegistryHost } from '../resource/registry-host.ts';
import type { RequestContext } from '../resource/request-context.ts';
import type { ResourceDefinition, StoredDefinition } from '../resource/resource-definition.ts';
import type {
  CreateRequest,
  DeleteRequest,
  ResourceContext,
  ResourceWatch,
  ResourceWatchSink,
  UpdateRequest,
} from '../resource/resource-store.ts';
import type { Strategy } from '../resource/strategy.ts';
import type { VersionDefinition } from '../resource/version-definition.ts';
import { RegistryStore } from './store.ts';

const FREE = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;

/** One version of the kind, declared with the kit. `spec` is the schema of its spec. */
function thingVersion(version: string, selectableFields: readonly string[], spec: JsonObject): ResourceDefinition {
  const schema = { ...FREE, properties: { spec } };
  return defineResource({ group: 'example.test', version, kind: 'Thing', selectableFields, schema });
}

/** Without a history: stored objects are exact, unless a test says otherwise. */
const { history: _, ...THING } = thingVersion('v1', ['spec.color'], FREE);

/** The storage version. `spec.color` is a string. */
export const v1: VersionDefinition = THING.versions[0] as VersionDefinition;
/** Calls the color `spec.hue` and has a default for `spec.size`. */
export const v2: VersionDefinition = thingVersion('v2', ['spec.hue'], {
  ...FREE,
  default: {},
  properties: { size: { type: 'integer', default: 1 } },
}).versions[0] as VersionDefinition;

function specOf(object: JsonObject): JsonObject {
  const { spec } = object;
  if (isJsonObject(spec)) return spec;
  const made: JsonObject = {};
  object['spec'] = made;
  return made;
}

function rename(object: JsonObject, from: string, to: string): void {
  const spec = specOf(object);
  const value = spec[from];
  if (value === undefined) return;
  delete spec[from];
  spec[to] = value;
}

export const strategy: Strategy = {
  objectVersion: 'storage',
  nameRule: nameIsDnsSubdomain,
  allowUnconditionalUpdate: true,
  allowCreateOnUpdate: false,
  countsGeneration: true,
};

/** Makes a definition of Things, which is stored unless the overrides say otherwise. */
export function thingDefinition(overrides?: Partial<StoredDefinition>): StoredDefinition;
export function thingDefinition(overrides?: Partial<ResourceDefinition>): ResourceDefinition;
export function thingDefinition(overrides: Partial<ResourceDefinition> = {}): ResourceDefinition {
  return {
    ...THING,
    versions: [v1, v2],
    storageVersion: v1,
    convert: (objects, _from, to) =>
      objects.map((object) => {
        if (to === v2) rename(object, 'color', 'hue');
        else rename(object, 'hue', 'color');
        object['apiVersion'] = `example.test/${to.version}`;
        return object;
      }),
    strategy,
    ...overrides,
  };
}

export interface TestHost {
  readonly clock: VirtualClock;
  readonly storage: Storage;
  readonly host: RegistryHost;
  readonly troubles: Error[];
  /** Resource and reason of each own object that was written without managedFields. */
  readonly untracked: string[];
}

export function testHost(storage?: Storage, overrides: Partial<RegistryHost> = {}): TestHost {
  const clock = new VirtualClock();
  const troubles: Error[] = [];
  const untracked: string[] = [];
  const used = storage ?? createMemoryStorage({ clock });
  let uids = 0;
  let seed = 1;
  const host: RegistryHost = {
    storage: used,
    scope: 'registry',
    clock,
    newUid: () => `uid-${++uids}`,
    random: (below) => {
      seed = (seed * 48271) % 2147483647;
      return seed % below;
    },
    onTrouble: (error) => void troubles.push(error),
    onUntracked: ({ resource }, reason) => void untracked.push(`${resource} ${reason}`),
    ...overrides,
  };
  return { clock, storage: used, host, troubles, untracked };
}

export interface Things extends TestHost {
  readonly store: RegistryStore;
  readonly definition: ResourceDefinition;
}

/** A store of Things whose cache has started. */
export async function things(
  overrides: Partial<ResourceDefinition> = {},
  host: Partial<RegistryHost> = {},
  storage?: Storage,
): Promise<Things> {
  const made = testHost(storage, host);
  const definition = thingDefinition(overrides);
  const store = new RegistryStore(definition, made.host);
  await store.start();
  return { ...made, store, definition };
}

/** A request that keeps its warnings. */
export interface TestRequest extends RequestContext {
  readonly warnings: string[];
}

export interface TestContext extends ResourceContext {
  readonly request: TestRequest;
}

/** The context of a request by the server's user; `request` overrides parts of it. */
export function at(
  name: string,
  namespace = 'ns',
  inVersion: VersionDefinition = v1,
  request: Partial<RequestContext> = {},
): TestContext {
  const warnings: string[] = [];
  return {
    request: {
      user: SERVER_USER,
      verb: '',
      receivedAt: Date.UTC(2030, 0, 1),
      deadline: Number.POSITIVE_INFINITY,
      warn: (text) => void warnings.push(text),
      annotate: () => undefined,
      ...request,
      warnings,
    },
    version: inVersion,
    namespace,
    name,
  };
}

export function thing(name: string, more: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'example.test/v1', kind: 'Thing', metadata: { name, ...metadata }, ...more };
}

export const CREATE: CreateRequest = { dryRun: false, validate: () => undefined };
export const UPDATE: UpdateRequest = {
  dryRun: false,
  forceAllowCreate: false,
  validateCreate: () => undefined,
  validateUpdate: () => undefined,
};

export function deletion(options: Partial<DeleteOptions> = {}): DeleteRequest {
  return { options: { ...DEFAULT_DELETE_OPTIONS, ...options }, validate: () => undefined };
}

export interface ListQuery extends Partial<Omit<ListOptions, 'labelSelector' | 'fieldSelector'>> {
  readonly labels?: string;
  readonly fields?: string;
}

export function query({ labels = '', fields = '', ...rest }: ListQuery = {}): ListOptions {
  const labelSelector = parseLabelSelector(labels);
  const fieldSelector = parseFieldSelector(fields);
  if (!labelSelector.ok || !fieldSelector.ok) throw new BugError('a test has a malformed selector');
  return {
    ...DEFAULT_LIST_OPTIONS,
    ...rest,
    labelSelector: labelSelector.selector,
    fieldSelector: fieldSelector.selector,
  };
}

/** The fields of objects and bookmarks that tests read. */
export interface Shown {
  readonly apiVersion: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation?: number;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
    readonly deletionGracePeriodSeconds?: number;
    readonly managedFields?: readonly JsonObject[];
    readonly labels?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
  readonly revision?: number;
}

export function parse(bytes: Uint8Array): Shown {
  return JSON.parse(decodeUtf8(bytes)) as Shown;
}

/** Creates an object and returns the parsed answer. */
export async function made(
  store: RegistryStore,
  object: JsonObject,
  context: ResourceContext = at(''),
): Promise<Shown> {
  return parse((await store.create(context, cloneJson(object), CREATE)).bytes);
}

/** Returns the Status that the task throws or rejects with. Throws BugError if it succeeds. */
export async function refused(task: () => MaybePromise<unknown>): Promise<Status> {
  try {
    await task();
  } catch (caught) {
    if (isStatusError(caught)) return caught.status;
    throw caught;
  }
  throw new BugError('the task was not refused');
}

/** Like `refused`, but returns code, reason and message. */
export async function complaint(task: () => MaybePromise<unknown>): Promise<readonly [number, string, string]> {
  const { code = 0, reason = '', message = '' } = await refused(task);
  return [code, reason, message];
}

export const encoding: EventEncoding = {
  key: 'test',
  event: (type, bytes) => concatBytes([encodeUtf8(`${type} `), bytes]),
  bookmark: (revision, initialEventsEnd) => encodeUtf8(`BOOKMARK ${JSON.stringify({ revision, initialEventsEnd })}`),
};

/** A sink that collects parsed events. */
export class Events implements ResourceWatchSink {
  readonly seen: [type: string, object: Shown][] = [];
  readonly ended: (Status | undefined)[] = [];

  write(chunks: readonly Uint8Array[]): boolean {
    for (const chunk of chunks) {
      const text = decodeUtf8(chunk);
      const space = text.indexOf(' ');
      this.seen.push([text.slice(0, space), JSON.parse(text.slice(space + 1)) as Shown]);
    }
    return true;
  }

  end(error: Status | undefined): void {
    this.ended.push(error);
  }

  /** `ADDED a`, `MODIFIED b`, `BOOKMARK 5`. */
  get short(): string[] {
    return this.seen.map(([type, object]) => `${type} ${object.metadata?.name ?? object.revision}`);
  }
}

export interface Watching {
  readonly events: Events;
  readonly watch: ResourceWatch;
}

/** A storage whose watches deliver nothing after `deafen()`, so that caches over it become outdated. */
export function deafening(inner: Storage): { readonly storage: Storage; deafen(): void } {
  let deaf = false;
  const watch = (options: WatchOptions, sink: WatchSink): Watch =>
    inner.watch(options, {
      events: (events) => (deaf ? undefined : sink.events(events)),
      progress: (revision) => (deaf ? undefined : sink.progress(revision)),
      end: (reason) => sink.end(reason),
    });
  return {
    storage: changedStorage(inner, { watch }),
    deafen: () => {
      deaf = true;
    },
  };
}

/** Starts a watch and waits until the initial events have arrived. */
export async function watching(
  store: RegistryStore,
  options: ListQuery,
  context: ResourceContext = at(''),
): Promise<Watching> {
  const events = new Events();
  const watch = await store.watch(context, { options: query({ watch: true, ...options }), encoding }, events);
  await settle();
  await settle();
  return { events, watch };
}
