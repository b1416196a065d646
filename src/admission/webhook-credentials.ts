/** The credentials with which webhooks are called: those of the kubeconfig user whose name fits the webhook's host. */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { CallCredentials, WebhookService } from './post-review.ts';

/**
 * Returns the credentials for a host with its port; undefined for none. Throws, or rejects with, ConfigError if they
 * cannot be read.
 */
export type WebhookCredentials = (target: string) => MaybePromise<CallCredentials | undefined>;

const DEFAULT_PORT = ':443';

/** Returns the host and port of a webhook, which is a valid URL or a Service. */
export function credentialTarget(address: string | WebhookService): string {
  if (typeof address !== 'string') return `${address.name}.${address.namespace}.svc:${address.port}`;
  const [authority = ''] = address.replace(/^https:\/\//i, '').split(/[/?#]/);
  return /:\d+$/.test(authority) ? authority : `${authority}${DEFAULT_PORT}`;
}

/**
 * Returns the names of the users for a target, the best first: the target itself, `*.` and the rest after each of its
 * dots, both again without the port 443, and `*`.
 */
export function credentialNames(target: string): readonly string[] {
  const exact = [target, ...starNames(target)];
  if (!target.endsWith(DEFAULT_PORT)) return [...exact, '*'];
  const host = target.slice(0, -DEFAULT_PORT.length).replace(/^\[(.*)\]$/, '$1');
  return [...exact, host, ...starNames(host), '*'];
}

function starNames(host: string): readonly string[] {
  const steps = host.split('.');
  return steps.slice(1).map((_, i) => `*.${steps.slice(i + 1).join('.')}`);
}
