/** `keelson/storage/memory`: the store in memory. */
export type { MemoryRetention } from './history.ts';
export { createMemoryStorage, type MemoryStorageOptions } from './memory-storage.ts';
