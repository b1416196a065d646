/** The vocabulary of the suite: a case has webhooks and requests, in a namespace of its own. */
import type { Step } from '../diff/request.ts';
import type { Behaviour } from './recorder.ts';

export interface HookSpec {
  readonly behaviour: Behaviour;
  /** Fields of the webhook that replace the usual ones: every CREATE, UPDATE and DELETE in the namespace of the case. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface WebhookCase {
  readonly name: string;
  readonly mutating: readonly HookSpec[];
  readonly validating: readonly HookSpec[];
  /** `{{ns}}` is the namespace of the case. */
  readonly steps: readonly Step[];
}

export type HookKind = 'mutating' | 'validating';

/** The configuration of a case's webhooks; undefined if it has none of this kind. */
export function configurationOf(
  { name, mutating, validating }: WebhookCase,
  kind: HookKind,
  url: string,
  caPem: string,
): Readonly<Record<string, unknown>> | undefined {
  const hooks = kind === 'mutating' ? mutating : validating;
  if (hooks.length === 0) return undefined;
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: kind === 'mutating' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: hooks.map(({ fields = {} }, index) => ({
      name: `hook-${index}.example.com`,
      clientConfig: {
        url: `${url}${pathOf(name, kind, index)}`,
        caBundle: Buffer.from(caPem).toString('base64'),
      },
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      rules: [{ operations: ['CREATE', 'UPDATE', 'DELETE'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }],
      ...fields,
      namespaceSelector: {
        matchLabels: { 'kubernetes.io/metadata.name': name },
        ...(fields['namespaceSelector'] as object | undefined),
      },
    })),
  };
}

export function pathOf(name: string, kind: HookKind, index: number): string {
  return `/${name}/${kind}/${index}`;
}
