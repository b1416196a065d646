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

const KIND = 'Endpoints';
/** The reference's time to live. Servers renew their keys every ten seconds. */
const TTL_MS = 15_000;

export class ServerLeases {
  readonly #objects: PrivateObjects;
  readonly #prefix: string;
  readonly #address: string;
  #removed = false;

  constructor({ storage, scope }: RegistryHost, address: string) {
    this.#objects = new PrivateObjects({ storage, kind: KIND, view: kindView('', 'v1', KIND) });
    this.#prefix = `${scope}/masterleases/`;
    this.#address = address;
  }

  /** Renews the key of this server, and returns the addresses of all servers. */
  async renew(): Promise<readonly string[]> {
    if (this.#removed) return this.#list();
    const key = this.#prefix + this.#address;
    let isWritten = false;
    // Another server with the same address may write at the same time.
    while (!isWritten) {
      const seen = await this.#objects.read(key);
      const generation = Number(numberAt(objectAt(seen?.object ?? {}, 'metadata') ?? {}, 'generation')) + 1;
      const fields = { metadata: { generation }, subsets: [{ addresses: [{ ip: this.#address }] }] };
      isWritten = await this.#objects.write(key, seen, fields, { ttlMs: TTL_MS });
    }
    return this.#list();
  }

  /** Removes the key of this server, and returns the addresses of the others. Later renewals write nothing. */
  async remove(): Promise<readonly string[]> {
    this.#removed = true;
    await this.#objects.remove(this.#prefix + this.#address);
    return this.#list();
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
