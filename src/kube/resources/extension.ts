/** admissionregistration.k8s.io and resource.k8s.io. Invariant: how they work is in `rules/`. */
import type { KubeResource } from '../kube-world.ts';
import type { WallClock } from '../rules/resource/defaults.ts';
import { admissionResources } from './admission-kinds.ts';
import { deviceResources } from './device-kinds.ts';

export interface ExtensionResourceOptions {
  /** For taints, which are given the time at which they were added. */
  readonly clock: WallClock;
}

export function extensionResources({ clock }: ExtensionResourceOptions): readonly KubeResource[] {
  return [...admissionResources(), ...deviceResources(clock)];
}
