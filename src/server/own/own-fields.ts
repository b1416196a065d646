/**
 * The managed fields of objects that the server itself writes. Invariant: an object that cannot be tracked is written
 * all the same, without managedFields, and the reason is reported.
 */
import type { FieldManager } from '../../apimachinery/managed-fields/field-manager.ts';
import { managedFieldsOf, setManagedFields } from '../../apimachinery/managed-fields/object-managed-fields.ts';
import { nameOf } from '../../apimachinery/meta/meta.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { BugError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { timestamp } from '../registry/object-metadata.ts';
import { normalizeApplied } from '../resource/applied-object.ts';
import { createFieldManager } from '../resource/create-field-manager.ts';
import type { StoredResource } from '../resource/open-resource.ts';

/** The name of the reference's own client. */
export const OWN_FIELD_MANAGER = 'kube-apiserver';

export interface OwnFieldsWrite {
  readonly manager: string;
  /** '' for the resource itself. */
  readonly subresource: string;
  /** The stored object; undefined on create. Not modified. */
  readonly live: JsonObject | undefined;
}

export class OwnFields {
  readonly #resource: StoredResource;
  /** By subresource; made with the first write. */
  readonly #managers = new Map<string, FieldManager>();

  constructor(resource: StoredResource) {
    this.#resource = resource;
  }

  /** Records a create or an update in the managedFields of `next`, in place, and returns it. */
  update({ manager, subresource, live }: OwnFieldsWrite, next: JsonObject): MaybePromise<JsonObject> {
    const { host, definition } = this.#resource;
    const tracked = this.#managerOf(subresource).update(live, next, { manager, now: timestamp(host.clock.now()) });
    return andThen(tracked, (problem) => {
      if (problem !== undefined) {
        const { group, version } = definition.storageVersion;
        host.onUntracked({ group, version, resource: definition.plural }, `${nameOf(next)}: ${problem}`);
      }
      return next;
    });
  }

  /**
   * Applies a configuration to the stored object by force. Returns the caller's own copy of the result, normalized and
   * with defaults. Throws the StatusError for a configuration that does not have its type.
   */
  apply({ manager, subresource, live }: OwnFieldsWrite, config: JsonObject): MaybePromise<JsonObject> {
    const { host, definition } = this.#resource;
    const context = { manager, now: timestamp(host.clock.now()), force: true };
    return andThen(this.#managerOf(subresource).apply(live, config, context), (outcome) => {
      if (!outcome.ok) throw new StatusError(outcome.status);
      const normalized = normalizeApplied(definition.storageVersion, outcome.object);
      if (!normalized.ok) throw new BugError(`an own configuration is not valid: ${normalized.message}`);
      return normalized.object;
    });
  }

  /** Gives `object` the managedFields that it has after `manager` applied the status that it is created with. */
  applyStatus(object: JsonObject, manager: string, status: JsonObject): MaybePromise<void> {
    const { apiVersion, kind, status: _, ...rest } = object;
    const live = { apiVersion, kind, ...rest } as JsonObject;
    const config = { apiVersion, kind, status } as JsonObject;
    return andThen(this.apply({ manager, subresource: 'status', live }, config), (applied) => {
      const entries = managedFieldsOf(applied);
      if (Array.isArray(entries)) setManagedFields(object, entries);
    });
  }

  #managerOf(subresource: string): FieldManager {
    let manager = this.#managers.get(subresource);
    if (manager === undefined) {
      const { definition, subresources } = this.#resource;
      const { storageVersion } = definition;
      manager = createFieldManager(definition, storageVersion, subresources.get(subresource)?.definition);
      this.#managers.set(subresource, manager);
    }
    return manager;
  }
}
