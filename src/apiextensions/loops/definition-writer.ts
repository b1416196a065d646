/** The writer of the loops: changes definitions as the server itself, without the rules for clients. */
import { isConflict, isNotFound } from '../../apimachinery/status/status.ts';
import { nameIsPathSegment } from '../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { OwnWriter } from '../../server/own/own-writer.ts';
import { parseObject } from '../../server/registry/stored-object.ts';
import type { StoredResource } from '../../server/resource/open-resource.ts';
import type { Strategy } from '../../server/resource/strategy.ts';
import { type Crd, readCrd } from '../crd.ts';

const SERVER_RULES: Strategy = {
  objectVersion: 'storage',
  nameRule: nameIsPathSegment,
  allowUnconditionalUpdate: true,
  allowCreateOnUpdate: false,
  countsGeneration: false,
};

export class DefinitionWriter {
  readonly #definitions: Pick<OwnWriter, 'update'>;

  constructor(definitions: Pick<OwnWriter, 'update'>) {
    this.#definitions = definitions;
  }

  static over(definitions: StoredResource): DefinitionWriter {
    return new DefinitionWriter(new OwnWriter(definitions, { strategy: SERVER_RULES }));
  }

  /**
   * Changes the definition in place and stores it over exactly the state that `crd` is. Returns the definition as stored,
   * or as it was last if the change took its last finalizer; it is parsed when it is called for. Returns undefined if the
   * definition is gone or has changed: whoever changed it makes the loops look again.
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
}
