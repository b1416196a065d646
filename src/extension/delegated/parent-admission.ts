/**
 * Runs the webhooks and policies of the parent as admission plugins of an extension server. The aggregator of the
 * parent runs no admission for aggregated kinds, so an extension server has to run it, like servers that use
 * k8s.io/apiserver.
 * Invariant: no request is admitted before the configurations of a plugin are known.
 *
 * The code of a plugin, including CEL, is loaded with the first request after the parent has a configuration for it.
 */
import type { PolicyPluginOptions } from '../../admission/policies/match-policy.ts';
import type { ParamKinds } from '../../admission/policies/params.ts';
import type { WebhookHost } from '../../admission/post-review.ts';
import { refusal } from '../../admission/refusal.ts';
import type { WebhookPluginOptions } from '../../admission/webhooks/webhook-plugin.ts';
import { formatGroupVersion } from '../../apimachinery/meta/gvk.ts';
import { isNotFound } from '../../apimachinery/status/status.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { randomUuid } from '../../base/random.ts';
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
  /** The informers of configurations are added to this set, which the caller starts and stops. */
  readonly informers: InformerSet;
  /** Sends reviews to webhooks. */
  readonly webhooks: WebhookHost['client'];
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * How long a request waits for the first lists, and how often it checks, as in k8s.io/apiserver's admission/handler.go.
 */
const WAIT_MS = 10_000;
const LOOK_MS = 100;

/** Resolves a Service to its DNS name in the cluster, like the default resolver of k8s.io/apiserver. */
const BY_DNS: ServiceResolver = { resolve: (namespace, name, port) => ({ host: `${name}.${namespace}.svc`, port }) };

export function parentAdmission(options: ParentAdmissionOptions): readonly AdmissionPlugin[] {
  const { client, informers, clock, logger, authorizer } = options;
  const newUid = randomUuid;
  const calls = { client: options.webhooks, services: BY_DNS, newUid, clock, logger, authorizer };
  const policyParts = { params: parentParamKinds(client, clock), authorizer };
  const policies = (
    plugin: Omit<ConfiguredPlugin, 'make' | 'listers'>,
    make: (options: PolicyPluginOptions) => Promise<AdmissionPlugin>,
    kinds: readonly [policy: Kind<unknown, 'Cluster'>, binding: Kind<unknown, 'Cluster'>],
  ): AdmissionPlugin => {
    const [policies, bindings] = [parentLister(informers, kinds[0]), parentLister(informers, kinds[1])];
    const listers = [policies, bindings];
    return whenConfigured({ ...plugin, listers, make: () => make({ ...policyParts, policies, bindings }) }, clock);
  };
  const webhooks = (
    plugin: Omit<ConfiguredPlugin, 'make' | 'listers'>,
    make: (options: WebhookPluginOptions) => Promise<AdmissionPlugin>,
    kind: Kind<unknown, 'Cluster'>,
  ): AdmissionPlugin => {
    const configurations = parentLister(informers, kind);
    const listers = [configurations];
    return whenConfigured({ ...plugin, listers, make: () => make({ ...calls, configurations }) }, clock);
  };
  return [
    policies(
      { name: 'MutatingAdmissionPolicy', step: 'admit', handles: (operation) => operation !== 'DELETE' },
      async (parts) => (await loadPlugins()).mutatingAdmissionPolicy(parts),
      [MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding],
    ),
    webhooks(
      { name: 'MutatingAdmissionWebhook', step: 'admit', handles: () => true },
      async (parts) => (await loadPlugins()).mutatingAdmissionWebhook(parts),
      MutatingWebhookConfiguration,
    ),
    policies(
      { name: 'ValidatingAdmissionPolicy', step: 'validate', handles: () => true },
      async (parts) => (await loadPlugins()).validatingAdmissionPolicy(parts),
      [ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding],
    ),
    webhooks(
      { name: 'ValidatingAdmissionWebhook', step: 'validate', handles: () => true },
      async (parts) => (await loadPlugins()).validatingAdmissionWebhook(parts),
      ValidatingWebhookConfiguration,
    ),
  ];
}

const loadPlugins = () => import('./configured-plugins.ts');

/** A plugin that is skipped unless each of its listers has objects. */
interface ConfiguredPlugin extends Pick<AdmissionPlugin, 'name' | 'handles'> {
  readonly step: 'admit' | 'validate';
  readonly listers: readonly ParentLister[];
  /** Creates the plugin. Called at most once. */
  make(): Promise<AdmissionPlugin>;
}

/** Makes the requests to a plugin wait until its configurations are known. After 10 s they are refused. */
function whenConfigured({ name, step, handles, listers, make }: ConfiguredPlugin, clock: Clock): AdmissionPlugin {
  let ready = false;
  const isReady = (): boolean => {
    ready ||= listers.every((lister) => lister.isReady);
    return ready;
  };
  const waitFor = async (attributes: AdmissionAttributes): Promise<void> => {
    const until = clock.monotonic() + WAIT_MS;
    while (!isReady()) {
      if (clock.monotonic() >= until) throw refusal(attributes, 'not yet ready to handle request');
      await sleep(clock, LOOK_MS);
    }
  };
  let making: Promise<AdmissionPlugin> | undefined;
  let made: AdmissionPlugin | undefined;
  const makeOnce = async (): Promise<void> => {
    making ??= make();
    made = await making;
  };
  const run = (attributes: AdmissionAttributes): MaybePromise<void> => {
    if (!isReady()) return waitFor(attributes).then(() => run(attributes));
    if (made !== undefined) return made[step]?.(attributes);
    if (listers.some((lister) => lister.isEmpty)) return undefined;
    return makeOnce().then(() => run(attributes));
  };
  return { name, handles, [step]: run };
}

/** Resolves the kinds of policy parameters by the discovery of the parent. */
function parentParamKinds(client: Client, clock: Clock): ParamKinds {
  const discovery = createDiscovery(client, { clock });
  return async (kind) => {
    try {
      const { paramObjects } = await loadPlugins();
      return paramObjects(client, await discovery.kindOf(formatGroupVersion(kind), kind.kind));
    } catch (caught) {
      if (isNotFound(caught)) return undefined;
      throw caught;
    }
  };
}
