/** The writer of the loops. It modifies definitions as the server itself, without the checks that apply to clients. */
import { isConflict, isNotFound } from '../../apimachinery/status/status.ts';
import { BugError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { isPromise } from '../../base/maybe-promise.ts';
import { OwnWriter } from '../../server/own/own-writer.ts';
import { parseObject } from '../../server/registry/stored-object.ts';
import type { StoredResource } from '../../server/resource/open-resource.ts';
import { strategyWithDefaults } from '../../server/resource/stored-resource.ts';
import { type Crd, readCrd } from '../crd.ts';

export class DefinitionWriter {
  readonly #definitions: Pick<OwnWriter, 'update' | 'track'>;

  constructor(definitions: Pick<OwnWriter, 'update' | 'track'>) {
    this.#definitions = definitions;
  }

  /** Returns a writer of the given resource. */
  static over(definitions: StoredResource): DefinitionWriter {
    return new DefinitionWriter(
      new OwnWriter(definitions, { strategy: strategyWithDefaults({}), tracksUpdatesAs: 'status' }),
    );
  }

  /**
   * Modifies the definition in place and stores it if its stored state is still the one that `crd` shows. Returns a
   * function that parses the stored definition, or its last state if the change removed its last finalizer. Returns
   * undefined if the definition is gone or has changed; the loops are called with that change.
   */
  async write(crd: Crd, change: (object: JsonObject) => void): Promise<(() => Crd) | undefined> {
    const { name, uid, resourceVersion } = crd;
    try {
      const target = { namespace: '', name };
      const bytes = await this.#definitions.update(target, change, { preconditions: { uid, resourceVersion } });
      return () => readCrd(parseObject(bytes, name));
    } catch (caught) {
      if (isConflict(caught) || isNotFound(caught)) return undefined;
      throw caught;
    }
  }

  /**
   * Records in `next`, in place, that the loops changed `live` to it. `next` must have metadata of its own. Conversions
   * of definitions are synchronous, and so is this.
   */
  track(live: JsonObject, next: JsonObject): void {
    if (isPromise(this.#definitions.track(live, next))) throw new BugError('a definition was converted asynchronously');
  }
}
