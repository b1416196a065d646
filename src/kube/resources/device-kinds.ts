/** The kinds of resource.k8s.io. Invariant: how they work is in `rules/resource/`; v1 is what they are judged in. */
import { objectsAt } from '../../apimachinery/meta/object-fields.ts';
import { BugError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { checkedSubresource } from '../../server/resource/checked-writes.ts';
import type { ResourceDefinition, Strategy } from '../../server/resource/resource-definition.ts';
import { updateSubresource } from '../../server/resource/update-subresource.ts';
import type { VersionDefinition } from '../../server/resource/version-definition.ts';
import { convertClaim, convertClaimTemplate, convertSlice } from '../groups/resource/beta-conversion.ts';
import { AdminRequests, checkClaimStatus } from '../groups/resource/claim-access.ts';
import { prepareClaimStatusForUpdate, validateClaimStatusUpdate } from '../groups/resource/claim-status.ts';
import {
  validateClaim,
  validateClaimTemplate,
  validateClaimTemplateUpdate,
  validateClaimUpdate,
  validateDeviceClass,
  validateDeviceClassUpdate,
} from '../groups/resource/claims.ts';
import {
  setBetaClaimDefaults,
  setBetaClaimTemplateDefaults,
  setBetaSliceDefaults,
  setClaimDefaults,
  setClaimTemplateDefaults,
  setPoolStatusRequestDefaults,
  setSliceDefaults,
  setTaintRuleDefaults,
  type WallClock,
} from '../groups/resource/defaults.ts';
import {
  validatePoolStatusRequest,
  validatePoolStatusRequestUpdate,
  validatePoolStatusUpdate,
} from '../groups/resource/pool-status.ts';
import {
  prepareSliceForCreate,
  prepareSliceForUpdate,
  sliceWarnings,
  validateSlice,
  validateSliceUpdate,
} from '../groups/resource/slices.ts';
import {
  claimTable,
  namedTable,
  poolStatusRequestTable,
  sliceTable,
  taintRuleTable,
} from '../groups/resource/tables.ts';
import {
  prepareTaintRuleForUpdate,
  validateTaintRule,
  validateTaintRuleStatusUpdate,
  validateTaintRuleUpdate,
} from '../groups/resource/taints.ts';
import type { KubeContext, KubeResource } from '../kube-context.ts';
import { type BuiltInVersion, builtInStrategy, builtInVersion, storedResource } from '../shared/built-in.ts';
import { clearStatus, dropStatus, keepAllButStatus, keepStatus } from '../shared/object-fields.ts';

const GROUP = 'resource.k8s.io';
export function deviceResources(clock: WallClock): readonly KubeResource[] {
  return [
    { definition: DEVICE_CLASSES },
    claims(),
    claimTemplates(),
    { definition: slices(clock) },
    { definition: taintRules(clock) },
    { definition: POOL_STATUS_REQUESTS },
  ];
}

function version(options: Omit<BuiltInVersion, 'group'>): VersionDefinition {
  return builtInVersion({ group: GROUP, ...options });
}

/** All judge their metadata themselves and answer a delete with the object. */
function strategyOf(own: Partial<Strategy>): Strategy {
  return builtInStrategy({ validatesMetadata: true, returnsDeletedObject: true, ...own });
}

type Defaults = (object: JsonObject) => void;

/** v1, v1beta2, v1beta1: the last has defaults of its own, because its types differ. */
function versions(
  options: Omit<BuiltInVersion, 'group' | 'version' | 'setDefaults'>,
  set?: Defaults,
  setBeta?: Defaults,
): [VersionDefinition, ...VersionDefinition[]] {
  const own = set === undefined ? {} : { setDefaults: set };
  return [
    version({ version: 'v1', ...options, ...own }),
    version({ version: 'v1beta2', ...options, ...own }),
    version({ version: 'v1beta1', ...options, ...(setBeta === undefined ? {} : { setDefaults: setBeta }) }),
  ];
}

const DEVICE_CLASSES: ResourceDefinition = storedResource({
  plural: 'deviceclasses',
  scope: 'Cluster',
  versions: versions({ kind: 'DeviceClass', table: namedTable }),
  strategy: strategyOf({
    countsGeneration: true,
    validate: validateDeviceClass,
    validateUpdate: validateDeviceClassUpdate,
  }),
});

/** The status needs to ask the server, which is there by the time of the first request. */
function claims(): KubeResource {
  let world: KubeContext | undefined;
  const admin = new AdminRequests((claim) => objectsAt(claim, 'spec', 'devices', 'requests'));
  const strategy = strategyOf({
    prepareForCreate: clearStatus,
    validate: (claim, context) => [...admin.issues(context), ...validateClaim(claim)],
    prepareForUpdate: keepStatus,
    validateUpdate: validateClaimUpdate,
  });
  const status = updateSubresource('status', {
    ...strategy,
    prepareForUpdate: prepareClaimStatusForUpdate,
    validateUpdate: validateClaimStatusUpdate,
  });
  const definition = storedResource({
    plural: 'resourceclaims',
    scope: 'Namespaced',
    versions: versions({ kind: 'ResourceClaim', table: claimTable }, setClaimDefaults, setBetaClaimDefaults),
    convert: (objects, from, to) => objects.map((object) => convertClaim(object, from.version, to.version)),
    strategy,
    subresources: [
      checkedSubresource(status, (claim, old, context) => {
        if (world === undefined) throw new BugError('a claim was written before its server was put together');
        return old === undefined ? [] : checkClaimStatus(world, claim, old, context);
      }),
    ],
  });
  return {
    definition,
    wrapStore: (open, around) => {
      world = around;
      return admin.front(open.store, around);
    },
  };
}

function claimTemplates(): KubeResource {
  const admin = new AdminRequests((template) => objectsAt(template, 'spec', 'spec', 'devices', 'requests'));
  const definition = storedResource({
    plural: 'resourceclaimtemplates',
    scope: 'Namespaced',
    versions: versions(
      { kind: 'ResourceClaimTemplate', table: namedTable },
      setClaimTemplateDefaults,
      setBetaClaimTemplateDefaults,
    ),
    convert: (objects, from, to) => objects.map((object) => convertClaimTemplate(object, from.version, to.version)),
    strategy: strategyOf({
      validate: (template, context) => [...admin.issues(context), ...validateClaimTemplate(template)],
      validateUpdate: validateClaimTemplateUpdate,
    }),
  });
  return { definition, wrapStore: (open, world) => admin.front(open.store, world) };
}

function slices(clock: WallClock): ResourceDefinition {
  return storedResource({
    plural: 'resourceslices',
    scope: 'Cluster',
    versions: versions(
      { kind: 'ResourceSlice', table: sliceTable, selectableFields: ['spec.nodeName', 'spec.driver'] },
      (slice) => setSliceDefaults(slice, clock),
      (slice) => setBetaSliceDefaults(slice, clock),
    ),
    convert: (objects, from, to) => objects.map((object) => convertSlice(object, from.version, to.version)),
    strategy: strategyOf({
      prepareForCreate: prepareSliceForCreate,
      validate: validateSlice,
      warningsOnCreate: sliceWarnings,
      prepareForUpdate: prepareSliceForUpdate,
      validateUpdate: validateSliceUpdate,
      warningsOnUpdate: sliceWarnings,
    }),
  });
}

/** Stored as v1alpha3, which the reference writes until beta is on by default. */
function taintRules(clock: WallClock): ResourceDefinition {
  const options = {
    kind: 'DeviceTaintRule',
    table: taintRuleTable,
    setDefaults: (rule: JsonObject) => setTaintRuleDefaults(rule, clock),
  };
  const strategy = strategyOf({
    countsGeneration: true,
    prepareForCreate: clearStatus,
    validate: validateTaintRule,
    prepareForUpdate: (rule, old) => prepareTaintRuleForUpdate(rule, old, clock),
    validateUpdate: validateTaintRuleUpdate,
  });
  const alpha = version({ version: 'v1alpha3', ...options });
  return {
    ...storedResource({
      plural: 'devicetaintrules',
      scope: 'Cluster',
      versions: [version({ version: 'v1beta2', ...options }), alpha],
      strategy,
      subresources: [
        updateSubresource('status', {
          ...strategy,
          prepareForUpdate: keepAllButStatus,
          validateUpdate: validateTaintRuleStatusUpdate,
        }),
      ],
    }),
    storageVersion: alpha,
  };
}

const POOL_STATUS_STRATEGY: Strategy = strategyOf({
  allowUnconditionalUpdate: false,
  prepareForCreate: dropStatus,
  validate: validatePoolStatusRequest,
  prepareForUpdate: keepStatus,
  validateUpdate: validatePoolStatusRequestUpdate,
});

const POOL_STATUS_REQUESTS: ResourceDefinition = storedResource({
  plural: 'resourcepoolstatusrequests',
  scope: 'Cluster',
  versions: [
    version({
      version: 'v1alpha3',
      kind: 'ResourcePoolStatusRequest',
      setDefaults: setPoolStatusRequestDefaults,
      table: poolStatusRequestTable,
    }),
  ],
  strategy: POOL_STATUS_STRATEGY,
  subresources: [
    updateSubresource('status', {
      ...POOL_STATUS_STRATEGY,
      prepareForUpdate: keepAllButStatus,
      validateUpdate: validatePoolStatusUpdate,
    }),
  ],
});
