/** The registration of a webhook that runs on this machine, outside of any Pod. Uses the variables `port` and `caBundle`. */
import { serviceObject } from '../aggregation/registration.ts';

export interface RegisteredHook {
  readonly kind: 'Mutating' | 'Validating';
  readonly name: string;
  readonly path: string;
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly matchPolicy: 'Exact' | 'Equivalent';
  /** A list of rules in YAML. */
  readonly rules: string;
  /** Labels that a namespace must not have, and namespaces whose objects are not reviewed. Default: none. */
  readonly exempt?: { readonly label?: string; readonly namespace: string };
}

const TIMEOUT_SECONDS = 10;

/** The Service of the webhook in its namespace, and one configuration per kind, which has the hooks of that kind. */
export function registration(
  service: { readonly namespace: string; readonly service: string },
  hooks: readonly RegisteredHook[],
): string {
  const kinds = [...new Set(hooks.map(({ kind }) => kind))];
  return [
    `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${service.namespace}}\n`,
    serviceObject({ ...service, account: 'default' }),
    ...kinds.map((kind) => {
      const own = hooks.filter((hook) => hook.kind === kind).map((hook) => entry(service, hook));
      return `apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}WebhookConfiguration
metadata: {name: ${service.service}}
webhooks:
${own.join('')}`;
    }),
  ].join('---\n');
}

function entry({ namespace, service }: { readonly namespace: string; readonly service: string }, hook: RegisteredHook) {
  const { name, path, rules, failurePolicy, matchPolicy, exempt } = hook;
  return `- name: ${name}
  clientConfig:
    service: {name: ${service}, namespace: ${namespace}, path: ${path}, port: {{port}}}
    caBundle: {{caBundle}}
  rules: ${rules}
  admissionReviewVersions: [v1]
  failurePolicy: ${failurePolicy}
  matchPolicy: ${matchPolicy}
  sideEffects: None
  timeoutSeconds: ${TIMEOUT_SECONDS}
${exempt === undefined ? '' : selectorOf(exempt)}`;
}

function selectorOf({ label, namespace }: NonNullable<RegisteredHook['exempt']>): string {
  const other = `{key: kubernetes.io/metadata.name, operator: NotIn, values: [${namespace}]}`;
  const unlabelled = label === undefined ? '' : `{key: ${label}, operator: DoesNotExist}, `;
  return `  namespaceSelector: {matchExpressions: [${unlabelled}${other}]}\n`;
}
