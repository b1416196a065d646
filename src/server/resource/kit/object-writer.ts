/**
 * Writes to objects of a declared resource by its own code: actions. A write may change spec and status at once. The
 * schema, the refinements and `validate` check it; admission and `mutate`, which are for clients, do not run.
 */
import type { FieldManager } from '../../../apimachinery/managed-fields/field-manager.ts';
import { cloneObject } from '../../../apimachinery/managed-fields/object-managed-fields.ts';
import { BugError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { timestamp } from '../../registry/object-metadata.ts';
import { RegistryStore } from '../../registry/store.ts';
import { parseObject } from '../../registry/stored-object.ts';
import { withWriteCheck } from '../checked-writes.ts';
import type { ResourceContext, ResourceStore } from '../resource-store.ts';
import type { Strategy } from '../strategy.ts';
import type { KitHooks } from './kit-hooks.ts';

export interface ObjectWriter {
  /** See ActionContext.update. The context is in the hub version. */
  update(context: ResourceContext, change: (object: JsonObject) => void, dryRun: boolean): Promise<JsonObject>;
}

export interface ObjectWriterOptions {
  readonly strategy: Strategy;
  readonly hooks: KitHooks;
  /** The name in managedFields. */
  readonly manager: string;
  /** Makes the field manager of the hub version. Called with the first write. */
  fieldManager(): FieldManager;
}

const ADMITTED = (): undefined => undefined;

/** Returns undefined if the parent has no update. */
export function objectWriter(parent: ResourceStore, options: ObjectWriterOptions): ObjectWriter | undefined {
  const { strategy, hooks, manager } = options;
  const own: ResourceStore = parent instanceof RegistryStore ? parent.withStrategy(strategy) : parent;
  if (own.update === undefined) return undefined;
  const { update } = hooks.checksWrites ? withWriteCheck(own, hooks.check) : own;
  let fields: FieldManager | undefined;
  return {
    update: async (context, change, dryRun) => {
      fields ??= options.fieldManager();
      const tracker = fields;
      const apply = async (current: JsonObject | undefined): Promise<JsonObject> => {
        if (current === undefined) throw new BugError('an update without creation got no object');
        const next = cloneObject(current);
        change(next);
        await tracker.update(current, next, { manager, now: timestamp(context.request.receivedAt) });
        return next;
      };
      const request = { dryRun, forceAllowCreate: false, validateCreate: ADMITTED, validateUpdate: ADMITTED };
      const answer = await update?.call(own, context, { apply, preconditions: undefined }, request);
      if (answer === undefined) throw new BugError('an update returned no answer');
      return parseObject(answer.bytes, context.name);
    },
  };
}
