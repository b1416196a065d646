/** Server-side apply with kubectl: conflicts, diffs, managed fields, the migration from client-side apply, kuberc. */
import { $, type Script } from '../script.ts';

const CM = `apiVersion: v1
kind: ConfigMap
metadata: {name: one, labels: {app: web}}
data: {k: v, l: w}
`;
const WEB = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: main
        image: nginx:1
        ports: [{containerPort: 80}]
        env: [{name: A, value: a}]
`;
const SIDECAR = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - name: proxy
        image: envoy:1
`;
const STATUS = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
status: {replicas: 3, conditions: [{type: Seen, status: "True"}]}
`;
const DEFINITION = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.server-side.example.com}
spec:
  group: server-side.example.com
  scope: Namespaced
  names: {plural: boats, singular: boat, kind: Boat}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              name: {type: string}
              sails: {type: integer, default: 1}
              crew:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items: {type: object, required: [name], properties: {name: {type: string}, role: {type: string}}}
          status:
            type: object
            properties: {phase: {type: string}}
`;
const BOAT = `apiVersion: server-side.example.com/v1
kind: Boat
metadata: {name: ada}
spec: {name: Ada, crew: [{name: ann, role: captain}]}
`;
const KUBERC = `apiVersion: kubectl.config.k8s.io/v1beta1
kind: Preference
defaults:
- command: apply
  options:
  - {name: server-side, default: "true"}
  - {name: field-manager, default: from-kuberc}
`;

const managed = (what: string): string => `get ${what} -o yaml --show-managed-fields`;

export const serverSide: Script = {
  name: 'server-side',
  files: {
    'one.yaml': CM,
    'other.yaml': CM.replace('k: v', 'k: changed'),
    'less.yaml': CM.replace(', l: w', ''),
    'number.yaml': CM.replace('k: v', 'k: 1'),
    'unknown.yaml': `${CM}odd: 1\n`,
    'managed.yaml': CM.replace('labels:', 'managedFields: [{manager: x, operation: Apply}], labels:'),
    'csa.yaml': CM.replace('one', 'csa'),
    'csa-less.yaml': CM.replace('one', 'csa').replace(', l: w', ''),
    'csa-more.yaml': CM.replace('one', 'csa').replace('l: w', 'm: x'),
    'web.yaml': WEB,
    'web-2.yaml': WEB.replace('nginx:1', 'nginx:2').replace('  replicas: 2\n', ''),
    'web-3.yaml': WEB.replace('replicas: 2', 'replicas: 4'),
    'sidecar.yaml': SIDECAR,
    'status.yaml': STATUS,
    'crd.yaml': DEFINITION,
    'boat.yaml': BOAT,
    'boat-2.yaml': BOAT.replace('ann, role: captain', 'bob, role: mate'),
    'boat-3.yaml': BOAT.replace('name: Ada', 'name: Lovelace'),
    'boat-odd.yaml': BOAT.replace('name: Ada', 'name: Ada, odd: 1'),
    'kuberc.yaml': KUBERC,
  },
  steps: [
    $('diff --server-side -f one.yaml'),
    $('apply --server-side --dry-run=server -f one.yaml'),
    $('apply --server-side --dry-run=client -f one.yaml'),
    $('apply --server-side -f one.yaml'),
    $('apply --server-side -f one.yaml'),
    $('apply --server-side -f one.yaml -o yaml --show-managed-fields'),
    $(managed('cm one')),
    $('get cm one -o json --show-managed-fields'),
    $('get cm one -o yaml'),
    $('diff --server-side -f one.yaml'),
    $('diff --server-side -f other.yaml'),
    $('apply --server-side -f other.yaml --field-manager=other'),
    $('diff --server-side -f other.yaml --field-manager=other'),
    $('diff --server-side -f other.yaml --field-manager=other --force-conflicts'),
    $('apply --server-side -f other.yaml --field-manager=other --dry-run=server --force-conflicts -o yaml'),
    $('apply --server-side -f other.yaml --field-manager=other --force-conflicts'),
    $('apply --server-side -f one.yaml'),
    $('apply --server-side -f less.yaml'),
    $('apply --server-side -f less.yaml --field-manager=other --force-conflicts'),
    $(managed('cm one')),
    $('apply --server-side -f number.yaml'),
    $('apply --server-side -f unknown.yaml'),
    $('apply --server-side -f managed.yaml'),
    $('apply --server-side -f one.yaml', { user: 'alice' }),
    $('apply --force-conflicts -f one.yaml'),
    $('label cm one a=b --field-manager=labeller'),
    $('annotate cm one a=b'),
    $('patch cm one -p \'{"data":{"p":"1"}}\' --field-manager=patcher'),
    $('edit cm one', { editor: 'sed -i s/changed/edited/' }),
    $(managed('cm one')),
    $('patch cm one --type=merge -p \'{"metadata":{"managedFields":[]}}\''),
    $(managed('cm one')),
    $('apply --server-side -f one.yaml'),
    $('apply --server-side -f one.yaml --force-conflicts'),
    $(managed('cm one')),
    // From client-side apply to server-side apply, and back.
    $('apply -f csa.yaml'),
    $(managed('cm csa')),
    $('apply --server-side -f csa-less.yaml --field-manager=other'),
    $('apply --server-side -f csa-less.yaml'),
    $(managed('cm csa')),
    $('apply view-last-applied cm csa'),
    $('apply -f csa-more.yaml'),
    $(managed('cm csa')),
    $('apply --server-side -f csa-more.yaml'),
    $(managed('cm csa')),
    $('create -f one.yaml --save-config --dry-run=server'),
    // Workloads: lists by key, scale, status.
    $('apply --server-side -f web.yaml'),
    $('apply --server-side -f sidecar.yaml --field-manager=injector'),
    $('scale deployment web --replicas=5'),
    $('apply --server-side -f web-3.yaml'),
    $('apply --server-side -f web-2.yaml'),
    $('apply --server-side --subresource=status -f status.yaml --field-manager=loop'),
    $(managed('deployment web')),
    $('set image deployment/web main=nginx:3'),
    $('set env deployment/web A=b'),
    $('rollout restart deployment web'),
    $('autoscale deployment web --max=5'),
    $('get hpa web -o yaml --show-managed-fields'),
    $('apply --server-side -f web.yaml'),
    // Custom resources.
    $('apply --server-side -f crd.yaml'),
    $('wait --for=condition=Established crd/boats.server-side.example.com'),
    $('apply --server-side -f boat.yaml', { retryUntil: 0 }),
    $('apply --server-side -f boat-2.yaml --field-manager=other'),
    $('apply --server-side -f boat-3.yaml --field-manager=other'),
    $('diff --server-side -f boat-3.yaml'),
    $('apply --server-side -f boat-3.yaml'),
    $('apply --server-side -f boat-odd.yaml'),
    $(managed('boat ada')),
    $('edit boat ada', { editor: 'sed -i s/captain/pilot/' }),
    $('patch boat ada --subresource=status --type=merge -p \'{"status":{"phase":"x"}}\''),
    $(managed('boats')),
    // Defaults of a kuberc file.
    $('apply -f one.yaml --kuberc=kuberc.yaml'),
    $('apply -f one.yaml --kuberc=kuberc.yaml --force-conflicts'),
    $('apply -f one.yaml --kuberc=kuberc.yaml --server-side=false'),
    $(managed('cm one')),
    $('delete -f crd.yaml'),
  ],
};
