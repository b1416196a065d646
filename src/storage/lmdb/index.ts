/** `keelson/storage/lmdb`: the LMDB driver. */
export { type LmdbOptions, openLmdbStorage } from './open.ts';
export type { Retention } from './pruner.ts';
export { type FolderReport, verifyFolder } from './verify.ts';
