/**
 * `keelson/storage`: the storage interface, wrappers of stores, and the conformance suite. Each driver has its own
 * entry.
 */
export { DEFAULT_COMPACTION_INTERVAL_MS, startCompactor } from './compactor.ts';
export {
  type Check,
  type EmbeddedStorage,
  type ForkableStorage,
  isEmbedded,
  LIMITS,
  type Snapshot,
  type Transaction,
  type TransactionResult,
  type Write,
} from './embedded-storage.ts';
export { isStorageError, StorageError, type StorageErrorCode } from './errors.ts';
export {
  type GuaranteedUpdateOptions,
  type GuaranteedUpdateResult,
  guaranteedUpdate,
  type UpdateDecision,
} from './guaranteed-update.ts';
export { checkKey, escapeSegment, type KeyRange, MAX_KEY_BYTES, prefixEnd, unescapeSegment } from './keys.ts';
export { scoped } from './scoped.ts';
export { storageSuite } from './storage.suite.ts';
export type {
  Compacted,
  CompactorOptions,
  CreateOptions,
  DeleteResult,
  Future,
  GetResult,
  KeyValue,
  ListOptions,
  ListResult,
  Reader,
  ReadOptions,
  Revision,
  SeenState,
  Storage,
  StorageEvent,
  StorageLimits,
  Watch,
  WatchEnd,
  WatchOptions,
  WatchSink,
  WriteOptions,
  WriteResult,
} from './storage.ts';
export type { SuiteCase, SuiteContext } from './suite/context.ts';
export { runSuiteCase, type SuiteDriver, skipReason } from './suite/run-case.ts';
export { type TransformedOptions, transformed } from './transformed.ts';
export {
  type FromStorage,
  type TransformContext,
  type ValueEncoding,
  type ValueTransformer,
  valueEncoding,
} from './value-transformer.ts';
export { type WaitForRevisionOptions, waitForRevision } from './wait-for-revision.ts';
