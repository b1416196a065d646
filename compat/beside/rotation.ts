/**
 * Encryption keys that are changed while both servers run. During the change the servers write with different keys or
 * providers, and each reads what the other one has written.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encryptionConfiguration, IDENTITY, keyProvider } from '../common/encryption-configuration.ts';
import { mergePatch, must } from '../common/json-requests.ts';
import { readKeys } from './etcd-keys.ts';
import { type OneEtcd, otherSide, SIDES, type Side } from './one-etcd.ts';

export type Cipher = 'aescbc' | 'aesgcm' | 'secretbox';

export interface NamedKey {
  readonly cipher: Cipher;
  readonly key: 'first' | 'second';
}

const SECRETS = '/api/v1/namespaces/default/secrets';
const FILLS: Readonly<Record<NamedKey['key'], number>> = { first: 17, second: 18 };

/** Writes the configuration of a server: these keys for the resources, the first one for writes. Returns the flag. */
export function encryptionFlag(
  etcd: OneEtcd,
  side: Side,
  { keys, resources = '*.*' }: { readonly keys: readonly NamedKey[]; readonly resources?: string },
): string {
  const path = join(etcd.folder, `encryption-${side}.json`);
  const providers = keys.map(({ cipher, key }) => keyProvider(cipher, [{ name: key, fill: FILLS[key] }]));
  writeFileSync(path, encryptionConfiguration([{ resources: [resources], providers: [...providers, IDENTITY] }]));
  return `--encryption-provider-config=${path}`;
}

/** The first bytes of a value that was written with a key. */
export function valuePrefix({ cipher, key }: NamedKey): string {
  return `k8s:enc:${cipher}:v1:${key}:`;
}

/**
 * Replaces the key of all Secrets, server after server, in the order of the reference's documentation: the new key is
 * added, then used, then the old one is dropped when every Secret was written again. Starts the servers.
 */
export async function rotate(etcd: OneEtcd, from: NamedKey, to: NamedKey): Promise<readonly string[]> {
  const differences: string[] = [];
  const restart = async (side: Side, keys: readonly NamedKey[]): Promise<void> => {
    await etcd.terminate(side);
    await etcd.launch(side, [encryptionFlag(etcd, side, { keys, resources: 'secrets' })]);
  };
  for (const side of SIDES)
    await etcd.launch(side, [encryptionFlag(etcd, side, { keys: [from], resources: 'secrets' })]);
  await createSecrets(etcd, 'before');
  for (const side of SIDES) await restart(side, [from, to]);
  for (const side of SIDES) {
    await restart(side, [to, from]);
    await createSecrets(etcd, `while-${side}-is-ahead`);
  }
  const names = await secretNames(etcd);
  for (const [i, name] of names.entries())
    await must(etcd.client(SIDES[i % SIDES.length] as Side), mergePatch(`${SECRETS}/${name}`, {}));
  const { keys } = await readKeys(etcd.url, '/registry/secrets/default/');
  for (const { key, value } of keys)
    if (!value.subarray(0, valuePrefix(to).length).equals(Buffer.from(valuePrefix(to))))
      differences.push(`${key} still has its old encryption`);
  for (const side of SIDES) await restart(side, [to]);
  for (const side of SIDES)
    if ((await secretNames(etcd, side)).join() !== names.join())
      differences.push(`${side} does not list all Secrets with the new key`);
  return differences;
}

/** Each server creates a Secret, and the other one reads it. */
async function createSecrets(etcd: OneEtcd, stage: string): Promise<void> {
  for (const side of SIDES) {
    const name = `${stage}-${side}`;
    const body = { metadata: { name }, stringData: { stage } };
    await must(etcd.client(side), { method: 'POST', path: SECRETS, body });
    await must(etcd.client(otherSide(side)), { method: 'GET', path: `${SECRETS}/${name}` });
  }
}

async function secretNames(etcd: OneEtcd, side: Side = 'reference'): Promise<readonly string[]> {
  const { items } = (await must(etcd.client(side), { method: 'GET', path: SECRETS })) as unknown as {
    items: { metadata: { name: string } }[];
  };
  return items.map(({ metadata }) => metadata.name);
}
