/**
 * The webhooks and policies of the parent as admission plugins of an extension server. The aggregator of the parent runs
 * no admission for aggregated kinds, so an extension server has to do it, as servers of k8s.io/apiserver do.
 * Invariant: no request is admitted before the configurations of a plugin are known.
 */
import type { PolicyPluginOptions } from '../../admission/policies/match-policy.ts';
import { mutatingAdmissionPolicy } from '../../admission/policies/mutating-policies.ts';
import { paramObjects } from '../../admission/policies/param-objects.ts';
import type { ParamKinds } from '../../admission/policies/params.ts';
import { validatingAdmissionPolicy } from '../../admission/policies/validating-policies.ts';
import type { WebhookHost } from '../../admission/post-review.ts';
import { refusal } from '../../admission/refusal.ts';
import { mutatingAdmissionWebhook } from '../../admission/webhooks/mutating-webhooks.ts';
import { validatingAdmissionWebhook } from '../../admission/webhooks/validating-webhooks.ts';
import type { WebhookPluginOptions } from '../../admission/webhooks/webhook-plugin.ts';
import { formatGroupVersion } from '../../apimachinery/meta/gvk.ts';
import { isNotFound } from '../../apimachinery/status/status.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Client } from '../../client/api.ts';
import { createDiscovery } from '../../client/discovery.ts';
import type { InformerSet } from '../../client/informer.ts';
import {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '../../kinds/api/admissionregistration/v1.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import type { Authorizer } from '../../server/authorizer.ts';
import type { ServiceResolver } from '../../server/http/outbound.ts';
import { type ParentLister, parentLister } from './informer-lister.ts';

export interface ParentAdmissionOptions {
  readonly client: Client;
  /** Gets the informers of configurations. The caller starts and stops it. */
  readonly informers: InformerSet;
  /** Sends reviews to webhooks. */
  readonly webhooks: WebhookHost['client'];
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How long a request waits for the first lists, and how often it looks, as in k8s.io/apiserver's admission/handler.go. */
const WAIT_MS = 10_000;
const LOOK_MS = 100;

/** Services are found by the DNS of the cluster, as k8s.io/apiserver does without a resolver of its own. */
const BY_DNS: ServiceResolver = { resolve: (namespace, name, port) => ({ host: `${name}.${namespace}.svc`, port }) };

export function parentAdmission(options: ParentAdmissionOptions): readonly AdmissionPlugin[] {
  const { client, informers, clock, logger, authorizer } = options;
  const newUid = (): string => globalThis.crypto.randomUUID();
  const calls = { client: options.webhooks, services: BY_DNS, newUid, clock, logger, authorizer };
  const policyParts = { params: parentParamKinds(client, clock), authorizer };
  const policyPlugin = (
    make: (options: PolicyPluginOptions) => AdmissionPlugin,
    ...kinds: readonly [policy: Kind<unknown, 'Cluster'>, binding: Kind<unknown, 'Cluster'>]
  ): AdmissionPlugin => {
    const [policies, bindings] = [parentLister(informers, kinds[0]), parentLister(informers, kinds[1])];
    return whenReady(make({ ...policyParts, policies, bindings }), clock, [policies, bindings]);
  };
  const webhookPlugin = (
    make: (options: WebhookPluginOptions) => AdmissionPlugin,
    kind: Kind<unknown, 'Cluster'>,
  ): AdmissionPlugin => {
    const configurations = parentLister(informers, kind);
    return whenReady(make({ ...calls, configurations }), clock, [configurations]);
  };
  return [
    policyPlugin(mutatingAdmissionPolicy, MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding),
    webhookPlugin(mutatingAdmissionWebhook, MutatingWebhookConfiguration),
    policyPlugin(validatingAdmissionPolicy, ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding),
    webhookPlugin(validatingAdmissionWebhook, ValidatingWebhookConfiguration),
  ];
}

/** Makes the requests to a plugin wait until its configurations are known. After 10 s they are refused. */
function whenReady(plugin: AdmissionPlugin, clock: Clock, listers: readonly ParentLister[]): AdmissionPlugin {
  const { admit, validate } = plugin;
  let ready = false;
  const isReady = (): boolean => {
    ready ||= listers.every((lister) => lister.isReady);
    return ready;
  };
  const guard =
    (step: (attributes: AdmissionAttributes) => MaybePromise<void>) =>
    (attributes: AdmissionAttributes): MaybePromise<void> =>
      isReady() ? step(attributes) : waitFor(attributes).then(() => step(attributes));
  const waitFor = async (attributes: AdmissionAttributes): Promise<void> => {
    const until = clock.monotonic() + WAIT_MS;
    while (!isReady()) {
      if (clock.monotonic() >= until) throw refusal(attributes, 'not yet ready to handle request');
      await sleep(clock, LOOK_MS);
    }
  };
  return {
    ...plugin,
    ...(admit && { admit: guard(admit) }),
    ...(validate && { validate: guard(validate) }),
  };
}

/** The kinds of parameters are those that the parent serves. */
function parentParamKinds(client: Client, clock: Clock): ParamKinds {
  const discovery = createDiscovery(client, { clock });
  return async (kind) => {
    try {
      return paramObjects(client, await discovery.kindOf(formatGroupVersion(kind), kind.kind));
    } catch (caught) {
      if (isNotFound(caught)) return undefined;
      throw caught;
    }
  };
}
