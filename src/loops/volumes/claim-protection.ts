/**
 * The protection of PersistentVolumeClaims: a claim that is deleted stays until no pod on a node uses it. Pods are read
 * from the first deletion of a claim on, not before.
 */

import type { DeepReadonly, Stored } from '../../client/object-types.ts';
import { isControlledBy } from '../../client/owner-reference.ts';
import { PersistentVolumeClaim, Pod } from '../../kinds/api/core/v1.ts';
import type { LoopDefinition } from '../loop.ts';
import { protectionLoop } from './protection-loop.ts';

export const claimProtectionLoop: LoopDefinition = {
  name: 'persistentvolumeclaim-protection-controller',
  serviceAccount: 'pvc-protection-controller',
  start: (context) => {
    const { client, informers } = context;
    let followsPods = false;
    return protectionLoop(context, {
      kind: PersistentVolumeClaim,
      finalizer: 'kubernetes.io/pvc-protection',
      isInUse: async (claim, loop) => {
        if (!followsPods) {
          followsPods = true;
          loop.follow(informers.informer(Pod), claimKeys);
        }
        // The informer may not know a pod that was scheduled a moment ago.
        for await (const pod of client.api(Pod, claim.metadata.namespace ?? '').list())
          if (usesClaim(pod, claim)) return true;
        return false;
      },
    });
  },
};

type Volume = DeepReadonly<NonNullable<NonNullable<Pod['spec']>['volumes']>[number]>;

/** Returns the name of the claim of a volume. The claim of an ephemeral volume is named POD-VOLUME. */
function claimName(pod: Stored<Pod>, { name, persistentVolumeClaim, ephemeral }: Volume): string | undefined {
  if (persistentVolumeClaim !== undefined) return persistentVolumeClaim.claimName;
  return ephemeral === undefined ? undefined : `${pod.metadata.name}-${name}`;
}

function claimKeys(pod: Stored<Pod>): string[] {
  const names = (pod.spec?.volumes ?? []).map((volume) => claimName(pod, volume));
  return names.filter((name) => name !== undefined).map((name) => `${pod.metadata.namespace}/${name}`);
}

/** A pod without a node does not count: a kubelet does not start a pod whose claim is being deleted. */
function usesClaim(pod: Stored<Pod>, claim: Stored<PersistentVolumeClaim>): boolean {
  const { nodeName = '', volumes = [] } = pod.spec ?? {};
  if (nodeName === '') return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  const isShutDown = deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0;
  return volumes.some((volume) => {
    if (claimName(pod, volume) !== claim.metadata.name) return false;
    return volume.ephemeral === undefined || (!isShutDown && isControlledBy(claim, pod));
  });
}
