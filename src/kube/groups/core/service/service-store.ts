/**
 * The store of Services. It allocates before a write and releases after it. Invariant: a write that fails leaves
 * nothing allocated.
 */
import { orderFields } from '../../../../apimachinery/codec/typed-order.ts';
import { ensureObject, objectAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { isDryRun } from '../../../../apimachinery/meta/write-options.ts';
import { isAlreadyExists } from '../../../../apimachinery/status/status.ts';
import { generateName } from '../../../../apimachinery/validation/name-rules.ts';
import { toError } from '../../../../base/errors.ts';
import { cloneJson, type JsonObject } from '../../../../base/json-value.ts';
import type { MaybePromise } from '../../../../base/maybe-promise.ts';
import { kindView } from '../../../../kinds/views.ts';
import type { RegistryStore } from '../../../../server/registry/store.ts';
import { delegateStore } from '../../../../server/resource/delegate-store.ts';
import type {
  CreateRequest,
  DeleteRequest,
  ObjectChange,
  ResourceContext,
  ResourceStore,
  UpdateRequest,
  WriteAnswer,
} from '../../../../server/resource/resource-store.ts';
import { ensureMeta } from '../../../../server/resource/strategy-fields.ts';
import type { KubeContext } from '../../../kube-context.ts';
import type { Allocation, ServiceAllocator } from './service-allocator.ts';
import type { ServiceRelease } from './service-release.ts';
import { completeOldSpec, keepAllocatedValues, normalizeClusterIps } from './service-update.ts';

/** The number of attempts to find a free generated name, as in kube-apiserver's registry store. */
const NAME_ATTEMPTS = 8;

export interface ServiceStoreOptions {
  readonly kube: KubeContext;
  readonly allocator: ServiceAllocator;
  readonly release: ServiceRelease;
}

export function wrapServiceStore(registry: RegistryStore, options: ServiceStoreOptions): ResourceStore {
  const services = new ServiceStore(registry, options);
  return delegateStore(registry, {
    create: (context, object, request) => services.create(context, object, request),
    update: (context, change, request) => services.update(context, change, request),
    delete: async (context, request) => {
      const deleted = new DeletedServices();
      const answer = await registry.delete(context, deleted.recording(request));
      await services.releaseDeleted(deleted, request);
      return answer;
    },
    deleteCollection: async (context, request) => {
      const deleted = new DeletedServices();
      try {
        const recorded = { ...request, ...deleted.recording(request) };
        return await registry.deleteCollection(context, recorded);
      } finally {
        await services.releaseDeleted(deleted, request);
      }
    },
  });
}

/** The Services that a request is about to delete, recorded when admission validates their deletion. */
class DeletedServices {
  readonly seen: JsonObject[] = [];

  recording(request: DeleteRequest): DeleteRequest {
    return {
      ...request,
      validate: (old) => {
        this.seen.push(old);
        return request.validate(old);
      },
    };
  }
}

class ServiceStore {
  readonly #registry: RegistryStore;
  readonly #kube: KubeContext;
  readonly #allocator: ServiceAllocator;
  readonly #release: ServiceRelease;

  constructor(registry: RegistryStore, { kube, allocator, release }: ServiceStoreOptions) {
    this.#registry = registry;
    this.#kube = kube;
    this.#allocator = allocator;
    this.#release = release;
  }

  async create(context: ResourceContext, object: JsonObject, request: CreateRequest): Promise<WriteAnswer> {
    const prefix = textAt(object, 'metadata', 'generateName');
    if (textAt(object, 'metadata', 'name') !== '' || prefix === '') return this.#createOnce(context, object, request);
    for (let attempt = 1; ; attempt++) {
      const named = cloneJson(object);
      ensureMeta(named)['name'] = generateName(prefix, (below) => this.#kube.host.random(below));
      try {
        return await this.#createOnce(context, named, request);
      } catch (error) {
        if (attempt === NAME_ATTEMPTS || !isAlreadyExists(error)) throw error;
      }
    }
  }

  async #createOnce(context: ResourceContext, object: JsonObject, request: CreateRequest): Promise<WriteAnswer> {
    const allocation = await this.#allocateNew(context, object, request.dryRun);
    return this.#settle(allocation, () => this.#registry.create(context, inOrder(object), request));
  }

  async update(context: ResourceContext, change: ObjectChange, request: UpdateRequest): Promise<WriteAnswer> {
    let allocation: Allocation | undefined;
    const apply = async (current: JsonObject | undefined): Promise<JsonObject> => {
      // Called again after a conflict: the allocation of the failed attempt is undone first.
      await allocation?.revert();
      allocation = undefined;
      const oldSpec = cloneJson((current === undefined ? undefined : objectAt(current, 'spec')) ?? {});
      const version = current === undefined ? '' : textAt(current, 'metadata', 'resourceVersion');
      const next = await change.apply(current);
      if (current === undefined) allocation = await this.#allocateNew(context, next, request.dryRun);
      else if (['', version].includes(textAt(next, 'metadata', 'resourceVersion')))
        allocation = await this.#allocateChange(context, next, oldSpec, request.dryRun);
      return inOrder(next);
    };
    const write = () => this.#registry.update(context, { ...change, apply }, request);
    const answer = await this.#settle(
      { commit: async () => allocation?.commit(), revert: async () => allocation?.revert() },
      write,
    );
    if (!request.dryRun) await this.#release.afterUpdate(answer);
    return answer;
  }

  async releaseDeleted(deleted: DeletedServices, { options }: DeleteRequest): Promise<void> {
    if (isDryRun(options)) return;
    await Promise.all(deleted.seen.map((service) => this.#release.ifGone(service)));
  }

  async #settle(allocation: Allocation, write: () => MaybePromise<WriteAnswer>): Promise<WriteAnswer> {
    let answer: WriteAnswer;
    try {
      answer = await write();
    } catch (error) {
      await allocation.revert();
      throw error;
    }
    try {
      await allocation.commit();
    } catch (error) {
      // The Service is stored: the request succeeds even if its former addresses stay allocated.
      const reason = toError(error).message;
      this.#kube.logger.warn('cannot release the former cluster IPs of a Service', { reason });
    }
    return answer;
  }

  #allocateNew(context: ResourceContext, object: JsonObject, dryRun: boolean): Promise<Allocation> {
    const spec = ensureObject(object, 'spec');
    normalizeClusterIps(spec, undefined);
    return this.#allocator.allocate(nameOf(context, object), spec, undefined, dryRun);
  }

  #allocateChange(
    context: ResourceContext,
    object: JsonObject,
    oldSpec: JsonObject,
    dryRun: boolean,
  ): Promise<Allocation> {
    const spec = ensureObject(object, 'spec');
    completeOldSpec(oldSpec, this.#allocator.primaryFamily);
    keepAllocatedValues(spec, oldSpec);
    normalizeClusterIps(spec, oldSpec);
    return this.#allocator.allocate(nameOf(context, object), spec, oldSpec, dryRun);
  }
}

function nameOf(context: ResourceContext, object: JsonObject) {
  return { namespace: context.namespace, name: textAt(object, 'metadata', 'name') };
}

/** Puts the fields that were added into the order of the type. */
function inOrder(service: JsonObject): JsonObject {
  orderFields(service, kindView('', 'v1', 'Service'));
  return service;
}
