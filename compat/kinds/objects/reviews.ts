/** Objects of review kinds, which are not stored. */
import type { Subject } from '../subject.ts';

const ATTRIBUTES = {
  verb: 'get',
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  subresource: 'scale',
  name: 'x',
  namespace: 'default',
};

export const REVIEWS: readonly Subject[] = [
  {
    group: 'authentication.k8s.io',
    version: 'v1',
    plural: 'tokenreviews',
    kind: 'TokenReview',
    clusterScoped: true,
    isReview: true,
    variants: [
      { name: 'minimal', object: { spec: { token: 'no-such-token' } } },
      {
        name: 'full',
        object: { spec: { token: 'alice-token-0123456789', audiences: ['https://kubernetes.default.svc'] } },
      },
    ],
  },
  {
    group: 'authentication.k8s.io',
    version: 'v1',
    plural: 'selfsubjectreviews',
    kind: 'SelfSubjectReview',
    clusterScoped: true,
    isReview: true,
    variants: [{ name: 'minimal', object: {} }],
  },
  {
    group: 'authorization.k8s.io',
    version: 'v1',
    plural: 'subjectaccessreviews',
    kind: 'SubjectAccessReview',
    clusterScoped: true,
    isReview: true,
    variants: [
      {
        name: 'minimal',
        object: {
          metadata: { name: '' },
          spec: { user: 'alice', resourceAttributes: { verb: 'get', resource: 'pods' } },
        },
      },
      {
        name: 'full',
        object: {
          metadata: { name: '' },
          spec: {
            user: 'alice',
            groups: ['system:masters'],
            uid: 'u',
            extra: { k: ['v'] },
            resourceAttributes: {
              ...ATTRIBUTES,
              labelSelector: { requirements: [{ key: 'a', operator: 'In', values: ['b'] }] },
              fieldSelector: { rawSelector: 'metadata.name=x' },
            },
          },
        },
      },
      {
        name: 'path',
        object: {
          metadata: { name: '' },
          spec: { user: 'alice', nonResourceAttributes: { path: '/healthz', verb: 'get' } },
        },
      },
    ],
  },
  {
    group: 'authorization.k8s.io',
    version: 'v1',
    plural: 'selfsubjectaccessreviews',
    kind: 'SelfSubjectAccessReview',
    clusterScoped: true,
    isReview: true,
    variants: [
      { name: 'resource', object: { metadata: { name: '' }, spec: { resourceAttributes: ATTRIBUTES } } },
      {
        name: 'path',
        object: { metadata: { name: '' }, spec: { nonResourceAttributes: { path: '/x', verb: 'get' } } },
      },
    ],
  },
  {
    group: 'authorization.k8s.io',
    version: 'v1',
    plural: 'localsubjectaccessreviews',
    kind: 'LocalSubjectAccessReview',
    isReview: true,
    variants: [
      {
        name: 'full',
        object: {
          metadata: { name: '', namespace: 'k-localsubjectaccessreviews-v1' },
          spec: { user: 'alice', resourceAttributes: { ...ATTRIBUTES, namespace: 'k-localsubjectaccessreviews-v1' } },
        },
      },
    ],
  },
  {
    group: 'authorization.k8s.io',
    version: 'v1',
    plural: 'selfsubjectrulesreviews',
    kind: 'SelfSubjectRulesReview',
    clusterScoped: true,
    isReview: true,
    variants: [{ name: 'full', object: { metadata: { name: '' }, spec: { namespace: 'default' } } }],
  },
];
