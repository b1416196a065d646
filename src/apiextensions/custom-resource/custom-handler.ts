/**
 * The handler that serves the objects of one generation of a CustomResourceDefinition. Invariants: nothing is opened
 * before the first request. A replaced handler ends its watches cleanly at once, finishes its running requests and
 * stops. Until it has stopped, objects may be written under either schema, so both handlers convert, prune and default
 * every object that they read. The new handler uses stored bytes as they are only if they were written after the old
 * one had stopped (see `StoredHistory.exactSince`).
 */
import { StatusError } from '../../apimachinery/status/status.ts';
import { badRequest, internalError, methodNotAllowed, notFound } from '../../apimachinery/status/status-catalogue.ts';
import { toError } from '../../base/errors.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { RoutedResource } from '../../server/endpoints/routes.ts';
import type { Answer } from '../../server/http/exchange.ts';
import type { ServerRequest } from '../../server/http/server-request.ts';
import { countKeys } from '../../server/registry/count-keys.ts';
import { ObjectKeys } from '../../server/registry/object-keys.ts';
import { openResource, type StoredResource } from '../../server/resource/open-resource.ts';
import type { RegistryHost } from '../../server/resource/registry-host.ts';
import type { ResourceServer } from '../../server/resource-server.ts';
import type { ConverterFactory } from '../conversion/custom-converter.ts';
import type { Crd } from '../crd.ts';
import { isConditionTrue } from '../definition/crd-conditions.ts';
import { type CustomDefinition, customDefinition, subresourcesOf } from './custom-definition.ts';
import type { CustomVersion, SchemaCompiler } from './custom-version.ts';

export interface HandlerHost {
  readonly registry: RegistryHost;
  /** The server whose endpoints and limits the handler uses. */
  readonly server: ResourceServer;
  readonly compile: SchemaCompiler;
  readonly converter: ConverterFactory;
  /** Called when a definition was changed or removed and every request under its former state has ended. */
  retired?(crd: Crd): void;
}

/** The requests that began between two calls of `quiesced()`. */
interface RequestGeneration {
  count: number;
  onIdle: (() => void) | undefined;
}

interface Opened {
  readonly definition: CustomDefinition;
  readonly open: StoredResource;
  readonly routes: Map<string, RoutedResource>;
}

const SUBRESOURCE_VERBS: ReadonlySet<string> = new Set(['get', 'update', 'patch']);

export class CustomHandler {
  readonly #host: HandlerHost;
  #crd: Crd;
  #opened: Opened | undefined;
  #terminating: boolean;
  /** See StoredHistory. */
  #exactSince: number = Number.POSITIVE_INFINITY;
  #settled = false;
  /** The running requests. A watch counts until it has started; afterwards it can be ended at any time. */
  #running: RequestGeneration = { count: 0, onIdle: undefined };

  constructor(host: HandlerHost, crd: Crd) {
    this.#host = host;
    this.#crd = crd;
    this.#terminating = isConditionTrue(crd, 'Terminating');
  }

  get crd(): Crd {
    return this.#crd;
  }

  /** Replaces the definition by one that differs in its status only. */
  setStatus(crd: Crd): void {
    this.#crd = crd;
    this.#terminating = isConditionTrue(crd, 'Terminating');
  }

