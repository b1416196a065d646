/**
 * The protection of VolumeAttributesClasses: a class that is deleted stays while a volume or a claim names it. Both are
 * read from the first deletion of a class on, not before.
 */
import type { DeepReadonly } from '../../client/object-types.ts';
import { PersistentVolume, PersistentVolumeClaim } from '../../kinds/api/core/v1.ts';
import { VolumeAttributesClass } from '../../kinds/api/storage/v1.ts';
import type { LoopDefinition } from '../loop.ts';
import { protectionLoop } from './protection-loop.ts';

export const attributesClassProtectionLoop: LoopDefinition = {
  name: 'volumeattributesclass-protection-controller',
  serviceAccount: 'volumeattributesclass-protection-controller',
  start: (context) => {
    const { client, informers } = context;
    let followsUsers = false;
    return protectionLoop(context, {
      kind: VolumeAttributesClass,
      finalizer: 'kubernetes.io/vac-protection',
      isInUse: async ({ metadata: { name } }, loop) => {
        if (!followsUsers) {
          followsUsers = true;
          loop.follow(informers.informer(PersistentVolume), (volume, before) => [
            ...classesOfVolume(volume),
            ...(before === undefined ? [] : classesOfVolume(before)),
          ]);
          loop.follow(informers.informer(PersistentVolumeClaim), (claim, before) => [
            ...classesOfClaim(claim),
            ...(before === undefined ? [] : classesOfClaim(before)),
          ]);
        }
        for await (const volume of client.all(PersistentVolume).list())
          if (classesOfVolume(volume).includes(name)) return true;
        for await (const claim of client.all(PersistentVolumeClaim).list())
          if (classesOfClaim(claim).includes(name)) return true;
        return false;
      },
    });
  },
};

function classesOfVolume({ spec }: Pick<DeepReadonly<PersistentVolume>, 'spec'>): string[] {
  return named(spec?.volumeAttributesClassName);
}

function classesOfClaim({ spec, status }: Pick<DeepReadonly<PersistentVolumeClaim>, 'spec' | 'status'>): string[] {
  return named(
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  );
}

function named(...names: readonly (string | undefined)[]): string[] {
  return names.filter((name) => name !== undefined && name !== '') as string[];
}
