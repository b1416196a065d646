/**
 * Releases the cluster IPs of Services that are gone. Any verb may remove a Service: a delete, a delete of the
 * collection, or an update of the Service or its status that removes the last finalizer.
 */
import { finalizersOf, isTerminating, uidOf } from '../../../../apimachinery/meta/meta.ts';
import { objectAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { BugError, toError } from '../../../../base/errors.ts';
import { readJson } from '../../../../base/json-read.ts';
import { cloneJson, isJsonObject, type JsonObject } from '../../../../base/json-value.ts';
import { delegateStore } from '../../../../server/resource/delegate-store.ts';
import type { SubresourceDefinition } from '../../../../server/resource/resource-definition.ts';
import type { WriteAnswer } from '../../../../server/resource/resource-store.ts';
import type { KubeContext } from '../../../kube-context.ts';
import type { ServiceAllocator } from './service-allocator.ts';
import { completeOldSpec } from './service-update.ts';

export class ServiceRelease {
  readonly #kube: KubeContext;
  readonly #allocator: ServiceAllocator;

  constructor(kube: KubeContext, allocator: ServiceAllocator) {
    this.#kube = kube;
    this.#allocator = allocator;
  }

  /** The subresource, with `afterUpdate` called after each of its updates that is not a dry run. */
  afterUpdatesOf(subresource: SubresourceDefinition): SubresourceDefinition {
    return {
      ...subresource,
      store: (parent, host) => {
        const store = subresource.store(parent, host);
        const { update } = store;
        if (update === undefined) return store;
        return delegateStore(store, {
          update: async (context, change, request) => {
            const answer = await update.call(store, context, change, request);
            if (!request.dryRun) await this.afterUpdate(answer);
            return answer;
          },
        });
      },
    };
  }

  /** Releases if the update removed the last finalizer of a terminating Service. */
  async afterUpdate({ bytes }: WriteAnswer): Promise<void> {
    const read = readJson(bytes);
    if (!read.ok || !isJsonObject(read.value)) throw new BugError('the registry answered with no Service');
    const service = read.value;
    if (isTerminating(service) && finalizersOf(service).length === 0) await this.ifGone(service);
  }

  /** Releases unless the Service is still stored. A failure is logged: the Service is gone in any case. */
  async ifGone(service: JsonObject): Promise<void> {
    const [namespace, name] = [textAt(service, 'metadata', 'namespace'), textAt(service, 'metadata', 'name')];
    const found = await this.#kube.reader('services')(namespace, name);
    if ('object' in found && uidOf(found.object) === uidOf(service)) return;
    const spec = cloneJson(objectAt(service, 'spec') ?? {});
    completeOldSpec(spec, this.#allocator.primaryFamily);
    try {
      const next = 'object' in found ? objectAt(found.object, 'spec') : undefined;
      await this.#allocator.release({ namespace, name }, spec, next ?? {});
      // Endpoints have the name of their Service; a later Service of that name must not inherit them.
      if (!('object' in found)) await this.#kube.writer('endpoints').deleteIfPresent({ namespace, name });
    } catch (error) {
      this.#kube.logger.warn('cannot release the cluster IPs of a deleted Service', {
        namespace,
        name,
        reason: toError(error).message,
      });
    }
  }
}
