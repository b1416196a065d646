/** admissionregistration.k8s.io and resource.k8s.io. Invariant: how they work is in `rules/`. */

import type { WallClock } from '../groups/resource/defaults.ts';
import type { KubeResource } from '../kube-context.ts';
import { admissionResources } from './admission-kinds.ts';
import { deviceResources } from './device-kinds.ts';

export interface ExtensionResourceOptions {
  /** For taints, which are given the time at which they were added. */
  readonly clock: WallClock;
}

export function extensionResources({ clock }: ExtensionResourceOptions): readonly KubeResource[] {
  return [...admissionResources(), ...deviceResources(clock)];
}
