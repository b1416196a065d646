/**
 * How the loops write definitions: as the server itself, past the rules for clients. Invariant: what is written was decided on exactly the state that is replaced; if that is not the present one any more nothing
 * is written, because whoever changed it makes the loop look again.
 */
import { isConflict, isNotFound } from '../../apimachinery/status/status.ts';
import { nameIsPathSegment } from '../../apimachinery/validation/name-rules.ts';
import type { Clock } from '../../base/clock.ts';
import { BugError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { ownContext } from '../../server/own/own-context.ts';
import type { RegistryStore } from '../../server/registry/store.ts';
import { parseObject } from '../../server/registry/stored-object.ts';
import type { Strategy } from '../../server/resource/resource-definition.ts';
import type { UpdateRequest } from '../../server/resource/resource-store.ts';
import { type Crd, readCrd } from '../crd.ts';
import { CRD_V1 } from '../definition/definition.ts';

const SERVER_RULES: Strategy = {
  sees: 'hub',
  nameRule: nameIsPathSegment,
  allowUnconditionalUpdate: true,
  allowCreateOnUpdate: false,
  countsGeneration: false,
};

const UPDATE: UpdateRequest = {
  dryRun: false,
  fieldManager: 'kube-apiserver',
  forceAllowCreate: false,
  validateCreate: () => undefined,
  validateUpdate: () => undefined,
};

export class DefinitionWriter {
  readonly #clock: Clock;
  readonly #update: RegistryStore['update'];

  constructor(store: RegistryStore, clock: Clock) {
    this.#clock = clock;
    this.#update = store.withStrategy(SERVER_RULES).update;
  }

  /** Changes the definition in place and stores it. Undefined: it is gone or was changed meanwhile. The answer is what is stored now, or was last; nothing is read of it before it is called. */
  async write(crd: Crd, change: (object: JsonObject) => void): Promise<(() => Crd) | undefined> {
    const { name, uid, resourceVersion } = crd;
    try {
      const { bytes } = await this.#update(
        ownContext(this.#clock, 'update', { version: CRD_V1, namespace: '', name }),
        {
          preconditions: { uid, resourceVersion },
          apply: (current) => {
            if (current === undefined) throw new BugError('an update without creation got no object');
            change(current);
            return current;
          },
        },
        UPDATE,
      );
      return () => readCrd(parseObject(bytes, name));
    } catch (caught) {
      if (isConflict(caught) || isNotFound(caught)) return undefined;
      throw caught;
    }
  }
}
