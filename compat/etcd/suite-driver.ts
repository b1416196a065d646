/** The storage suite's driver on a cluster of etcd. Each store has a prefix of its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openGrpcChannel } from '../../src/node/grpc/grpc-channel.ts';
import type { EtcdStorage } from '../../src/storage/etcd/etcd-storage.ts';
import { openEtcdStorage } from '../../src/storage/etcd/open.ts';
import type { Storage } from '../../src/storage/storage.ts';
import type { SuiteDriver } from '../../src/storage/suite/run-case.ts';

/** Times to live of the suite are 20 seconds and more: 4 real seconds and more. */
const TIME_SCALE = 0.2;

export function etcdDriver(endpoints: readonly string[]): SuiteDriver {
  const prefixes = new WeakMap<Storage, string>();
  let stores = 0;
  const open = (prefix: string): EtcdStorage => {
    const storage = openEtcdStorage({
      openChannel: openGrpcChannel,
      endpoints,
      prefix,
      scope: '',
      leaseReuseSeconds: 0,
    });
    prefixes.set(storage, prefix);
    return storage;
  };
  return {
    open: () => open(`/suite-${process.pid}-${++stores}/`),
    async reopen(storage) {
      await storage.stop();
      return open(prefixes.get(storage)!);
    },
    fork: false,
    embedded: false,
    realTime: { scale: TIME_SCALE, advance: (ms) => sleep(ms) },
    settle: () => sleep(1),
  };
}
