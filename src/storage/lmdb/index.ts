/** `keelson/storage/lmdb`: the LMDB driver. */
export { type LmdbOptions, openLmdbStorage } from './open.ts';
export type { Retention } from './retention.ts';
export { type FolderReport, verifyFolder } from './verify.ts';
