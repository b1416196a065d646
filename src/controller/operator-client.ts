/**
 * The client of an operator.
 * Invariants: every successful write is recorded, so that cached reads wait for it. Every request carries the signal of
 * its reconcile, so that nothing is written after a lost lease or by an abandoned reconcile.
 */

import type { Transport, TransportResponse } from '../apimachinery/http/transport.ts';
import { resourceVersionOf, type WatchEvent } from '../apimachinery/watch/watch-event.ts';
import type { JsonObject } from '../base/json-value.ts';
import type {
  Api,
  ApplyOptions,
  CallOptions,
  Client,
  Collection,
  ConnectOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  ObjectList,
  ObjectPatch,
  Page,
  PageOptions,
  PatchOptions,
  SelectOptions,
  SubresourceApi,
  WatchOptions,
  WriteOptions,
} from '../client/api.ts';
import type { Applied, DeepReadonly, Stored } from '../client/object-types.ts';
import type { Scale } from '../kinds/api/autoscaling/v1.ts';
import type { Kind } from '../kinds/kind.ts';
import { derivedSignal } from './derived-signal.ts';
import { formatKey, keyOf } from './keys.ts';
import type { OwnWrites } from './own-writes.ts';

export interface OperatorClientOptions {
  readonly client: Client;
  readonly writes: OwnWrites;
  /** Called for each request, so that a reconcile without requests creates no signal. */
  readonly signal: () => AbortSignal | undefined;
}

export class OperatorClient implements Client {
  readonly #options: OperatorClientOptions;

  constructor(options: OperatorClientOptions) {
    this.#options = options;
  }

  /** A transport whose requests carry the signal. Its writes are not recorded. */
  get transport(): Transport {
    const { client, signal } = this.#options;
    return (request) => client.transport(joined(request, signal()));
  }

  api<T>(kind: Kind<T>, namespace?: string): Api<T> {
    return new OperatorApi(this.#options.client.api(kind, namespace), this.#options);
  }

  all<T>(kind: Kind<T>): Collection<T> {
    return new OperatorCollection(this.#options.client.all(kind), this.#options);
  }
}

class OperatorCollection<T> implements Collection<T> {
  readonly #collection: Collection<T>;
  readonly #options: OperatorClientOptions;

  constructor(collection: Collection<T>, options: OperatorClientOptions) {
    this.#collection = collection;
    this.#options = options;
  }

  get kind(): Kind<T> {
    return this.#collection.kind;
  }

  get namespace(): string | undefined {
    return this.#collection.namespace;
  }

  list(options?: ListOptions): ObjectList<T> {
    return this.#collection.list(joined(options, this.#options.signal()));
  }

  listPage(options?: PageOptions): Promise<Page<T>> {
    return this.#collection.listPage(joined(options, this.#options.signal()));
  }

  watch(options?: WatchOptions): AsyncIterable<WatchEvent<Stored<T>>> {
    return this.#collection.watch(joined(options, this.#options.signal()));
  }
}

class OperatorApi<T> extends OperatorCollection<T> implements Api<T> {
  readonly #api: Api<T>;
  readonly #options: OperatorClientOptions;

  constructor(api: Api<T>, options: OperatorClientOptions) {
    super(api, options);
    this.#api = api;
    this.#options = options;
  }

  get(name: string, options?: GetOptions): Promise<Stored<T>> {
    return this.#api.get(name, this.#fenced(options));
  }

  find(name: string, options?: GetOptions): Promise<Stored<T> | undefined> {
    return this.#api.find(name, this.#fenced(options));
  }

  async create(object: DeepReadonly<T>, options?: WriteOptions): Promise<Stored<T>> {
    return this.#wrote(await this.#api.create(object, this.#fenced(options)), options);
  }

  async update(object: DeepReadonly<T>, options?: WriteOptions): Promise<Stored<T>> {
    return this.#wrote(await this.#api.update(object, this.#fenced(options)), options);
  }

  async updateStatus(object: DeepReadonly<T>, options?: WriteOptions): Promise<Stored<T>> {
    return this.#wrote(await this.#api.updateStatus(object, this.#fenced(options)), options);
  }

  async patch(name: string, patch: ObjectPatch, options?: PatchOptions): Promise<Stored<T>> {
    return this.#wrote(await this.#api.patch(name, patch, this.#fenced(options)), options);
  }

  async apply(configuration: Applied<T>, options: ApplyOptions): Promise<Stored<T>> {
    return this.#wrote(await this.#api.apply(configuration, this.#fenced(options)), options);
  }

  async delete(name: string, options?: DeleteOptions): Promise<Stored<T> | undefined> {
    const left = await this.#api.delete(name, this.#fenced(options));
    if (left !== undefined) return this.#wrote(left, options);
    if (options?.dryRun !== true) this.#options.writes.deleted(this.kind, formatKey(this.namespace, name), 'gone');
    return undefined;
  }

  async deleteCollection(options?: DeleteOptions & SelectOptions): Promise<void> {
    await this.#api.deleteCollection(this.#fenced(options));
    if (options?.dryRun !== true)
      this.#options.writes.deletedCollection(this.kind, this.namespace, options?.labelSelector);
  }

  getScale(name: string, options?: CallOptions): Promise<Stored<Scale>> {
    return this.#api.getScale(name, this.#fenced(options));
  }

  async scale(name: string, replicas: number, options?: WriteOptions): Promise<Stored<Scale>> {
    const scale = await this.#api.scale(name, replicas, this.#fenced(options));
    this.#wroteSubresource(name, scale.metadata.resourceVersion, options);
    return scale;
  }

  subresource(name: string, subresource: string): SubresourceApi {
    const api = this.#api.subresource(name, subresource);
    const write = async (body: Promise<JsonObject>, options?: WriteOptions): Promise<JsonObject> => {
      const answer = await body;
      this.#wroteSubresource(name, resourceVersionOf(answer), options);
      return answer;
    };
    return {
      get: (options?: GetOptions) => api.get(this.#fenced(options)),
      create: (body: object, options?: WriteOptions) => write(api.create(body, this.#fenced(options)), options),
      update: (body: object, options?: WriteOptions) => write(api.update(body, this.#fenced(options)), options),
      patch: (patch: ObjectPatch, options?: WriteOptions) => write(api.patch(patch, this.#fenced(options)), options),
      connect: (options?: ConnectOptions): Promise<TransportResponse> => api.connect(this.#fenced(options)),
    };
  }

  #fenced<O extends CallOptions>(options: O | undefined): O {
    return joined(options, this.#options.signal());
  }

  #wrote(object: Stored<T>, options: { readonly dryRun?: boolean } | undefined): Stored<T> {
    if (options?.dryRun !== true) this.#options.writes.wrote(this.kind, keyOf(object), object.metadata.resourceVersion);
    return object;
  }

  /**
   * Records the write of a subresource. A Scale and a status have the resourceVersion of their object. Other responses,
   * such as that of a binding, may have none; cached reads do not wait for such a write.
   */
  #wroteSubresource(name: string, revision: string, options: WriteOptions | undefined): void {
    if (options?.dryRun !== true && revision !== '')
      this.#options.writes.wrote(this.kind, formatKey(this.namespace, name), revision);
  }
}

/** Adds the signal of the client to the options. A signal of the caller still applies. */
function joined<O extends CallOptions>(options: O | undefined, signal: AbortSignal | undefined): O {
  const given = options as O;
  if (signal === undefined) return given;
  const own = options?.signal;
  return { ...given, signal: own === undefined ? derivedSignal(signal) : derivedSignal(own, signal) };
}
