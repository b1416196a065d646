/**
 * The cleaner of token Secrets that an old controller generated: marks a Secret that was not used for a year as
 * invalid, and deletes it a year later. A Secret counts as generated if its ServiceAccount lists it. Follows
 * kubernetes/pkg/controller/serviceaccount/legacy_serviceaccount_token_cleaner.go (1.36).
 */
import { formatTime, instantFromMillis, millisFromTime, parseTime } from '../../apimachinery/scalars/time.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { unknown } from '../../apimachinery/status/status-catalogue.ts';
import type { Stored } from '../../client/object-types.ts';
import { ConfigMap, Pod, Secret, ServiceAccount } from '../../kinds/api/core/v1.ts';
import { INVALID_SINCE_LABEL, LAST_USED_LABEL } from '../../pki/bound-objects.ts';
import { KeyedLoop } from '../keyed-loop.ts';
import type { LoopContext, LoopDefinition } from '../loop.ts';
import { unlessChanged } from '../outdated-writes.ts';
import { accountOf, TOKEN_SECRETS } from './token-secrets.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** kube-controller-manager's `--legacy-service-account-token-clean-up-period`. */
const UNUSED_MS = 365 * DAY_MS;
/** The ConfigMap in which the server records since when it tracks the use of tokens. */
const TRACKING = 'kube-apiserver-legacy-service-account-token-tracking';

export const legacyTokenCleanerLoop: LoopDefinition = {
  name: 'legacy-serviceaccount-token-cleaner-controller',
  serviceAccount: 'legacy-service-account-token-cleaner',
  start: (context) => {
    const loop = new KeyedLoop(context);
    const evaluate = async (key: string): Promise<void> => {
      await evaluateSecrets(context);
      loop.addAfter(key, DAY_MS);
    };
    loop.add('all');
    return loop.start(context, { failure: 'cannot clean up tokens that are not used, retrying', sync: evaluate });
  },
};

async function evaluateSecrets(context: LoopContext): Promise<void> {
  const { client, informers, clock } = context;
  const now = clock.now();
  if (now < (await trackedSince(context)) + UNUSED_MS) return;
  const secrets = informers.informer(Secret, { fieldSelector: TOKEN_SECRETS });
  const accounts = informers.informer(ServiceAccount);
  await Promise.all([secrets.synced, accounts.synced]);
  const limit = dateOf(now - UNUSED_MS);
  const mounted = new Map<string, ReadonlySet<string>>();
  for (const secret of secrets.store.list()) {
    const { namespace = '', name, labels = {}, uid, resourceVersion } = secret.metadata;
    if (isNeeded(secret, now - UNUSED_MS, limit)) continue;
    if (!(accountOf(secret, accounts)?.secrets ?? []).some((reference) => reference.name === name)) continue;
    if (!mounted.has(namespace)) mounted.set(namespace, await mountedSecrets(context, namespace));
    if (mounted.get(namespace)?.has(name)) continue;
    const api = client.api(Secret, namespace);
    const invalidSince = labels[INVALID_SINCE_LABEL] ?? '';
    const mark = { metadata: { uid, labels: { [INVALID_SINCE_LABEL]: dateOf(now) } } };
    if (!isDate(invalidSince)) await unlessChanged(api.patch(name, { type: 'merge', body: mark }));
    else if (invalidSince < limit) await unlessChanged(api.delete(name, { preconditions: { resourceVersion } }));
  }
}

/** Returns the end of the day on which the server began to record uses: the ConfigMap has only the date. */
async function trackedSince({ client }: LoopContext): Promise<number> {
  const { data } = await client.api(ConfigMap, 'kube-system').get(TRACKING);
  const since = data?.['since'] ?? '';
  if (!isDate(since)) throw new StatusError(unknown(`the ConfigMap ${TRACKING} has no date`));
  return (millisFromTime(`${since}T00:00:00Z`) ?? 0) + DAY_MS;
}

/** Whether a Secret is young, was used, or is being deleted. A date that cannot be read counts as a use. */
function isNeeded({ metadata }: Stored<Secret>, createdBefore: number, usedBefore: string): boolean {
  if (
    metadata.deletionTimestamp !== undefined ||
    (millisFromTime(metadata.creationTimestamp ?? '') ?? 0) >= createdBefore
  )
    return true;
  const lastUsed = metadata.labels?.[LAST_USED_LABEL];
  return lastUsed !== undefined && (!isDate(lastUsed) || lastUsed >= usedBefore);
}

/** The names of the Secrets that pods of a namespace use in volumes, environment variables or for images. */
async function mountedSecrets({ informers }: LoopContext, namespace: string): Promise<ReadonlySet<string>> {
  const pods = informers.informer(Pod);
  await pods.synced;
  const names = new Set<string>();
  for (const pod of pods.store.list({ namespace })) collectSecretNames(pod.spec, names);
  return names;
}

/**
 * Collects the values of the fields that name a Secret, at any depth: `secretName`, and `name` of `secretRef`,
 * `secretKeyRef`, `imagePullSecrets` and the like. A value that is not the name of a Secret does no harm: it can only
 * keep a Secret.
 */
function collectSecretNames(value: unknown, names: Set<string>, field = ''): void {
  if (Array.isArray(value)) for (const item of value) collectSecretNames(item, names, field);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [key, part] of Object.entries(value)) {
    const isName = key === 'secretName' || (key === 'name' && /secret/i.test(field));
    if (isName && typeof part === 'string') names.add(part);
    else collectSecretNames(part, names, key);
  }
}

function dateOf(millis: number): string {
  return formatTime(instantFromMillis(millis)).slice(0, 10);
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && parseTime(`${text}T00:00:00Z`).ok;
}
