/** What validation of a pod spec depends on beside the spec itself: where it stands, and what the stored object got away with. Invariant: data; `make-pod-checks` makes it. */
export interface PodChecks {
  /** A Pod itself, not a template. */
  readonly isPod: boolean;
  /** Containers may be privileged. */
  readonly allowPrivileged: boolean;
  /** The users of the pod are those of its host. */
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
