/** The vocabulary of the suite: a case has webhooks, policies and requests, in a namespace of its own. */
import type { Step } from '../diff/request.ts';
import type { Behaviour } from './recorder.ts';

export interface HookSpec {
  readonly behaviour: Behaviour;
  /** Fields of the webhook that replace the usual ones: every CREATE, UPDATE and DELETE in the namespace of the case. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** An object that is created before the requests: a policy, a binding, a parameter. */
export interface ConfigurationObject {
  readonly path: string;
  readonly object: Readonly<Record<string, unknown>>;
}

export interface AdmissionCase {
  readonly name: string;
  readonly objects: readonly ConfigurationObject[];
  readonly mutating: readonly HookSpec[];
  readonly validating: readonly HookSpec[];
  /** `{{ns}}` is the namespace of the case. */
  readonly steps: readonly Step[];
}

export type HookKind = 'mutating' | 'validating';

/** The configuration of a case's webhooks; undefined if it has none of this kind. */
export function configurationOf(
  { name, mutating, validating }: AdmissionCase,
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
