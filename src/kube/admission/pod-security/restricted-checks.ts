/** The checks that the level `restricted` adds to those of `baseline`. Reasons and details equal the reference's. */
import { objectAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import { badSeccomp, isGoodSeccomp, seccompType } from './baseline-checks.ts';
import {
  type CheckedPod,
  containersNamed,
  containersWhere,
  hasUserNamespace,
  inQuotes,
  isWindows,
  type PodCheck,
  plural,
  setters,
  sortedInQuotes,
} from './checked-pod.ts';

const ALLOWED_VOLUMES =
  'configMap csi downwardAPI emptyDir ephemeral image persistentVolumeClaim projected secret'.split(' ');
/** In the reference's order. A volume of no listed type is `unknown`. */
const OTHER_VOLUMES =
  'hostPath gcePersistentDisk awsElasticBlockStore gitRepo nfs iscsi glusterfs rbd flexVolume cinder cephfs flocker fc azureFile vsphereVolume quobyte azureDisk photonPersistentDisk portworxVolume scaleIO storageos'.split(
    ' ',
  );

/** Returns the check with an exception for pods for Windows. */
export function unlessWindows(check: PodCheck): PodCheck {
  return (pod) => (isWindows(pod) ? undefined : check(pod));
}

/** Returns the check with an exception for pods in a user namespace. */
export function unlessUserNamespace(check: PodCheck): PodCheck {
  return (pod) => (hasUserNamespace(pod) ? undefined : check(pod));
}

export const allowPrivilegeEscalation: PodCheck = (pod) => {
  const names = containersWhere(pod, ({ security }) => security?.['allowPrivilegeEscalation'] !== false);
  if (names.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${containersNamed(names)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

export const restrictedCapabilities: PodCheck = (pod) => {
  const forbidden = new Set<string>();
  const keeping = containersWhere(
    pod,
    ({ security }) => security === undefined || !textsAt(security, 'capabilities', 'drop').includes('ALL'),
  );
  const adding = containersWhere(pod, ({ security }) => {
    const added = security === undefined ? [] : textsAt(security, 'capabilities', 'add');
    const other = added.filter((capability) => capability !== 'NET_BIND_SERVICE');
    for (const capability of other) forbidden.add(capability);
    return other.length > 0;
  });
  const details: string[] = [];
  if (keeping.length > 0)
    details.push(`${containersNamed(keeping)} must set securityContext.capabilities.drop=["ALL"]`);
  if (adding.length > 0)
    details.push(
      `${containersNamed(adding)} must not include ${sortedInQuotes(forbidden)} in securityContext.capabilities.add`,
    );
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

export const restrictedVolumes: PodCheck = ({ spec }) => {
  const bad = objectsAt(spec, 'volumes').filter((volume) =>
    ALLOWED_VOLUMES.every((type) => volume[type] === undefined),
  );
  if (bad.length === 0) return undefined;
  const names = bad.map((volume) => textAt(volume, 'name'));
  const types = new Set(bad.map((volume) => OTHER_VOLUMES.find((type) => volume[type] !== undefined) ?? 'unknown'));
  const subject = `${plural(names.length, 'volume', 'volumes')} ${inQuotes(names)} ${plural(names.length, 'uses', 'use')}`;
  const what = plural(types.size, 'restricted volume type', 'restricted volume types');
  return { reason: 'restricted volume types', detail: `${subject} ${what} ${sortedInQuotes(types)}` };
};

export const runAsNonRoot: PodCheck = (pod) => {
  const reason = 'runAsNonRoot != true';
  const inPod = pod.security?.['runAsNonRoot'];
  const saysNo = containersWhere(pod, ({ security }) => security?.['runAsNonRoot'] === false);
  const who = setters(inPod === false, saysNo);
  if (who !== '') return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
  const silent = containersWhere(pod, ({ security }) => security?.['runAsNonRoot'] === undefined);
  if (inPod === true || silent.length === 0) return undefined;
  return { reason, detail: `pod or ${containersNamed(silent)} must set securityContext.runAsNonRoot=true` };
};

export const runAsUser: PodCheck = (pod) => {
  const isRoot = (user: unknown): boolean => user === 0;
  const who = setters(
    isRoot(pod.security?.['runAsUser']),
    containersWhere(pod, ({ security }) => isRoot(security?.['runAsUser'])),
  );
  return who === '' ? undefined : { reason: 'runAsUser=0', detail: `${who} must not set runAsUser=0` };
};

export const restrictedSeccomp: PodCheck = (pod) => badSeccomp(pod) ?? missingSeccomp(pod);

function missingSeccomp(pod: CheckedPod): ReturnType<PodCheck> {
  if (isGoodSeccomp(seccompType(pod.security))) return undefined;
  const names = containersWhere(
    pod,
    ({ security }) => security === undefined || objectAt(security, 'seccompProfile') === undefined,
  );
  if (names.length === 0) return undefined;
  const detail = `pod or ${containersNamed(names)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`;
  return { reason: 'seccompProfile', detail };
}