  /**
   * Called when this handler is the only writer of the objects. Sets the revision after which stored bytes are used as
   * they are. Further calls do nothing.
   */
  settle(): void {
    if (this.#settled) return;
    this.#settled = true;
    const revision = this.#host.registry.storage.revision();
    const known = (value: number): void => {
      this.#exactSince = value;
    };
    // Without a revision every object is converted, pruned and defaulted when it is read, which costs only time.
    if (isPromise(revision)) revision.then(known, (caught: unknown) => this.#host.registry.onTrouble(toError(caught)));
    else known(revision);
  }

  /**
   * Returns undefined if the request is not for these objects; the delegate answers it. Throws, or rejects with, a
   * StatusError.
   */
  serve(request: ServerRequest): MaybePromise<Answer> | undefined {
    const { info } = request;
    const { namespace, verb, apiVersion, subresource, name } = info;
    const isNamespaced = this.#crd.scope === 'Namespaced';
    if (isNamespaced ? namespace === '' && verb !== 'list' && verb !== 'watch' : namespace !== '') return undefined;
    const opened = this.#open();
    const version = opened.definition.versions.find((candidate) => candidate.version === apiVersion);
    if (version === undefined) return undefined;
    const resource = { group: info.apiGroup, resource: info.resource };
    if (subresource !== '') {
      if (!subresourcesOf(version).includes(subresource)) throw new StatusError(notFound(resource, name));
      if (!SUBRESOURCE_VERBS.has(verb)) throw new StatusError(methodNotAllowed(resource, verb));
    } else if (name === '' && (verb === 'update' || verb === 'patch')) {
      throw new StatusError(badRequest('name must be provided'));
    }
    const answer = this.#host.server.serve(this.#routes(opened, version), request);
    return isPromise(answer) ? this.counted(answer) : answer;
  }

  /** The number of stored objects. Opens nothing: a definition that is not used costs a count of its keys. */
  count(): MaybePromise<number> {
    const { storage, scope } = this.#host.registry;
    if (this.#opened !== undefined) return this.#opened.open.registry.count();
    const { group, names, scope: resourceScope } = this.#crd;
    return countKeys(storage, new ObjectKeys(scope, `${group}/${names.plural}`, resourceScope).root);
  }

  /** The resource, for the server's own use. */
  resource(): StoredResource {
    return this.#open().open;
  }

  /**
   * Ends watches and serves nothing new. Calls `idle` when no request is running any more, possibly at once, and then
   * stops the store.
   */
  retire(idle: () => void): void {
    this.#opened?.open.registry.handOver();
    this.#whenIdle(() => {
      idle();
      this.stop().catch((error: Error) => this.#host.registry.onTrouble(error));
    });
  }

  /** Resolves when every request that began before the call has ended. */
  quiesced(): Promise<void> {
    return new Promise((resolve) => this.#whenIdle(resolve));
  }

  /** Counts as a running request until the promise settles. */
  async counted<T>(answer: Promise<T>): Promise<T> {
    const mine = this.#running;
    mine.count++;
    try {
      return await answer;
    } finally {
      mine.count--;
      if (mine.count === 0) mine.onIdle?.();
    }
  }

  /** Ends watches cleanly and releases everything. Running requests fail. Idempotent. */
  async stop(): Promise<void> {
    this.#opened?.definition.release();
    await this.#opened?.open.stop();
  }

  #open(): Opened {
    this.#opened ??= this.#make();
    return this.#opened;
  }

  #make(): Opened {
    const { compile, converter, registry: host } = this.#host;
    const definition = customDefinition(this.#crd, {
      compile,
      converter,
      exactSince: () => this.#exactSince,
      isTerminating: () => this.#terminating,
    });
    if (definition === undefined) throw new StatusError(internalError('error resolving resource'));
    return { definition, open: openResource(definition, host), routes: new Map() };
  }

  #routes({ open, routes }: Opened, version: CustomVersion): RoutedResource {
    let routed = routes.get(version.version);
    if (routed === undefined) {
      const own = subresourcesOf(version);
      const subresources = new Map([...open.subresources].filter(([name]) => own.includes(name)));
      routed = this.#host.server.routes({ ...open, subresources }, version);
      routes.set(version.version, routed);
    }
    return routed;
  }

  /** Calls back when the requests that are running now have ended. */
  #whenIdle(idle: () => void): void {
    const before = this.#running;
    if (before.count === 0) {
      idle();
      return;
    }
    // Requests that start after this call belong to the next generation. Waiting for it also waits for every earlier
    // one.
    this.#running = { count: 1, onIdle: undefined };
    const next = this.#running;
    before.onIdle = () => {
      before.onIdle = undefined;
      next.count--;
      idle();
      if (next.count === 0) next.onIdle?.();
    };
  }
}
