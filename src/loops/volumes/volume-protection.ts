/** The protection of PersistentVolumes: a volume that is deleted stays while a claim is bound to it. */
import { PersistentVolume } from '../../kinds/api/core/v1.ts';
import type { LoopDefinition } from '../loop.ts';
import { protectionLoop } from './protection-loop.ts';

export const volumeProtectionLoop: LoopDefinition = {
  name: 'persistentvolume-protection-controller',
  serviceAccount: 'pv-protection-controller',
  start: (context) =>
    protectionLoop(context, {
      kind: PersistentVolume,
      finalizer: 'kubernetes.io/pv-protection',
      isInUse: async ({ status }) => status?.phase === 'Bound',
    }),
};
