/**
 * Computes the options for validating a pod spec. An invalid value that the stored object already has is accepted, so
 * that stricter rules do not block updates.
 */
import { fieldAt, flagAt, objectAt, objectsAt, textAt } from '../../../../../apimachinery/meta/object-fields.ts';
import { validateLabelSelectorObject } from '../../../../../apimachinery/selectors/label-selector-object.ts';
import { FieldPath } from '../../../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../../../base/json-value.ts';
import { selectorAt } from '../../../../shared/label-selector.ts';
import { hasInvalidNodeLabelValue } from '../../../../shared/node-selector.ts';
import { amountOf, isHugePageResource } from '../../../../shared/resource-lists.ts';
import { isDivisibleHugePages } from '../../../../shared/validate-resources.ts';
import { validateDescendingPath } from '../../volume/file-paths.ts';
import { isSidecar } from '../pod-resources.ts';
import { hasInvalidDeletionCost } from '../validate-pod-annotations.ts';
import { allContainers } from './pod-containers.ts';
import type { PodValidationOptions } from './pod-validation-options.ts';
import { hostSysctlComplaint } from './validate-security-context.ts';
import { validateLabelKeys } from './validate-topology.ts';

const TOKEN_PATH = FieldPath.of('path');

export interface PodValidationInput {
  /** Whether the holder is a Pod; false for a pod template. */
  readonly isPod: boolean;
  /** Whether containers may be privileged. Default true: no container runs here. */
  readonly allowPrivileged?: boolean;
  /** The stored Pod or pod template; undefined on create. */
  readonly old: JsonObject | undefined;
}

/** `holder` is a Pod or a pod template. */
export function podValidationOptions(
  holder: JsonObject,
  { isPod, allowPrivileged = true, old }: PodValidationInput,
): PodValidationOptions {
  const hostUsers = sharesUsers(objectAt(holder, 'spec') ?? {});
  if (old === undefined) return strictOptions(isPod, allowPrivileged, hostUsers);
  const spec = objectAt(old, 'spec') ?? {};
  return {
    isPod,
    allowPrivileged,
    hostUsers,
    allowInvalidDeletionCost: hasInvalidDeletionCost(objectAt(old, 'metadata', 'annotations')),
    allowIndivisibleHugePages: hasIndivisibleHugePages(spec),
    allowInvalidAffinitySelector: affinityTerms(spec).some(hasInvalidSelector),
    allowInvalidNodeAffinityValue: hasInvalidNodeAffinityValue(spec),
    allowInvalidSpreadSelector: objectsAt(spec, 'topologySpreadConstraints').some(
      (constraint) => validateLabelSelectorObject(selectorAt(constraint, 'labelSelector'), undefined).length > 0,
    ),
    allowRepeatedSpreadKeys: objectsAt(spec, 'topologySpreadConstraints').some(
      (constraint) => validateLabelKeys(constraint, undefined).length > 0,
    ),
    allowNonLocalTokenPath: hasNonLocalTokenPath(spec),
    allowNamespacedSysctls: objectsAt(spec, 'securityContext', 'sysctls').some(
      (sysctl) => hostSysctlComplaint(textAt(sysctl, 'name'), spec) !== '',
    ),
    allowAnySeLinuxChangePolicy: fieldAt(spec, 'securityContext', 'seLinuxChangePolicy') !== undefined,
    allowTolerationComparison: objectsAt(spec, 'tolerations').some((toleration) =>
      ['Lt', 'Gt'].includes(textAt(toleration, 'operator')),
    ),
    allowHostNetworkWithOwnUsers: flagAt(spec, 'hostNetwork') && !sharesUsers(spec),
    allowDevicesWithOwnUsers:
      !sharesUsers(spec) && allContainers(spec).some((container) => objectsAt(container, 'volumeDevices').length > 0),
    allowInitRestartOnResize: objectsAt(spec, 'initContainers').some(
      (container) => !isSidecar(container) && restartsOnResize(container),
    ),
  };
}

/** The options on create. */
function strictOptions(isPod: boolean, allowPrivileged: boolean, hostUsers: boolean): PodValidationOptions {
  return {
    isPod,
    allowPrivileged,
    hostUsers,
    allowInvalidDeletionCost: false,
    allowIndivisibleHugePages: false,
    allowInvalidAffinitySelector: false,
    allowInvalidNodeAffinityValue: false,
    allowInvalidSpreadSelector: false,
    allowRepeatedSpreadKeys: false,
    allowNonLocalTokenPath: false,
    allowNamespacedSysctls: false,
    allowAnySeLinuxChangePolicy: false,
    allowTolerationComparison: false,
    allowHostNetworkWithOwnUsers: false,
    allowDevicesWithOwnUsers: false,
    allowInitRestartOnResize: false,
  };
}

function sharesUsers(spec: JsonObject): boolean {
  return fieldAt(spec, 'hostUsers') !== false;
}

function restartsOnResize(container: JsonObject): boolean {
  return objectsAt(container, 'resizePolicy').some((policy) => textAt(policy, 'restartPolicy') === 'RestartContainer');
}

function hasIndivisibleHugePages(spec: JsonObject): boolean {
  const lists = allContainers(spec).flatMap((container) => [
    objectAt(container, 'resources', 'limits'),
    objectAt(container, 'resources', 'requests'),
  ]);
  return [...lists, objectAt(spec, 'overhead')].some((list) =>
    Object.entries(list ?? {}).some(
      ([name, amount]) => isHugePageResource(name) && !isDivisibleHugePages(name, amountOf(amount)),
    ),
  );
}

function affinityTerms(spec: JsonObject): readonly JsonObject[] {
  return ['podAffinity', 'podAntiAffinity'].flatMap((kind) => [
    ...objectsAt(spec, 'affinity', kind, 'requiredDuringSchedulingIgnoredDuringExecution'),
    ...objectsAt(spec, 'affinity', kind, 'preferredDuringSchedulingIgnoredDuringExecution').map(
      (weighted) => objectAt(weighted, 'podAffinityTerm') ?? {},
    ),
  ]);
}

function hasInvalidSelector(term: JsonObject): boolean {
  return ['labelSelector', 'namespaceSelector'].some(
    (name) => validateLabelSelectorObject(selectorAt(term, name), undefined).length > 0,
  );
}

function hasInvalidNodeAffinityValue(spec: JsonObject): boolean {
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  return hasInvalidNodeLabelValue(objectsAt(spec, 'affinity', 'nodeAffinity', required, 'nodeSelectorTerms'));
}

function hasNonLocalTokenPath(spec: JsonObject): boolean {
  return objectsAt(spec, 'volumes').some((volume) =>
    objectsAt(volume, 'projected', 'sources').some((source) => {
      const token = objectAt(source, 'serviceAccountToken');
      if (token === undefined) return false;
      const target = textAt(token, 'path');
      return target.startsWith('..') || validateDescendingPath(target, TOKEN_PATH).length > 0;
    }),
  );
}
