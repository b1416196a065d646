/** The events of KMS providers that become metrics. */

export interface KmsObserver {
  /** Called after each call to a plugin. `code` is the name of its gRPC code. */
  onCall(provider: string, method: string, seconds: number, code: string): void;
  /** Called for each valid key id in a status of a plugin. */
  onStatusKey(provider: string, keyId: string): void;
  onInvalidStatusKey(provider: string, problem: KeyIdProblem): void;
  /** Called for each value that a key has encrypted or decrypted. */
  onUse(provider: string, keyId: string, direction: 'from_storage' | 'to_storage'): void;
  /** Called when the number of cached seeds changes. */
  onCachedSeeds(provider: string, seeds: number): void;
  /** Called for each seed that a plugin has to decrypt. */
  onSeedMiss(): void;
  /** Called for each new seed. */
  onNewSeed(seconds: number): void;
}

export type KeyIdProblem = 'empty' | 'too_long';

export const IGNORING_OBSERVER: KmsObserver = {
  onCall: () => undefined,
  onStatusKey: () => undefined,
  onInvalidStatusKey: () => undefined,
  onUse: () => undefined,
  onCachedSeeds: () => undefined,
  onSeedMiss: () => undefined,
  onNewSeed: () => undefined,
};
