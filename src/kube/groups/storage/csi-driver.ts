/** The kind CSIDriver. */
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
} from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  duplicate,
  type FieldIssue,
  invalid,
  notSupported,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { validateImmutableField } from '../../../apimachinery/validation/validate-object-meta-update.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { incremented } from '../../../server/registry/object-metadata.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import { ensureMeta, metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const FS_GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'];
const LIFECYCLE_MODES = ['Persistent', 'Ephemeral'];
const MIN_UPDATE_SECONDS = 10;
const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;

const TOKENS_IN_ATTRIBUTES =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

/** A field whose feature gate is off. */
const GATED_FIELD = 'preventPodSchedulingIfMissing';

/** The defaults of the spec. */
const DEFAULTS = {
  attachRequired: true,
  podInfoOnMount: false,
  storageCapacity: false,
  fsGroupPolicy: 'ReadWriteOnceWithFSType',
  requiresRepublish: false,
  seLinuxMount: false,
} as const;

const csiDriverTable: () => TableDefinition = tableOf(
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

export const CSI_DRIVER: KubeResource = {
  definition: storedResource({
    plural: 'csidrivers',
    scope: 'Cluster',
    versions: [
      builtInVersion({
        group: 'storage.k8s.io',
        version: 'v1',
        kind: 'CSIDriver',
        setDefaults: setCsiDriverDefaults,
        table: csiDriverTable,
      }),
    ],
    strategy: strategyWithDefaults({
      allowUnconditionalUpdate: false,
      prepareForCreate: prepareCsiDriverForCreate,
      validate: validateCsiDriver,
      warningsOnCreate: csiDriverWarningsOnCreate,
      prepareForUpdate: prepareCsiDriverForUpdate,
      validateUpdate: validateCsiDriverUpdate,
      warningsOnUpdate: csiDriverWarningsOnUpdate,
      returnsDeletedObject: true,
    }),
  }),
};

function flagIn(object: JsonObject, name: string): boolean {
  return flagAt(object, 'spec', name);
}

function setCsiDriverDefaults(object: JsonObject): void {
  const spec = ensureObject(object, 'spec');
  for (const [name, value] of Object.entries(DEFAULTS)) spec[name] ??= value;
  if (listAt(spec, 'volumeLifecycleModes').length === 0) spec['volumeLifecycleModes'] = ['Persistent'];
}

function prepareCsiDriverForCreate(object: JsonObject): void {
  delete objectAt(object, 'spec')?.[GATED_FIELD];
}

function prepareCsiDriverForUpdate(object: JsonObject, old: JsonObject): void {
  if (fieldAt(old, 'spec', GATED_FIELD) === undefined) delete objectAt(object, 'spec')?.[GATED_FIELD];
  if (equalJson(objectAt(object, 'spec') ?? {}, objectAt(old, 'spec') ?? {})) return;
  ensureMeta(object)['generation'] = incremented(fieldAt(old, 'metadata', 'generation'));
}

function validateCsiDriver(object: JsonObject): FieldIssue[] {
  return [
    ...validateKubeMeta(metaFacts(object), { namespaced: false, name: nameIsDnsSubdomain }, METADATA),
    ...validateSpec(objectAt(object, 'spec') ?? {}),
  ];
}

/** kube-apiserver's path for `attachRequired` is `attachedRequired` here. */
function validateCsiDriverUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const spec = objectAt(object, 'spec') ?? {};
  const was = objectAt(old, 'spec') ?? {};
  const fixed = (name: string, shown: string): FieldIssue[] =>
    validateImmutableField(spec[name] ?? null, was[name] ?? null, SPEC.child(shown)).map(declared);
  return [
    ...validateMetaUpdate(object, old),
    ...validateSpec(spec),
    ...fixed('attachRequired', 'attachedRequired'),
    ...fixed('volumeLifecycleModes', 'volumeLifecycleModes'),
  ];
}

function validateSpec(spec: JsonObject): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const policy = textAt(spec, 'fsGroupPolicy');
  if (!FS_GROUP_POLICIES.includes(policy))
    issues.push(declared(notSupported(SPEC.child('fsGroupPolicy'), policy, FS_GROUP_POLICIES)));
  addIssues(issues, validateTokenRequests(objectsAt(spec, 'tokenRequests')));
  for (const mode of textsAt(spec, 'volumeLifecycleModes'))
    if (!LIFECYCLE_MODES.includes(mode))
      issues.push(declared(notSupported(SPEC.child('volumeLifecycleModes'), mode, LIFECYCLE_MODES)));
  const period = fieldAt(spec, 'nodeAllocatableUpdatePeriodSeconds');
  if (period !== undefined && numberAt(spec, 'nodeAllocatableUpdatePeriodSeconds') < MIN_UPDATE_SECONDS)
    issues.push(
      invalid(SPEC.child('nodeAllocatableUpdatePeriodSeconds'), period, 'must be greater than or equal to 10 seconds'),
    );
  const inSecrets = fieldAt(spec, 'serviceAccountTokenInSecrets');
  if (inSecrets !== undefined && listAt(spec, 'tokenRequests').length === 0)
    issues.push(
      invalid(
        SPEC.child('serviceAccountTokenInSecrets'),
        inSecrets,
        'serviceAccountTokenInSecrets is set but no tokenRequests are specified',
      ),
    );
  return issues;
}

/** Audiences must be unique. The audience '' is that of the API server. */
function validateTokenRequests(requests: readonly JsonObject[]): FieldIssue[] {
  const audiences = new Set<string>();
  return requests.flatMap((request, i) => {
    const path = SPEC.child('tokenRequests').index(i);
    const audience = textAt(request, 'audience');
    if (audiences.has(audience)) return [duplicate(path.child('audience'), audience)];
    audiences.add(audience);
    const seconds = fieldAt(request, 'expirationSeconds');
    if (typeof seconds !== 'number' && typeof seconds !== 'bigint') return [];
    const at = path.child('expirationSeconds');
    if (seconds < MIN_TOKEN_SECONDS) return [invalid(at, seconds, 'may not specify a duration less than 10 minutes')];
    if (seconds > MAX_TOKEN_SECONDS)
      return [invalid(at, seconds, 'may not specify a duration larger than 2^32 seconds')];
    return [];
  });
}

function csiDriverWarningsOnCreate(object: JsonObject): readonly string[] {
  const asksForTokens = listAt(object, 'spec', 'tokenRequests').length > 0;
  return asksForTokens && fieldAt(object, 'spec', 'serviceAccountTokenInSecrets') === undefined
    ? [TOKENS_IN_ATTRIBUTES]
    : [];
}

function csiDriverWarningsOnUpdate(object: JsonObject, old: JsonObject): readonly string[] {
  const requests = [object, old].map((one) => [...listAt(one, 'spec', 'tokenRequests')]);
  return equalJson(requests[0] ?? [], requests[1] ?? []) ? [] : csiDriverWarningsOnCreate(object);
}
