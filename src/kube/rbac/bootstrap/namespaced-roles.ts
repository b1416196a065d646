/** The bootstrap Roles and RoleBindings of Kubernetes 1.36.3, in kube-system and kube-public. */
import { EVENTS, READ, type RoleFacts, type SubjectFact } from './policy-notation.ts';

/** By namespace and name, in the order of creation. */
export const NAMESPACED_ROLES: Readonly<Record<string, RoleFacts>> = {
  'kube-public': {
    'system:controller:bootstrap-signer': [
      [READ, 'core', 'configmaps'],
      ['update', 'core', 'configmaps', 'cluster-info'],
      EVENTS,
    ],
  },
  'kube-system': {
    'extension-apiserver-authentication-reader': [[READ, 'core', 'configmaps', 'extension-apiserver-authentication']],
    'system:controller:bootstrap-signer': [[READ, 'core', 'secrets']],
    'system:controller:cloud-provider': [['create get list watch', 'core', 'configmaps']],
    'system:controller:token-cleaner': [['delete get list watch', 'core', 'secrets'], EVENTS],
    'system::leader-locking-kube-controller-manager': [
      ['create get list update watch', 'coordination.k8s.io', 'leases'],
      ['create get list update watch', 'coordination.k8s.io', 'leasecandidates'],
    ],
    'system::leader-locking-kube-scheduler': [
      ['create get list update watch', 'coordination.k8s.io', 'leases'],
      ['create get list update watch', 'coordination.k8s.io', 'leasecandidates'],
    ],
  },
};

/** By namespace and name. */
export const NAMESPACED_BINDINGS: Readonly<
  Record<string, Readonly<Record<string, { readonly role: string; readonly subjects: readonly SubjectFact[] }>>>
> = {
  'kube-public': {
    'system:controller:bootstrap-signer': {
      role: 'system:controller:bootstrap-signer',
      subjects: ['account:bootstrap-signer'],
    },
  },
  'kube-system': {
    'system::extension-apiserver-authentication-reader': {
      role: 'extension-apiserver-authentication-reader',
      subjects: ['user:system:kube-controller-manager', 'user:system:kube-scheduler'],
    },
    'system::leader-locking-kube-controller-manager': {
      role: 'system::leader-locking-kube-controller-manager',
      subjects: [
        'user:system:kube-controller-manager',
        'account:kube-controller-manager',
        'account:leader-election-controller',
      ],
    },
    'system::leader-locking-kube-scheduler': {
      role: 'system::leader-locking-kube-scheduler',
      subjects: ['user:system:kube-scheduler', 'account:kube-scheduler'],
    },
    'system:controller:bootstrap-signer': {
      role: 'system:controller:bootstrap-signer',
      subjects: ['account:bootstrap-signer'],
    },
    'system:controller:cloud-provider': {
      role: 'system:controller:cloud-provider',
      subjects: ['account:cloud-provider'],
    },
    'system:controller:token-cleaner': { role: 'system:controller:token-cleaner', subjects: ['account:token-cleaner'] },
  },
};
