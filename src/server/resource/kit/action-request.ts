/** The context that an action's handler gets for one run. */
import { StatusError } from '../../../apimachinery/status/status.ts';
import { methodNotAllowed } from '../../../apimachinery/status/status-catalogue.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { ResourceContext } from '../resource-store.ts';
import type { ActionContext } from './action.ts';
import { HookRequest } from './hook-context.ts';
import type { ObjectWriter } from './object-writer.ts';

export class ActionRequest extends HookRequest implements ActionContext<JsonObject> {
  readonly #context: ResourceContext;
  readonly #writer: ObjectWriter | undefined;

  /** `writer` is undefined if the objects of the resource cannot be changed. */
  constructor(context: ResourceContext, dryRun: boolean, writer: ObjectWriter | undefined) {
    super(context, dryRun);
    this.#context = context;
    this.#writer = writer;
  }

  async update(change: (object: JsonObject) => void): Promise<JsonObject> {
    const { group, kind } = this.version;
    if (this.#writer === undefined)
      throw new StatusError(methodNotAllowed({ group, resource: kind.toLowerCase() }, 'update'));
    return this.#writer.update(this.#context, change, this.dryRun);
  }
}
