/**
 * The plugin StorageObjectInUseProtection. It adds the finalizers that keep volumes, claims and volume attributes
 * classes while they are in use.
 */
import { finalizersOf } from '../../apimachinery/meta/meta.ts';
import type { AdmissionPlugin } from '../../server/admission.ts';
import { ensureMeta } from '../../server/resource/strategy-fields.ts';

const FINALIZERS: Readonly<Record<string, string>> = {
  persistentvolumes: 'kubernetes.io/pv-protection',
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
  volumeattributesclasses: 'kubernetes.io/vac-protection',
};

export function storageObjectInUseProtection(): AdmissionPlugin {
  return {
    name: 'StorageObjectInUseProtection',
    resources: ['persistentvolumes', 'persistentvolumeclaims', 'volumeattributesclasses.storage.k8s.io'],
    handles: (operation) => operation === 'CREATE',
    admit: ({ object, subresource, resource }) => {
      const finalizer = FINALIZERS[resource.resource];
      if (object === undefined || subresource !== '' || finalizer === undefined) return;
      const finalizers = finalizersOf(object);
      if (!finalizers.includes(finalizer)) ensureMeta(object)['finalizers'] = [...finalizers, finalizer];
    },
  };
}
