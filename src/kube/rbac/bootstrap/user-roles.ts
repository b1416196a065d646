/** The bootstrap ClusterRoles of Kubernetes 1.36.3 for users, and the roles that admin, edit and view aggregate. */
import { READ, type RoleFacts, WRITE } from './policy-notation.ts';

/** By name, in the order of creation. */
export const USER_ROLES: RoleFacts = {
  'cluster-admin': [
    ['*', '*', '*'],
    ['*', { urls: '*' }],
  ],
  'system:discovery': [
    ['get', { urls: '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/' }],
  ],
  'system:monitoring': [
    ['get', { urls: '/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz' }],
    ['get', 'core', 'nodes/metrics'],
  ],
  'system:basic-user': [
    ['create', 'authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews'],
    ['create', 'authentication.k8s.io', 'selfsubjectreviews'],
  ],
  'system:public-info-viewer': [['get', { urls: '/healthz /livez /readyz /version /version/' }]],
  'system:aggregate-to-admin': [
    ['create', 'authorization.k8s.io', 'localsubjectaccessreviews'],
    ['create delete deletecollection get list patch update watch', 'rbac.authorization.k8s.io', 'rolebindings roles'],
  ],
  'system:aggregate-to-edit': [
    [READ, 'core', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'],
    ['impersonate', 'core', 'serviceaccounts'],
    [WRITE, 'core', 'pods pods/attach pods/exec pods/portforward pods/proxy'],
    ['create', 'core', 'pods/eviction'],
    [
      WRITE,
      'core',
      'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
    ],
    ['create', 'core', 'serviceaccounts/token'],
    [WRITE, 'core events.k8s.io', 'events'],
    [
      WRITE,
      'apps',
      'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
    ],
    [WRITE, 'autoscaling', 'horizontalpodautoscalers'],
    [WRITE, 'batch', 'cronjobs jobs'],
    [
      WRITE,
      'extensions',
      'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
    ],
    [WRITE, 'policy', 'poddisruptionbudgets'],
    [WRITE, 'networking.k8s.io', 'ingresses networkpolicies'],
    ['create delete deletecollection get list patch update watch', 'coordination.k8s.io', 'leases'],
    [WRITE, 'resource.k8s.io', 'resourceclaims resourceclaimtemplates'],
  ],
  'system:aggregate-to-view': [
    [
      READ,
      'core',
      'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
    ],
    [
      READ,
      'core',
      'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
    ],
    [READ, 'core', 'namespaces'],
    [READ, 'core events.k8s.io', 'events'],
    [READ, 'discovery.k8s.io', 'endpointslices'],
    [
      READ,
      'apps',
      'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
    ],
    [READ, 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'],
    [READ, 'batch', 'cronjobs cronjobs/status jobs jobs/status'],
    [
      READ,
      'extensions',
      'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
    ],
    [READ, 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'],
    [READ, 'networking.k8s.io', 'ingresses ingresses/status networkpolicies'],
    [READ, 'resource.k8s.io', 'resourceclaims resourceclaims/status resourceclaimtemplates'],
  ],
};
