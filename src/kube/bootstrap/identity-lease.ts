/**
 * The identity Lease of an API server (KEP-1965).
 * Invariant: it exists while the server runs. It is renewed every ten seconds, expires after an hour, and is deleted at
 * shutdown. A Lease of an earlier run is taken over.
 */
import { objectAt } from '../../apimachinery/meta/object-fields.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Logger } from '../../base/logger.ts';
import { sha256 } from '../../base/sha256.ts';
import type { EnsuredObject } from '../ensurer/ensured-object.ts';
import type { ObjectEnsurer } from '../ensurer/object-ensurer.ts';
import type { ServerIdentity } from './service-network.ts';

const RENEW_MS = 10_000;
const DURATION_SECONDS = 3600;
const COMPONENT = 'kube-apiserver';
const LEASES = 'leases';
export const IDENTITY_NAMESPACE = 'kube-system';
const IDENTITY_LABEL = 'apiserver.kubernetes.io/identity';

export interface IdentityLeaseOptions {
  readonly self: ServerIdentity;
  readonly ensurer: ObjectEnsurer;
  readonly clock: Clock;
  readonly logger: Logger;
  newUid(): string;
  /** Returns further annotations. Called for the first write and for every renewal. Default: none. */
  annotations?(): Readonly<Record<string, string>>;
  /** Called before every renewal. A rejection is logged, and the Lease is not renewed this time. */
  onRenew(): Promise<void>;
}

/** Returns `apiserver-` and a hash of the hostname, as the reference computes it. */
export function serverId(hostname: string): string {
  const parts = [hostname, COMPONENT].map(encodeUtf8);
  const message = parts.flatMap((part) => [part.length >> 8, part.length & 0xff, ...part]);
  return `apiserver-${base32(sha256(Uint8Array.from(message)).subarray(0, 16))}`;
}

/** Whether a Lease in kube-system with these labels is the identity of an API server. */
export function isIdentity(labels: Readonly<Record<string, string>>): boolean {
  return labels[IDENTITY_LABEL] === COMPONENT;
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
        namespace: IDENTITY_NAMESPACE,
        labels: { [IDENTITY_LABEL]: COMPONENT, 'kubernetes.io/hostname': self.hostname },
        annotations: { 'kubernetes.io/peer-advertise-address': hostAndPort(self) },
      },
      spec: { holderIdentity: `${id}_${newUid()}`, leaseDurationSeconds: DURATION_SECONDS },
    };
  }

  /** Returns the Lease, for the first write at bootstrap. */
  ensuredObject(): EnsuredObject {
    const object = this.#renewed(this.#lease);
    return {
      plural: LEASES,
      object,
      strategy: (stored) => ({
        ...object,
        metadata: { ...objectAt(stored, 'metadata'), ...objectAt(object, 'metadata') },
      }),
    };
  }

  /** Starts the renewals. */
  start(): void {
    this.#schedule();
  }

  /** Deletes the Lease. A failure is logged: the Lease expires by itself. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#renewing;
    try {
      await this.#options.ensurer.remove(LEASES, this.#lease);
    } catch (error) {
      const reason = toError(error).message;
      this.#options.logger.warn("cannot delete the server's identity Lease; it expires within an hour", { reason });
    }
  }

  #schedule(): void {
    if (this.#stopped) return;
    const renew = (): void => {
      this.#renewing = this.#renew().then(() => this.#schedule());
    };
    this.#timer = this.#options.clock.setTimer(RENEW_MS, renew, { background: true });
  }

  async #renew(): Promise<void> {
    const { ensurer, logger, onRenew } = this.#options;
    try {
      await onRenew();
      const exists = await ensurer.update(LEASES, this.#lease, (stored) => {
        Object.assign(stored, this.#renewed(stored));
      });
      if (!exists && !this.#stopped) await ensurer.create(LEASES, this.#renewed(this.#lease));
    } catch (error) {
      const reason = toError(error).message;
      logger.warn("cannot renew the server's identity Lease and Service; the next interval tries again", { reason });
    }
  }

  #renewed(lease: JsonObject): JsonObject {
    const renewTime = new Date(this.#options.clock.now()).toISOString().replace('Z', '000Z');
    const metadata = objectAt(lease, 'metadata') ?? {};
    const annotations = { ...objectAt(metadata, 'annotations'), ...this.#options.annotations?.() };
    return { ...lease, metadata: { ...metadata, annotations }, spec: { ...objectAt(lease, 'spec'), renewTime } };
  }
}

function hostAndPort({ address, port }: ServerIdentity): string {
  return `${address.includes(':') ? `[${address}]` : address}:${port}`;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** Encodes in lower case, without padding. */
function base32(bytes: Uint8Array): string {
  let text = '';
  for (let bit = 0; bit < bytes.length * 8; bit += 5) {
    const at = bit >> 3;
    const two = ((bytes[at] as number) << 8) | (bytes[at + 1] ?? 0);
    text += ALPHABET[(two >> (11 - (bit & 7))) & 31];
  }
  return text;
}
