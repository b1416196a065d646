/** The implementation of Collection and Api: one request per call. */
import type { Transport, TransportResponse } from '../apimachinery/http/transport.ts';
import { formatGroupVersion, type GroupResource } from '../apimachinery/meta/gvk.ts';
import { listAt, numberAt, textAt } from '../apimachinery/meta/object-fields.ts';
import { isNotFound } from '../apimachinery/status/status.ts';
import type { WatchEvent } from '../apimachinery/watch/watch-event.ts';
import type { JsonObject } from '../base/json-value.ts';
import type { Scale } from '../kinds/api/autoscaling/v1.ts';
import type { Kind } from '../kinds/kind.ts';
import type {
  Api,
  ApplyOptions,
  CallOptions,
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
} from './api.ts';
import { objectCompleter, objectDecoder, withType } from './decode-object.ts';
import { readPage } from './list-page.ts';
import { objectList } from './object-list.ts';
import type { Applied, DeepReadonly, Stored } from './object-types.ts';
import { collectionPath, formatQuery, listTarget, pathSegment, selectors, watchTarget } from './paths.ts';
import { type Call, parseObject, sendForBytes, sendForObject } from './response.ts';
import { watchBatches } from './watch-stream.ts';
import {
  APPLY_TYPE,
  applyQuery,
  deleteBody,
  encodeBody,
  JSON_TYPE,
  patchBody,
  patchType,
  writeQuery,
} from './write-requests.ts';

export interface ClientLimits {
  readonly maxResponseBytes: number;
  readonly maxWatchEventBytes: number;
}

/** The parts that every request of a client shares. */
export interface ClientContext extends ClientLimits {
  readonly transport: Transport;
  readonly onWarning: ((text: string) => void) | undefined;
}

interface RequestParts {
  readonly name?: string;
  readonly body?: Uint8Array | undefined;
  readonly contentType?: string;
  readonly options: CallOptions & Pick<WriteOptions, 'onWarning'>;
}

export class ObjectApi<T> implements Api<T> {
  readonly kind: Kind<T>;
  readonly namespace: string | undefined;
  readonly #context: ClientContext;
  readonly #resource: GroupResource;
  readonly #path: string;

  /** Throws a BadRequest for a namespace that is not valid in a path. */
  constructor(context: ClientContext, kind: Kind<T>, namespace: string | undefined) {
    this.kind = kind;
    this.namespace = namespace;
    this.#context = context;
    this.#resource = { group: kind.group, resource: kind.plural };
    this.#path = collectionPath(kind, namespace);
  }

  list(options: ListOptions = {}): ObjectList<T> {
    return objectList((page) => this.listPage(page), options);
  }

