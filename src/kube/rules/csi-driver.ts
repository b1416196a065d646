/** CSIDriver. Invariant: pure; the issues are the reference's, in its order; the generation counts changes of the spec. */
import {
  ensureObject,
  fieldAt,
  flagAt,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from '../../apimachinery/meta/object-fields.ts';
import { equalJson, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import type { TableDefinition } from '../../server/registry/version-definition.ts';
import { AGE, column, NAME, tableOf } from '../columns.ts';
import { ensureMeta } from '../object-fields.ts';

const TOKENS_IN_ATTRIBUTES =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

/** Behind a feature gate that is off. */
const GATED_FIELD = 'preventPodSchedulingIfMissing';

const DEFAULTS: Readonly<Record<string, JsonValue>> = {
  attachRequired: true,
  podInfoOnMount: false,
  storageCapacity: false,
  fsGroupPolicy: 'ReadWriteOnceWithFSType',
  requiresRepublish: false,
  seLinuxMount: false,
};

export const csiDriverTable: () => TableDefinition = tableOf(
  NAME,
  column('AttachRequired', 'Whether its volumes must be attached.', (object) => flagIn(object, 'attachRequired'), {
    type: 'boolean',
  }),
  column('PodInfoOnMount', 'Whether it is told of pods.', (object) => flagIn(object, 'podInfoOnMount'), {
    type: 'boolean',
  }),
  column('StorageCapacity', 'Whether it tells its capacity.', (object) => flagIn(object, 'storageCapacity'), {
    type: 'boolean',
  }),
  column('TokenRequests', 'For whom it gets tokens.', (object) =>
    fieldAt(object, 'spec', 'tokenRequests') === undefined
      ? '<unset>'
      : objectsAt(object, 'spec', 'tokenRequests')
          .map((request) => textAt(request, 'audience'))
          .join(),
  ),
  column(
    'RequiresRepublish',
    'Whether it is called again and again.',
    (object) => flagIn(object, 'requiresRepublish'),
    {
      type: 'boolean',
    },
  ),
  column(
    'Modes',
    'Kinds of volumes that it makes.',
    (object) => textsAt(object, 'spec', 'volumeLifecycleModes').join() || '<none>',
  ),
  AGE,
);

function flagIn(object: JsonObject, name: string): boolean {
  return flagAt(object, 'spec', name);
}

export function setCsiDriverDefaults(object: JsonObject): void {
  const spec = ensureObject(object, 'spec');
  for (const name in DEFAULTS) if (spec[name] === undefined) spec[name] = DEFAULTS[name] as JsonValue;
  if (listAt(spec, 'volumeLifecycleModes').length === 0) spec['volumeLifecycleModes'] = ['Persistent'];
}

export function prepareCsiDriverForCreate(object: JsonObject): void {
  delete objectAt(object, 'spec')?.[GATED_FIELD];
}

export function prepareCsiDriverForUpdate(object: JsonObject, old: JsonObject): void {
  if (fieldAt(old, 'spec', GATED_FIELD) === undefined) delete objectAt(object, 'spec')?.[GATED_FIELD];
  if (equalJson(objectAt(object, 'spec') ?? {}, objectAt(old, 'spec') ?? {})) return;
  ensureMeta(object)['generation'] = Number(numberAt(old, 'metadata', 'generation')) + 1;
}

export function csiDriverWarningsOnCreate(object: JsonObject): readonly string[] {
  const asksForTokens = listAt(object, 'spec', 'tokenRequests').length > 0;
  return asksForTokens && fieldAt(object, 'spec', 'serviceAccountTokenInSecrets') === undefined
    ? [TOKENS_IN_ATTRIBUTES]
    : [];
}

export function csiDriverWarningsOnUpdate(object: JsonObject, old: JsonObject): readonly string[] {
  const requests = [object, old].map((one) => [...listAt(one, 'spec', 'tokenRequests')]);
  return equalJson(requests[0] ?? [], requests[1] ?? []) ? [] : csiDriverWarningsOnCreate(object);
}
