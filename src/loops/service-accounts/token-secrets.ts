/**
 * The loop of Secrets of type `kubernetes.io/service-account-token`: fills in token, CA and namespace, deletes a Secret
 * whose ServiceAccount does not exist, and removes a deleted Secret from the `secrets` of its ServiceAccount.
 */
import { encodeBase64 } from '../../base/base64.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { Informer } from '../../client/informer.ts';
import type { Stored } from '../../client/object-types.ts';
import { keyOf, parseKey } from '../../controller/keys.ts';
import { Secret, ServiceAccount } from '../../kinds/api/core/v1.ts';
import { legacyClaims } from '../../pki/service-account-claims.ts';
import { KeyedLoop } from '../keyed-loop.ts';
import type { LoopContext, LoopDefinition } from '../loop.ts';
import { unlessChanged } from '../outdated-writes.ts';

export const TOKEN_SECRETS = 'type=kubernetes.io/service-account-token';
const NAME_ANNOTATION = 'kubernetes.io/service-account.name';
const UID_ANNOTATION = 'kubernetes.io/service-account.uid';
const BY_ACCOUNT = 'service-account';

export const tokenSecretLoop: LoopDefinition = {
  name: 'serviceaccount-token-controller',
  serviceAccount: undefined,
  start: (context) => {
    const secrets = context.informers.informer(Secret, { fieldSelector: TOKEN_SECRETS });
    const accounts = context.informers.informer(ServiceAccount);
    secrets.addIndex(BY_ACCOUNT, (secret) => [accountKeyOf(secret)]);
    const loop = new KeyedLoop(context);
    const sync = new TokenSecrets(context, secrets, accounts);
    loop.follow(secrets, (secret) => {
      sync.remember(secret);
      return [keyOf(secret)];
    });
    loop.follow(accounts, (account) => secrets.store.byIndex(BY_ACCOUNT, keyOf(account)).map(keyOf));
    return loop.start(context, {
      failure: 'cannot fill in the token of a ServiceAccount, retrying',
      sync: (key) => sync.sync(key),
    });
  },
};

/** The ServiceAccount that a Secret names, if it exists with the uid that the Secret names. */
export function accountOf(
  secret: Stored<Secret>,
  accounts: Informer<ServiceAccount>,
): Stored<ServiceAccount> | undefined {
  return matching(secret, accounts.store.getByKey(accountKeyOf(secret)));
}

function matching(
  secret: Stored<Secret>,
  account: Stored<ServiceAccount> | undefined,
): Stored<ServiceAccount> | undefined {
  const uid = secret.metadata.annotations?.[UID_ANNOTATION] ?? '';
  return uid === '' || uid === account?.metadata.uid ? account : undefined;
}

function accountKeyOf({ metadata: { namespace, annotations } }: Stored<Secret>): string {
  return `${namespace}/${annotations?.[NAME_ANNOTATION] ?? ''}`;
}

class TokenSecrets {
  readonly #context: LoopContext;
  readonly #secrets: Informer<Secret>;
  readonly #accounts: Informer<ServiceAccount>;
  /** The key of the ServiceAccount of each Secret, by key. It is needed when the Secret is deleted. */
  readonly #accountKeys = new Map<string, string>();

  constructor(context: LoopContext, secrets: Informer<Secret>, accounts: Informer<ServiceAccount>) {
    this.#context = context;
    this.#secrets = secrets;
    this.#accounts = accounts;
  }

  remember(secret: Stored<Secret>): void {
    this.#accountKeys.set(keyOf(secret), accountKeyOf(secret));
  }

  async sync(key: string): Promise<void> {
    const secret = this.#secrets.store.getByKey(key);
    if (secret === undefined) return this.#removeReference(key);
    if (secret.metadata.deletionTimestamp !== undefined) return;
    const account = accountOf(secret, this.#accounts) ?? (await this.#liveAccount(secret));
    await (account === undefined ? this.#delete(secret) : this.#fill(secret, account));
  }

  /** Reads the account from the server: the informer may not have an account that was created a moment ago. */
  async #liveAccount(secret: Stored<Secret>): Promise<Stored<ServiceAccount> | undefined> {
    const { namespace = '', name } = parseKey(accountKeyOf(secret));
    if (name === '') return undefined;
    return matching(secret, await this.#context.client.api(ServiceAccount, namespace).find(name));
  }

  async #delete({ metadata: { namespace = '', name, uid } }: Stored<Secret>): Promise<void> {
    await unlessChanged(this.#context.client.api(Secret, namespace).delete(name, { preconditions: { uid } }));
  }

  async #fill(secret: Stored<Secret>, account: Stored<ServiceAccount>): Promise<void> {
    const { client, rootCa, signLegacyToken } = this.#context;
    const { namespace = '', name, annotations } = secret.metadata;
    const { token = '', namespace: given = '', 'ca.crt': ca = '' } = secret.data ?? {};
    const wantedCa = encodeBase64(encodeUtf8(rootCa));
    if (token !== '' && given !== '' && ca === wantedCa) return;
    const reference = { namespace, name: account.metadata.name, uid: account.metadata.uid };
    const made = token === '' ? encodeText(await signLegacyToken(legacyClaims(reference, name))) : token;
    const data = { ...secret.data, 'ca.crt': wantedCa, namespace: given || encodeText(namespace), token: made };
    const identity = { [NAME_ANNOTATION]: account.metadata.name, [UID_ANNOTATION]: account.metadata.uid };
    const metadata = { ...secret.metadata, annotations: { ...annotations, ...identity } };
    await unlessChanged(client.api(Secret, namespace).update({ ...secret, metadata, data }));
  }

  /**
   * Removes a deleted Secret from its ServiceAccount. A conflict is a failure, which the queue retries, because no
   * informer reports the deletion again.
   */
  async #removeReference(key: string): Promise<void> {
    const { name } = parseKey(key);
    const { namespace = '', name: accountName } = parseKey(this.#accountKeys.get(key) ?? '');
    const api = this.#context.client.api(ServiceAccount, namespace);
    const account = namespace === '' || accountName === '' ? undefined : await api.find(accountName);
    const secrets = account?.secrets?.filter((reference) => reference.name !== name);
    if (account !== undefined && secrets !== undefined && secrets.length < (account.secrets ?? []).length)
      await api.update({ ...account, secrets });
    this.#accountKeys.delete(key);
  }
}

function encodeText(text: string): string {
  return encodeBase64(encodeUtf8(text));
}
