/**
 * The credentials for webhooks, from the users of a kubeconfig. The files of a user are read when the user is first
 * needed.
 */
import { credentialNames, type WebhookCredentials } from '../admission/webhook-credentials.ts';
import type { Lifetime } from '../base/lifetime.ts';
import type { Logger } from '../base/logger.ts';
import type { KubeconfigUser, KubeconfigUsers } from '../client/kubeconfig.ts';
import type { CredentialSource } from '../node/client/server-transport.ts';
import type { Platform } from './platform.ts';

/** Uses the user whose name matches the target best; if none matches, the user of the current context. */
export function createWebhookCredentials(
  { users, current }: KubeconfigUsers,
  { platform, logger, lifetime }: { readonly platform: Platform; readonly logger: Logger; readonly lifetime: Lifetime },
): WebhookCredentials {
  const sources = new Map<KubeconfigUser, Promise<CredentialSource>>();
  const opened = (user: KubeconfigUser): Promise<CredentialSource> => {
    let source = sources.get(user);
    if (source === undefined) {
      source = platform.openCredentials(user, (message) => logger.warn(message));
      sources.set(user, source);
      // The next call tries again.
      source.catch(() => sources.delete(user));
    }
    return source;
  };
  lifetime.add('credentials of webhooks', async () => {
    for (const source of sources.values()) (await source).stop();
  });
  return async (target) => {
    const name = credentialNames(target).find((one) => users.has(one));
    const user = name === undefined ? current : users.get(name);
    if (user === undefined) return undefined;
    const { trust, headers } = await (await opened(user)).current();
    return { clientCertificate: trust.clientCertificate, headers };
  };
}
