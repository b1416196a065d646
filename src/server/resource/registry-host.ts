/** What the stores of one server share: where they store, and the platform. */
import type { Clock } from '../../base/clock.ts';
import type { Storage } from '../../storage/storage.ts';

export interface RegistryHost {
  readonly storage: Storage;
  /** The first segment of every key: one storage may hold several worlds. */
  readonly scope: string;
  readonly clock: Clock;
  /** A new version 4 UUID. */
  newUid(): string;
  /** A random whole number from 0 up to, not including, `below`. */
  random(below: number): number;
  /** Told about failures that no request can be blamed for (a cache that lost its storage watch). */
  onTrouble(error: Error): void;
}
