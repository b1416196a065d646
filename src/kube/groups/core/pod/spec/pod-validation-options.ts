/**
 * Options for validating a pod spec, like kube-apiserver's PodValidationOptions. Each `allow...` accepts values that
 * are invalid on create; `make-pod-validation-options.ts` sets it if the stored object has such a value.
 */
export interface PodValidationOptions {
  /** Whether the spec is that of a Pod; false for a pod template. */
  readonly isPod: boolean;
  /** Whether containers may be privileged. */
  readonly allowPrivileged: boolean;
  /** Whether the pod shares the user namespace of its host. */
  readonly hostUsers: boolean;
  readonly allowInvalidDeletionCost: boolean;
  readonly allowIndivisibleHugePages: boolean;
  readonly allowInvalidAffinitySelector: boolean;
  readonly allowInvalidNodeAffinityValue: boolean;
  readonly allowInvalidSpreadSelector: boolean;
  readonly allowRepeatedSpreadKeys: boolean;
  readonly allowNonLocalTokenPath: boolean;
  readonly allowNamespacedSysctls: boolean;
  readonly allowAnySeLinuxChangePolicy: boolean;
  readonly allowTolerationComparison: boolean;
  readonly allowHostNetworkWithOwnUsers: boolean;
  readonly allowDevicesWithOwnUsers: boolean;
  readonly allowInitRestartOnResize: boolean;
}
