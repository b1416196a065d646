/** `keelson/storage/etcd`: the etcd driver. */
export type { TlsFiles } from './channel.ts';
export type { EtcdStorage } from './etcd-storage.ts';
export { type EtcdOptions, openEtcdStorage } from './open.ts';
