/** The compiled-in admission plugins beside NamespaceLifecycle. Invariant: one plugin a file; this only lists them, `src/admission/chain.ts` knows their order. */
import type { AdmissionPlugin } from '../../server/admission.ts';
import type { KubeWorld } from '../kube-world.ts';

export function compiledInPlugins(_world: KubeWorld): readonly AdmissionPlugin[] {
  return [];
}
