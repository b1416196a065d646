/**
 * The Lease by which API servers know of one another. Invariant: there is one while the server runs; it is renewed every ten seconds, good for an hour, and taken away when the
 * server ends. One that an earlier run left is taken over.
 */
import { objectAt } from '../../apimachinery/meta/object-fields.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Logger } from '../../base/logger.ts';
import { sha256 } from '../../base/sha256.ts';
import type { BootstrapObject } from '../ensurer/ensured-object.ts';
import type { StoredObjects } from '../ensurer/object-ensurer.ts';
import type { ServerIdentity } from './service-network.ts';

const RENEW_MS = 10_000;
const DURATION_SECONDS = 3600;
const COMPONENT = 'kube-apiserver';
const LEASES = 'leases';

export interface IdentityLeaseOptions {
  readonly self: ServerIdentity;
  readonly objects: StoredObjects;
  readonly clock: Clock;
  readonly logger: Logger;
  newUid(): string;
  /** What is looked after with every renewal. */
  beat(): Promise<void>;
}

/** `apiserver-` and a hash of the machine's name, as the reference makes it. */
export function serverId(hostname: string): string {
  const parts = [hostname, COMPONENT].map(encodeUtf8);
  const message = parts.flatMap((part) => [part.length >> 8, part.length & 0xff, ...part]);
  return `apiserver-${base32(sha256(Uint8Array.from(message)).subarray(0, 16))}`;
}

export class IdentityLease {
  readonly #options: IdentityLeaseOptions;
  readonly #lease: JsonObject;
  #timer: Timer | undefined;
  #renewing: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: IdentityLeaseOptions) {
    this.#options = options;
    const { self, newUid } = options;
    const id = serverId(self.hostname);
    this.#lease = {
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      metadata: {
        name: id,
        namespace: 'kube-system',
        labels: { 'apiserver.kubernetes.io/identity': COMPONENT, 'kubernetes.io/hostname': self.hostname },
        annotations: { 'kubernetes.io/peer-advertise-address': hostAndPort(self) },
      },
      spec: { holderIdentity: `${id}_${newUid()}`, leaseDurationSeconds: DURATION_SECONDS },
    };
  }

  /** To be written with everything else that a server contains. */
  object(): BootstrapObject {
    const object = this.#renewed(this.#lease);
    return {
      plural: LEASES,
      object,
      mode: (stored) => ({
        ...object,
        metadata: { ...objectAt(stored, 'metadata'), ...objectAt(this.#lease, 'metadata') },
      }),
    };
  }

  /** Renews it from now on. */
  start(): void {
    this.#wait();
  }

  /** Takes it away. That it cannot be is told, and keeps nobody from stopping: it runs out by itself. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#renewing;
    try {
      await this.#options.objects.remove(LEASES, this.#lease);
    } catch (error) {
      this.#options.logger.warn("the server's own Lease could not be removed", { reason: toError(error).message });
    }
  }

  #wait(): void {
    if (this.#stopped) return;
    const renew = (): void => {
      this.#renewing = this.#renew().then(() => this.#wait());
    };
    this.#timer = this.#options.clock.setTimer(RENEW_MS, renew, { background: true });
  }

  async #renew(): Promise<void> {
    const { objects, logger, beat } = this.#options;
    try {
      await beat();
      const isThere = await objects.change(LEASES, this.#lease, (stored) => {
        stored['spec'] = this.#renewed(stored)['spec'] as JsonObject;
      });
      if (!isThere && !this.#stopped) await objects.create(LEASES, this.#renewed(this.#lease));
    } catch (error) {
      logger.warn("the server's own objects could not be renewed", { reason: toError(error).message });
    }
  }

  #renewed(lease: JsonObject): JsonObject {
    const renewTime = new Date(this.#options.clock.now()).toISOString().replace('Z', '000Z');
    return { ...lease, spec: { ...objectAt(lease, 'spec'), renewTime } };
  }
}

function hostAndPort({ address, port }: ServerIdentity): string {
  return `${address.includes(':') ? `[${address}]` : address}:${port}`;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** Lower case, without padding. */
function base32(bytes: Uint8Array): string {
  let text = '';
  for (let bit = 0; bit < bytes.length * 8; bit += 5) {
    const at = bit >> 3;
    const two = ((bytes[at] as number) << 8) | (bytes[at + 1] ?? 0);
    text += ALPHABET[(two >> (11 - (bit & 7))) & 31];
  }
  return text;
}
