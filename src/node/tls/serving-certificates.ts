/**
 * The CA of a program that serves TLS and the certificates that it issues, in the folder `pki` of the program's folder,
 * or in memory. Invariant: calls run one after the other, because each of them reads and writes the files.
 */
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { type Authority, ensureAuthority } from '../../pki/pki-authority.ts';
import { PkiFiles } from '../../pki/pki-files.ts';
import { ensureLeaf, type KeyedPem, type LeafRequest } from '../../pki/pki-leaf.ts';
import { ensureSecretFolder } from '../../pki/secret-file.ts';
import type { KeyPair } from './tls-config.ts';

const SERVING = 'serving';
const ADMIN = 'admin';
const AUTHORITY = 'ca';

export interface ServingCertificatesOptions {
  readonly clock: Clock;
  /** The common name of the CA. */
  readonly authorityName: string;
  /** The folder; undefined to keep everything in memory. */
  readonly folder: string | undefined;
}

export interface ServingCertificate {
  readonly pair: KeyPair;
  /** The certificate of the CA, PEM. */
  readonly ca: string;
  /** How many hosts it was requested for; see `ServingCertificates.hostCount`. */
  readonly hostCount: number;
}

export class ServingCertificates {
  readonly #clock: Clock;
  readonly #authorityName: string;
  /** The folder; undefined to keep everything in memory. */
  readonly #folder: string | undefined;
  readonly #memory = new Map<string, string>();
  readonly #hosts = new Set<string>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor({ clock, authorityName, folder }: ServingCertificatesOptions) {
    this.#clock = clock;
    this.#authorityName = authorityName;
    this.#folder = folder === undefined ? undefined : join(folder, 'pki');
  }

  /** Returns the certificate of the CA, PEM. */
  async ca(): Promise<string> {
    return this.#inTurn(async () => {
      const files = await this.#open([]);
      const { certificatePem } = await ensureAuthority(files, AUTHORITY, this.#authorityName);
      await files.finish();
      return certificatePem;
    });
  }

  /** Adds names and addresses to the certificate that `serving` returns from now on. */
  addHosts(hosts: readonly string[]): void {
    for (const host of hosts) this.#hosts.add(host);
  }

  /** The number of names and addresses that were added. */
  get hostCount(): number {
    return this.#hosts.size;
  }

  /** Returns the certificate of this server. Issues it again if it lacks a host or is due for renewal. */
  async serving(): Promise<ServingCertificate> {
    const hosts = [...this.#hosts];
    const { leaf, authority } = await this.#leaf(SERVING, { kind: 'server', hosts });
    return {
      pair: { cert: leaf.certificatePem, key: leaf.keyPem },
      ca: authority.certificatePem,
      hostCount: hosts.length,
    };
  }

  /** Returns the client certificate of the administrator, a member of `system:masters`. */
  async admin(): Promise<KeyedPem> {
    return (await this.#leaf(ADMIN, { kind: 'client', user: 'kubernetes-admin', groups: ['system:masters'] })).leaf;
  }

  /** Issues a certificate for a program that serves elsewhere; see `serving`. */
  async issue(
    name: string,
    hosts: readonly string[],
  ): Promise<{ readonly leaf: KeyedPem; readonly authority: Authority }> {
    return this.#leaf(`service-${name}`, { kind: 'server', hosts });
  }

  #leaf(name: string, request: LeafRequest): Promise<{ readonly leaf: KeyedPem; readonly authority: Authority }> {
    return this.#inTurn(async () => {
      const files = await this.#open([name]);
      const authority = await ensureAuthority(files, AUTHORITY, this.#authorityName);
      const leaf = await ensureLeaf(files, name, authority, request);
      await files.finish();
      return { leaf, authority };
    });
  }

  async #open(leaves: readonly string[]): Promise<PkiFiles> {
    if (this.#folder === undefined) return PkiFiles.inMemory('memory', this.#clock, this.#memory);
    await ensureSecretFolder(this.#folder);
    const names = [AUTHORITY, ...leaves].flatMap((name) => [`${name}.crt`, `${name}.key`]);
    return PkiFiles.open(this.#folder, this.#clock, names);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}
