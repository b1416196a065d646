/** The kinds of resource.k8s.io. Invariant: how they work is in `rules/resource/`; v1 is what they are judged in. */
import type { JsonObject } from '../../base/json-value.ts';
import type { ResourceDefinition } from '../../server/registry/definition.ts';
import type { VersionDefinition } from '../../server/registry/version-definition.ts';
import { type BuiltInVersion, builtInStrategy, builtInVersion, storedResource } from '../built-in.ts';
import type { KubeResource } from '../kube-world.ts';
import { clearStatus, dropStatus, keepAllButStatus, keepStatus } from '../object-fields.ts';
import { convertClaim, convertClaimTemplate, convertSlice } from '../rules/resource/beta-conversion.ts';
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
} from '../rules/resource/defaults.ts';
import {
  claimTable,
  namedTable,
  poolStatusRequestTable,
  sliceTable,
  taintRuleTable,
} from '../rules/resource/tables.ts';
import { updateSubresource } from '../subresources.ts';

const GROUP = 'resource.k8s.io';
export function deviceResources(clock: WallClock): readonly KubeResource[] {
  return [
    { definition: DEVICE_CLASSES },
    { definition: claims() },
    { definition: CLAIM_TEMPLATES },
    { definition: slices(clock) },
    { definition: taintRules(clock) },
    { definition: POOL_STATUS_REQUESTS },
  ];
}

function version(options: Omit<BuiltInVersion, 'group'>): VersionDefinition {
  return builtInVersion({ group: GROUP, ...options });
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
  strategy: builtInStrategy({ countsGeneration: true, returnsDeletedObject: true }),
});

function claims(): ResourceDefinition {
  const strategy = builtInStrategy({
    prepareForCreate: clearStatus,
    prepareForUpdate: keepStatus,
    returnsDeletedObject: true,
  });
  return storedResource({
    plural: 'resourceclaims',
    scope: 'Namespaced',
    versions: versions({ kind: 'ResourceClaim', table: claimTable }, setClaimDefaults, setBetaClaimDefaults),
    convert: (objects, from, to) => objects.map((object) => convertClaim(object, from.version, to.version)),
    strategy,
    subresources: [updateSubresource('status', { ...strategy, prepareForUpdate: keepAllButStatus })],
  });
}

const CLAIM_TEMPLATES: ResourceDefinition = storedResource({
  plural: 'resourceclaimtemplates',
  scope: 'Namespaced',
  versions: versions(
    { kind: 'ResourceClaimTemplate', table: namedTable },
    setClaimTemplateDefaults,
    setBetaClaimTemplateDefaults,
  ),
  convert: (objects, from, to) => objects.map((object) => convertClaimTemplate(object, from.version, to.version)),
  strategy: builtInStrategy({ returnsDeletedObject: true }),
});

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
    strategy: builtInStrategy({ countsGeneration: true, returnsDeletedObject: true }),
  });
}

/** Stored as v1alpha3, which the reference writes until beta is on by default. */
function taintRules(clock: WallClock): ResourceDefinition {
  const options = {
    kind: 'DeviceTaintRule',
    table: taintRuleTable,
    setDefaults: (rule: JsonObject) => setTaintRuleDefaults(rule, clock),
  };
  const strategy = builtInStrategy({
    countsGeneration: true,
    prepareForCreate: clearStatus,
    prepareForUpdate: keepStatus,
    returnsDeletedObject: true,
  });
  const alpha = version({ version: 'v1alpha3', ...options });
  return {
    ...storedResource({
      plural: 'devicetaintrules',
      scope: 'Cluster',
      versions: [version({ version: 'v1beta2', ...options }), alpha],
      strategy,
      subresources: [updateSubresource('status', { ...strategy, prepareForUpdate: keepAllButStatus })],
    }),
    storageVersion: alpha,
  };
}

const POOL_STATUS_STRATEGY = builtInStrategy({
  allowUnconditionalUpdate: false,
  prepareForCreate: dropStatus,
  prepareForUpdate: keepStatus,
  returnsDeletedObject: true,
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
  subresources: [updateSubresource('status', { ...POOL_STATUS_STRATEGY, prepareForUpdate: keepAllButStatus })],
});