  listPage(options: PageOptions = {}): Promise<Page<T>> {
    const call = this.#call('GET', listTarget(this.#path, options), { options });
    return readPage(this.#context.transport, call, objectCompleter(this.kind));
  }

  async *watch(options: WatchOptions = {}): AsyncGenerator<WatchEvent<Stored<T>>, void, undefined> {
    const { transport, onWarning, maxWatchEventBytes } = this.#context;
    const batches = watchBatches(transport, {
      target: watchTarget(this.#path, options),
      decode: objectDecoder(this.kind),
      maxEventBytes: maxWatchEventBytes,
      resource: this.#resource,
      signal: options.signal,
      onWarning,
    });
    for await (const batch of batches) yield* batch;
  }

  async get(name: string, options: GetOptions = {}): Promise<Stored<T>> {
    const query = formatQuery({ resourceVersion: options.resourceVersion });
    return this.#object('GET', `${this.#objectPath(name)}${query}`, { name, options });
  }

  async find(name: string, options: GetOptions = {}): Promise<Stored<T> | undefined> {
    try {
      return await this.get(name, options);
    } catch (caught) {
      if (isNotFound(caught)) return undefined;
      throw caught;
    }
  }

  async create(object: DeepReadonly<T>, options: WriteOptions = {}): Promise<Stored<T>> {
    const body = this.#encode(object as JsonObject);
    return this.#object('POST', `${this.#path}${writeQuery(options)}`, { body, options });
  }

  async update(object: DeepReadonly<T>, options: WriteOptions = {}): Promise<Stored<T>> {
    return this.#replace(object as JsonObject, '', options);
  }

  async updateStatus(object: DeepReadonly<T>, options: WriteOptions = {}): Promise<Stored<T>> {
    return this.#replace(object as JsonObject, 'status', options);
  }

  async patch(name: string, patch: ObjectPatch, options: PatchOptions = {}): Promise<Stored<T>> {
    const target = `${this.#objectPath(name, options.subresource)}${writeQuery(options)}`;
    const body = patchBody(patch);
    return this.#object('PATCH', target, { name, body, contentType: patchType(patch), options });
  }

  async apply(configuration: Applied<T>, options: ApplyOptions): Promise<Stored<T>> {
    const { name } = configuration.metadata;
    const target = `${this.#objectPath(name, options.subresource)}${applyQuery(options)}`;
    const body = this.#encode(configuration as unknown as JsonObject);
    return this.#object('PATCH', target, { name, body, contentType: APPLY_TYPE, options });
  }

  async delete(name: string, options: DeleteOptions = {}): Promise<Stored<T> | undefined> {
    const parts = { name, body: deleteBody(options), options };
    const answer = await this.#send('DELETE', this.#objectPath(name), parts);
    return isAwaitingDeletion(answer) ? (withType(answer, this.#type()) as unknown as Stored<T>) : undefined;
  }

  async deleteCollection(options: DeleteOptions & SelectOptions = {}): Promise<void> {
    const target = `${this.#path}${formatQuery(selectors(options))}`;
    const call = this.#call('DELETE', target, { body: deleteBody(options), options });
    parseObject(await sendForBytes(this.#context.transport, call), call);
  }

  async getScale(name: string, options: CallOptions = {}): Promise<Stored<Scale>> {
    return stored<Scale>(await this.#send('GET', this.#objectPath(name, 'scale'), { name, options }));
  }

  async scale(name: string, replicas: number, options: WriteOptions = {}): Promise<Stored<Scale>> {
    const target = `${this.#objectPath(name, 'scale')}${writeQuery(options)}`;
    const patch: ObjectPatch = { type: 'merge', body: { spec: { replicas } } };
    const parts = { name, body: patchBody(patch), contentType: patchType(patch), options };
    return stored<Scale>(await this.#send('PATCH', target, parts));
  }

  subresource(name: string, subresource: string): SubresourceApi {
    const path = this.#objectPath(name, subresource);
    const send = (method: string, query: string, parts: RequestParts): Promise<JsonObject> =>
      this.#send(method, `${path}${query}`, { name, ...parts });
    return {
      get: (options = {}) => send('GET', formatQuery({ resourceVersion: options.resourceVersion }), { options }),
      create: (body, options = {}) => send('POST', writeQuery(options), { body: encodeBody(body), options }),
      update: (body, options = {}) => send('PUT', writeQuery(options), { body: encodeBody(body), options }),
      patch: (patch, options = {}) =>
        send('PATCH', writeQuery(options), { body: patchBody(patch), contentType: patchType(patch), options }),
      connect: (options = {}) => this.#connect(path, options),
    };
  }

  #connect(path: string, options: ConnectOptions): Promise<TransportResponse> {
    const { method = 'GET', path: below = '', query = {}, headers = {}, body, signal } = options;
    const target = `${path}${below === '' || below.startsWith('/') ? below : `/${below}`}${formatQuery(query)}`;
    return this.#context.transport({
      method,
      target,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async #replace(object: JsonObject, subresource: string, options: WriteOptions): Promise<Stored<T>> {
    const name = textAt(object, 'metadata', 'name');
    const target = `${this.#objectPath(name, subresource)}${writeQuery(options)}`;
    return this.#object('PUT', target, { name, body: this.#encode(object), options });
  }

  async #object(method: string, target: string, parts: RequestParts): Promise<Stored<T>> {
    return withType(await this.#send(method, target, parts), this.#type()) as unknown as Stored<T>;
  }

  #send(method: string, target: string, parts: RequestParts): Promise<JsonObject> {
    return sendForObject(this.#context.transport, this.#call(method, target, parts));
  }

  #call(method: string, target: string, { name, body, contentType = JSON_TYPE, options }: RequestParts): Call {
    return {
      method,
      target,
      headers: body === undefined ? { accept: JSON_TYPE } : { accept: JSON_TYPE, 'content-type': contentType },
      maxBytes: this.#context.maxResponseBytes,
      resource: this.#resource,
      onWarning: options.onWarning ?? this.#context.onWarning,
      ...(body === undefined ? {} : { body }),
      ...(name === undefined ? {} : { name }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    };
  }

  #encode(object: JsonObject): Uint8Array {
    return encodeBody(withType(object, this.#type()));
  }

  #type(): { readonly apiVersion: string; readonly kind: string } {
    return { apiVersion: formatGroupVersion(this.kind), kind: this.kind.kind };
  }

  #objectPath(name: string, subresource = ''): string {
    const path = `${this.#path}/${pathSegment(name, `name of a ${this.kind.kind}`)}`;
    return subresource === '' ? path : `${path}/${pathSegment(subresource, 'subresource')}`;
  }
}

/**
 * Whether the answer to a deletion is an object that still exists, because of finalizers or a grace period. Some kinds
 * also return a removed object; others return a Status.
 */
function isAwaitingDeletion(answer: JsonObject): boolean {
  if (textAt(answer, 'metadata', 'deletionTimestamp') === '') return false;
  return (
    listAt(answer, 'metadata', 'finalizers').length > 0 ||
    // A Namespace also has finalizers in its spec.
    listAt(answer, 'spec', 'finalizers').length > 0 ||
    numberAt(answer, 'metadata', 'deletionGracePeriodSeconds') > 0
  );
}

function stored<T>(object: JsonObject): Stored<T> {
  return object as unknown as Stored<T>;
}
