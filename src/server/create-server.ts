/**
 * An API server with resources of a program's own, and nothing else: no built-in kinds, no RBAC and no admission
 * plugins. `keelson/extension` adds delegated authentication and authorization, certificates and a listener.
 */
import { META_TYPE_VIEWS } from '../apimachinery/facts/meta-type-views.ts';
import type { Transport } from '../apimachinery/http/transport.ts';
import type { UserInfo } from '../apimachinery/meta/user-info.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { type Logger, SILENT } from '../base/logger.ts';
import { randomUuid } from '../base/random.ts';
import type { Storage } from '../storage/storage.ts';
import { type Admission, NO_ADMISSION } from './admission.ts';
import type { Authenticator } from './authenticator.ts';
import { type Authorizer, MASTERS_GROUP } from './authorizer.ts';
import type { NamespaceReader } from './endpoints/endpoint.ts';
import { ALWAYS_ALLOW } from './filters/authorizers.ts';
import { GenericServer, type GenericServerOptions, type PrepareOptions } from './generic-server.ts';
import type { Handler } from './http/exchange.ts';
import { inProcess } from './http/in-process.ts';
import { NOT_FOUND } from './http/paths.ts';
import type { MetaTypes } from './resource/meta-types.ts';
import { openResource } from './resource/open-resource.ts';
import type { ResourceDefinition } from './resource/resource-definition.ts';
import { ResourceServer } from './resource-server.ts';
import type { BuildInfo } from './version-info.ts';

/** Parts of the generic server that a program may configure, with the defaults of the generic server. */
type GenericParts = Pick<GenericServerOptions, 'limits' | 'gzip' | 'startedAt' | 'externalAddress' | 'longRunning'>;
type FilterParts = Pick<PrepareOptions, 'audit' | 'requestHeaders' | 'alwaysAllowPaths'>;

export interface ServerOptions extends GenericParts, FilterParts {
  readonly resources: readonly ResourceDefinition[];
  /** Holds the objects of every resource without a store of its own. The caller stops the storage after the server. */
  readonly storage: Storage;
  /** Default: every client is `system:admin`. Suitable for loopback and tests only. */
  readonly authenticate?: Authenticator;
  /** Default: everything is allowed. */
  readonly authorizer?: Authorizer;
  /** Default: everything is admitted unchanged. */
  readonly admission?: Admission;
  /** Reads the namespaces of requests for admission. Default: the server has no namespaces. */
  readonly namespaces?: NamespaceReader;
  /** Default: nothing is logged. */
  readonly logger?: Logger;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** The content of `/version`. Default: the version 0.0.0. */
  readonly build?: BuildInfo;
  /** Types that answers in protobuf refer to. Default: those of meta.k8s.io. */
  readonly types?: MetaTypes;
  /** The first segment of every storage key. Default `registry`. */
  readonly scope?: string;
}

export interface ApiServer {
  /** Serves the requests of a listener. Neither throws nor rejects. */
  readonly handler: Handler;
  /** Sends requests to the handler without a socket. */
  readonly transport: Transport;
  /** The parts that an embedder may extend: paths, health checks, metrics, hooks. Extend them before `start()`. */
  readonly generic: GenericServer;
  /**
   * Runs the post-start hooks; `/readyz` passes once they have finished. Called once. Rejects with the first failure of
   * a hook.
   */
  start(): Promise<void>;
  /**
   * Runs the pre-shutdown hooks, ends watches and refuses new requests. Requests in flight may still finish.
   * Idempotent.
   */
  drain(): Promise<void>;
  /** Drains, then stops the stores of the resources. The storage stays open: it belongs to the caller. */
  stop(): Promise<void>;
}

const ADMIN: UserInfo = { name: 'system:admin', uid: '', groups: [MASTERS_GROUP, 'system:authenticated'], extra: {} };
const EVERYONE_IS_ADMIN: Authenticator = () => ({ outcome: 'ok', user: ADMIN });
const UNKNOWN_BUILD: BuildInfo = { version: '0.0.0', runtime: '', platform: '' };
const GROUP_PRIORITY = 1000;
const VERSION_PRIORITY = 15;

export function createServer(options: ServerOptions): ApiServer {
  const { clock = systemClock, logger = SILENT, types = META_TYPE_VIEWS, authorizer = ALWAYS_ALLOW } = options;
  const { limits, gzip, startedAt, externalAddress, longRunning } = options;
  const generic = new GenericServer({
    clock,
    logger,
    types,
    build: options.build ?? UNKNOWN_BUILD,
    ...(limits && { limits }),
    ...(gzip && { gzip }),
    ...(startedAt !== undefined && { startedAt }),
    ...(externalAddress && { externalAddress }),
    ...(longRunning && { longRunning }),
  });
  const resources = new ResourceServer({
    ...generic.serving,
    admission: options.admission ?? NO_ADMISSION,
    authorizer,
    ...(options.namespaces && { namespaces: options.namespaces }),
    delegate: () => NOT_FOUND,
  });
  const host = {
    storage: options.storage,
    scope: options.scope ?? 'registry',
    clock,
    newUid: randomUuid,
    random: (below: number) => Math.floor(Math.random() * below),
    onTrouble: (error: Error) => logger.error('a store failed outside of a request', error),
    onUntracked: generic.serving.onUntracked,
  };
  const open = options.resources.map((definition) => openResource(definition, host));
  resources.install(open, {
    groupPriority: () => GROUP_PRIORITY,
    versionPriority: () => VERSION_PRIORITY,
    typeName: types.typeName,
  });
  generic.onDrain(() => resources.drain());
  const { audit, requestHeaders, alwaysAllowPaths } = options;
  const handler = generic.prepare({
    authenticate: options.authenticate ?? EVERYONE_IS_ADMIN,
    authorizer,
    delegate: resources.handle,
    ...(audit && { audit }),
    ...(requestHeaders && { requestHeaders }),
    ...(alwaysAllowPaths && { alwaysAllowPaths }),
  });
  let draining: Promise<void> | undefined;
  const drain = (): Promise<void> => {
    draining ??= generic.preShutdown().then(() => generic.drain());
    return draining;
  };
  return {
    handler,
    transport: inProcess(handler),
    generic,
    start: () => generic.start(),
    drain,
    stop: async () => {
      await drain();
      await Promise.all(open.map((resource) => resource.stop()));
    },
  };
}
