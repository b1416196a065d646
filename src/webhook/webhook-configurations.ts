/** The objects that register webhooks with an API server, as data. */
import { encodeBase64 } from '../base/base64.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import type { Applied } from '../client/object-types.ts';
import type {
  MutatingWebhookConfiguration,
  RuleWithOperations,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from '../kinds/api/admissionregistration/v1.ts';
import type { CustomResourceDefinition } from '../kinds/api/apiextensions/v1.ts';
import { hookName, hookPath } from './hook-path.ts';
import type { AdmissionHook, ConversionHook } from './hooks.ts';
import type { WebhookAddress, Webhooks } from './webhook-server.ts';

const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const TIMEOUT_SECONDS = 10;

/** Where the API server finds the webhooks, and which CAs it trusts. */
export interface WebhookEndpoint {
  readonly address: WebhookAddress;
  /** PEM. */
  readonly ca: string;
}

/**
 * The configurations of a program, for server-side apply. `apiVersion` and `kind` are present: they may be written to
 * files.
 */
export interface WebhookConfigurations {
  readonly mutating: Applied<MutatingWebhookConfiguration>;
  readonly validating: Applied<ValidatingWebhookConfiguration>;
  /** `spec.conversion` only. The definitions themselves must exist. */
  readonly definitions: readonly Applied<CustomResourceDefinition>[];
}

/** Returns the configurations. Lists of webhooks may be empty. */
export function webhookConfigurations(webhooks: Webhooks, endpoint: WebhookEndpoint): WebhookConfigurations {
  const { name, mutate = [], validate = [], convert = [] } = webhooks;
  const apiVersion = 'admissionregistration.k8s.io/v1';
  return {
    mutating: {
      apiVersion,
      kind: 'MutatingWebhookConfiguration',
      metadata: { name },
      webhooks: mutate.map((hook) => ({
        ...webhookOf(name, hook, endpoint),
        reinvocationPolicy: hook.options.reinvocationPolicy ?? 'Never',
      })),
    } as Applied<MutatingWebhookConfiguration>,
    validating: {
      apiVersion,
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name },
      webhooks: validate.map((hook) => webhookOf(name, hook, endpoint)),
    } as Applied<ValidatingWebhookConfiguration>,
    definitions: convert.map((hook) => definitionOf(hook, endpoint)),
  };
}

function webhookOf(program: string, hook: AdmissionHook, endpoint: WebhookEndpoint) {
  const { options } = hook;
  const { namespaceSelector, objectSelector, matchConditions } = options;
  return {
    name: `${hookName(hook)}.${program}`,
    clientConfig: clientConfigOf(hook, endpoint),
    rules: [ruleOf(hook)],
    failurePolicy: options.failurePolicy ?? 'Fail',
    matchPolicy: options.matchPolicy ?? 'Equivalent',
    sideEffects: options.sideEffects ?? 'None',
    timeoutSeconds: options.timeoutSeconds ?? TIMEOUT_SECONDS,
    admissionReviewVersions: REVIEW_VERSIONS,
    ...(namespaceSelector && { namespaceSelector }),
    ...(objectSelector && { objectSelector }),
    ...(matchConditions && { matchConditions }),
  };
}

function ruleOf({ kind: { group, version, plural, scope }, options }: AdmissionHook): RuleWithOperations {
  return {
    apiGroups: [group],
    apiVersions: [version],
    resources: [plural],
    scope,
    ...options.rule,
    operations: [...(options.operations ?? ['CREATE', 'UPDATE'])],
  };
}

function clientConfigOf(hook: AdmissionHook | ConversionHook, { address, ca }: WebhookEndpoint): WebhookClientConfig {
  const path = hookPath(hook);
  const caBundle = encodeBase64(encodeUtf8(ca));
  if ('url' in address) return { url: `${address.url.replace(/\/$/, '')}${path}`, caBundle };
  const { namespace, name, port = 443 } = address.service;
  return { service: { namespace, name, port, path }, caBundle };
}

function definitionOf(hook: ConversionHook, endpoint: WebhookEndpoint): Applied<CustomResourceDefinition> {
  const { plural, group } = hook.hub;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: clientConfigOf(hook, endpoint), conversionReviewVersions: REVIEW_VERSIONS },
      },
    },
  } as Applied<CustomResourceDefinition>;
}
