/**
 * Serves the objects of one CustomResourceDefinition in one generation of it. Invariant: nothing is opened before the first request; a handler that is replaced ends its watches cleanly at once,
 * answers what it has begun without trusting what its successor writes, and stops; the successor trusts only what was written after that.
 */
import { StatusError } from '../../apimachinery/status/status.ts';
import { badRequest, internalError, methodNotAllowed, notFound } from '../../apimachinery/status/status-catalogue.ts';
import { toError } from '../../base/errors.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { RoutedResource } from '../../server/endpoints/routes.ts';
import type { Answer } from '../../server/http/exchange.ts';
import type { ServerRequest } from '../../server/http/server-request.ts';
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
  /** Whose endpoints and limits are used. */
  readonly server: ResourceServer;
  readonly compile: SchemaCompiler;
  readonly converter: ConverterFactory;
}

/** Those that began between two calls of `quiesced()`. */
interface UnderWay {
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
  /** Requests that are being answered. A watch counts until it has begun: from then on it may be ended at any time. */
  #underWay: UnderWay = { count: 0, onIdle: undefined };

  constructor(host: HandlerHost, crd: Crd) {
    this.#host = host;
    this.#crd = crd;
    this.#terminating = isConditionTrue(crd, 'Terminating');
  }

  get crd(): Crd {
    return this.#crd;
  }

  /** The definition has another status, and everything else as before. */
  setStatus(crd: Crd): void {
    this.#crd = crd;
    this.#terminating = isConditionTrue(crd, 'Terminating');
  }

  /** Nobody else writes the objects any more. Only the first call counts. */
  settle(): void {
    if (this.#settled) return;
    this.#settled = true;
    const revision = this.#host.registry.storage.revision();
    const known = (value: number): void => {
      this.#exactSince = value;
    };
    // If it cannot be had, nothing is trusted, which only costs time.
    if (isPromise(revision)) revision.then(known, (caught: unknown) => this.#host.registry.onTrouble(toError(caught)));
    else known(revision);
  }

  /** Undefined: this is no request for these objects, and the delegate says so. Throws, or rejects with, a StatusError. */
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

  /** The resource, for the server's own use. */
  resource(): StoredResource {
    return this.#open().open;
  }

  /** Ends watches and answers nothing new: `idle` is called as soon as nothing is being answered any more, maybe at once, and then the store stops. */
  retire(idle: () => void): void {
    this.#opened?.open.registry.handOver();
    this.#whenIdle(() => {
      idle();
      this.stop().catch((error: Error) => this.#host.registry.onTrouble(error));
    });
  }

  /** Resolves when everything is answered that had begun before the call. */
  quiesced(): Promise<void> {
    return new Promise((resolve) => this.#whenIdle(resolve));
  }

  /** What happens until the promise settles counts as being answered. */
  async counted<T>(answer: Promise<T>): Promise<T> {
    const mine = this.#underWay;
    mine.count++;
    try {
      return await answer;
    } finally {
      mine.count--;
      if (mine.count === 0) mine.onIdle?.();
    }
  }

  /** Ends watches cleanly and lets go of everything; what is being answered fails. Idempotent. */
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

  /** Calls back once what is under way now has ended. */
  #whenIdle(idle: () => void): void {
    const before = this.#underWay;
    if (before.count === 0) {
      idle();
      return;
    }
    // Whoever comes from now on is waited for by the next to ask; that one waits for those before, too.
    this.#underWay = { count: 1, onIdle: undefined };
    const next = this.#underWay;
    before.onIdle = () => {
      before.onIdle = undefined;
      next.count--;
      idle();
      if (next.count === 0) next.onIdle?.();
    };
  }
}
