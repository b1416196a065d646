/**
 * The store of Services in front of the one over storage: it allocates before a write and gives back after one. Invariant: a request that stores nothing leaves nothing
 * allocated, and what a Service had is free when it is gone, whichever verb took its last finalizer away.
 */
import { orderFields } from '../../../../apimachinery/codec/typed-order.ts';
import { finalizersOf, isTerminating, uidOf } from '../../../../apimachinery/meta/meta.ts';
import { ensureObject, objectAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { isDryRun } from '../../../../apimachinery/meta/write-options.ts';
import { isAlreadyExists } from '../../../../apimachinery/status/status.ts';
import { generateName } from '../../../../apimachinery/validation/name-rules.ts';
import { BugError, toError } from '../../../../base/errors.ts';
import { readJson } from '../../../../base/json-read.ts';
import { cloneJson, isJsonObject, type JsonObject } from '../../../../base/json-value.ts';
import { kindView } from '../../../../kinds/views.ts';
import { delegateStore } from '../../../../server/resource/delegate-store.ts';
import type { StoredResource } from '../../../../server/resource/open-resource.ts';
import type { SubresourceDefinition } from '../../../../server/resource/resource-definition.ts';
import type {
  CreateRequest,
  DeleteRequest,
  ResourceContext,
  ResourceStore,
  UpdateRequest,
  WriteAnswer,
} from '../../../../server/resource/resource-store.ts';
import { deleteOwn } from '../../../allocators/own-requests.ts';
import type { Allocation, ServiceAllocator } from '../../../allocators/service-allocation.ts';
import type { KubeContext } from '../../../kube-context.ts';
import { ensureMeta } from '../../../shared/object-fields.ts';
import { completeOldSpec, keepAllocatedValues, normalizeClusterIps } from './service-update.ts';

/** As often as the reference tries names that it makes up. */
const NAME_ATTEMPTS = 8;

/** What stands in front of the store of Services, and of their status: the last finalizer may go with an update of either. */
export class ServiceFront {
  #services: ServiceStore | undefined;

  open(open: StoredResource, world: KubeContext, allocator: ServiceAllocator): ResourceStore {
    const services = new ServiceStore(open, world, allocator);
    this.#services = services;
    return delegateStore(open.registry, {
      create: (context, object, request) => services.create(context, object, request),
      update: (context, change, request) => services.update(context, change, request),
      delete: async (context, request) => {
        const gone = new GoneServices();
        const answer = await open.registry.delete(context, gone.watching(request));
        await services.releaseGone(gone, request);
        return answer;
      },
      deleteCollection: async (context, request) => {
        const gone = new GoneServices();
        try {
          const watched = { ...request, ...gone.watching(request) };
          return await open.registry.deleteCollection(context, watched);
        } finally {
          await services.releaseGone(gone, request);
        }
      },
    });
  }

  /** The subresource, with what has to happen after an update. */
  watching(status: SubresourceDefinition): SubresourceDefinition {
    return {
      ...status,
      store: (parent, host) => {
        const store = status.store(parent, host);
        const { update } = store;
        if (update === undefined) return store;
        return delegateStore(store, {
          update: async (context, change, request) => {
            const answer = await update.call(store, context, change, request);
            if (!request.dryRun) await this.#services?.releaseAfterUpdate(answer);
            return answer;
          },
        });
      },
    };
  }
}

/** Objects that admission saw on their way out. */
class GoneServices {
  readonly seen: JsonObject[] = [];

  watching(request: DeleteRequest): DeleteRequest {
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
  readonly #open: StoredResource;
  readonly #world: KubeContext;
  readonly #allocator: ServiceAllocator;

  constructor(open: StoredResource, world: KubeContext, allocator: ServiceAllocator) {
    this.#open = open;
    this.#world = world;
    this.#allocator = allocator;
  }

  async create(context: ResourceContext, object: JsonObject, request: CreateRequest): Promise<WriteAnswer> {
    const prefix = textAt(object, 'metadata', 'generateName');
    if (textAt(object, 'metadata', 'name') !== '' || prefix === '') return this.#createOnce(context, object, request);
    for (let attempt = 1; ; attempt++) {
      const named = cloneJson(object);
      ensureMeta(named)['name'] = generateName(prefix, (below) => this.#world.host.random(below));
      try {
        return await this.#createOnce(context, named, request);
      } catch (error) {
        if (attempt === NAME_ATTEMPTS || !isAlreadyExists(error)) throw error;
      }
    }
  }

  async #createOnce(context: ResourceContext, object: JsonObject, request: CreateRequest): Promise<WriteAnswer> {
    const allocation = await this.#allocateNew(context, object, request.dryRun);
    return this.#settle(allocation, async () => this.#open.registry.create(context, inOrder(object), request));
  }

  async update(
    context: ResourceContext,
    change: Parameters<NonNullable<ResourceStore['update']>>[1],
    request: UpdateRequest,
  ): Promise<WriteAnswer> {
    let allocation: Allocation | undefined;
    const apply = async (current: JsonObject | undefined): Promise<JsonObject> => {
      // An earlier attempt lost a race.
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
    const store = async () => this.#open.registry.update(context, { ...change, apply }, request);
    const answer = await this.#settle(
      { commit: async () => allocation?.commit(), revert: async () => allocation?.revert() },
      store,
    );
    if (!request.dryRun) await this.releaseAfterUpdate(answer);
    return answer;
  }

  /** An update that took the last finalizer of a terminating Service. */
  async releaseAfterUpdate({ bytes }: WriteAnswer): Promise<void> {
    const read = readJson(bytes);
    if (!read.ok || !isJsonObject(read.value)) throw new BugError('a store answered with no Service');
    const service = read.value;
    if (isTerminating(service) && finalizersOf(service).length === 0) await this.#releaseIfGone(service);
  }

  async releaseGone(gone: GoneServices, { options }: DeleteRequest): Promise<void> {
    if (isDryRun(options)) return;
    await Promise.all(gone.seen.map((service) => this.#releaseIfGone(service)));
  }

  async #releaseIfGone(service: JsonObject): Promise<void> {
    const [namespace, name] = [textAt(service, 'metadata', 'namespace'), textAt(service, 'metadata', 'name')];
    const found = await this.#world.reader('services')(namespace, name);
    if ('object' in found && uidOf(found.object) === uidOf(service)) return;
    const spec = cloneJson(objectAt(service, 'spec') ?? {});
    completeOldSpec(spec, this.#allocator.primaryFamily);
    try {
      const next = 'object' in found ? objectAt(found.object, 'spec') : undefined;
      await this.#allocator.release({ namespace, name }, spec, next ?? {});
      // They have its name and would be those of the next Service of that name.
      if (!('object' in found)) await deleteOwn(this.#world.resource('endpoints'), namespace, name);
    } catch (error) {
      // The Service is gone whatever happens to what it had.
      this.#world.logger.warn('what a deleted Service had could not be given back', {
        namespace,
        name,
        reason: toError(error).message,
      });
    }
  }

  async #settle(allocation: Allocation, write: () => Promise<WriteAnswer>): Promise<WriteAnswer> {
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
      // The Service is stored whatever happens to what it had before.
      const reason = toError(error).message;
      this.#world.logger.warn('what a Service no longer has could not be given back', { reason });
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

/** What was filled in stands where its type has it. */
function inOrder(service: JsonObject): JsonObject {
  orderFields(service, kindView('', 'v1', 'Service'));
  return service;
}
