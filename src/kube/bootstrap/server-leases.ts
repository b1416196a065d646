/**
 * The addresses of the servers that share a storage, for the endpoints of `default/kubernetes` (upstream: the lease
 * endpoint reconciler). Keys and bytes are those of kube-apiserver.
 * Invariant: the key of a server exists while the server renews it, expires soon after it was killed, and is removed
 * before a server that stops refuses requests.
 */
import { numberAt, objectAt, objectsAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { kindView } from '../../kinds/views.ts';
import { PrivateObjects } from '../../server/registry/private-objects.ts';
import type { RegistryHost } from '../../server/resource/registry-host.ts';
import type { ObjectEnsurer } from '../ensurer/object-ensurer.ts';
import { endpointObjects } from './kubernetes-service.ts';
import type { ServerIdentity } from './service-network.ts';

const KIND = 'Endpoints';
/** The reference's time to live. Servers renew their keys every ten seconds. */
const TTL_MS = 15_000;

/** Each further attempt follows a change by another server. */
const ATTEMPTS = 10;
/** The name of the keys for `--etcd-servers-overrides`, as in the reference. */
export const SERVER_ADDRESSES = { group: '', resource: 'apiServerIPInfo' };

export interface ServerLeasesOptions {
  readonly host: RegistryHost;
  readonly ensurer: ObjectEnsurer;
  readonly self: ServerIdentity;
}

export class ServerLeases {
  readonly #objects: PrivateObjects;
  readonly #prefix: string;
  readonly #ensurer: ObjectEnsurer;
  readonly #self: ServerIdentity;
  #removed = false;

  constructor({ host, ensurer, self }: ServerLeasesOptions) {
    const storage = host.storageOf?.(SERVER_ADDRESSES) ?? host.storage;
    this.#objects = new PrivateObjects({ storage, kind: KIND, view: kindView('', 'v1', KIND) });
    this.#prefix = `${host.scope}/masterleases/`;
    this.#ensurer = ensurer;
    this.#self = self;
  }

  /** Renews the key of this server and corrects the endpoints. */
  async renew(): Promise<void> {
    const ip = this.#self.address;
    let isWritten = this.#removed;
    // A lost attempt is a renewal by another server with the same address.
    for (let attempt = 0; !isWritten && attempt < ATTEMPTS; attempt++) {
      const seen = await this.#objects.read(this.#prefix + ip);
      const generation = Number(numberAt(objectAt(seen?.object ?? {}, 'metadata') ?? {}, 'generation')) + 1;
      const fields = { metadata: { generation }, subsets: [{ addresses: [{ ip }] }] };
      isWritten = await this.#objects.write(this.#prefix + ip, seen, fields, { ttlMs: TTL_MS });
    }
    await this.#correctEndpoints();
  }

  /** Removes the key of this server and corrects the endpoints. Later renewals do not write the key. */
  async remove(): Promise<void> {
    this.#removed = true;
    await this.#objects.remove(this.#prefix + this.#self.address);
    await this.#correctEndpoints();
  }

  /** Ends when the stored endpoints are those of the keys: another server may write at the same time. */
  async #correctEndpoints(): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const writes = await this.#ensurer.plan(endpointObjects(this.#self, await this.#list()));
      if (writes.length === 0) return;
      await Promise.all(writes.map((write) => write()));
    }
  }

  async #list(): Promise<readonly string[]> {
    const leases = await this.#objects.list(this.#prefix);
    return leases.flatMap((lease) => {
      const [subset] = objectsAt(lease, 'subsets');
      const [address] = objectsAt(subset ?? {}, 'addresses');
      const ip = textAt(address ?? {}, 'ip');
      return ip === '' ? [] : [ip];
    });
  }
}
