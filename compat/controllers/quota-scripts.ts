/** ResourceQuotas whose status a loop keeps: limits that change, objects that go, pods that end, scopes, custom resources. */
import { $, type Script, type Step } from '../kubectl/script.ts';

/** The loop that the scripts need. */
export const QUOTA_LOOP = 'resourcequota-controller';
/** Limits of custom resources are counted at a resync, after the manager has seen their definition. */
export const QUOTA_FLAGS: readonly string[] = ['--resource-quota-sync-period=5s'];

/** Waits until the usage of a limit has this value. */
function used(quota: string, limit: string, value: string, seconds = 15): Step {
  const path = limit.replaceAll('.', '\\.').replaceAll('/', '\\/');
  return $(`wait quota/${quota} --for=jsonpath='{.status.used.${path}}'=${value} --timeout=${seconds}s`);
}

function pod(name: string, resources: string, spec = ''): string {
  return `apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec: {serviceAccountName: builder, ${spec} containers: [{name: c, image: i, resources: ${resources}}]}
`;
}

const CLAIMS = ['gold', 'tin']
  .map(
    (name) => `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: ${name}}
spec: {storageClassName: ${name}, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1.5Gi}}}
`,
  )
  .join('---\n');
const SERVICE = `apiVersion: v1
kind: Service
metadata: {name: web}
spec: {type: LoadBalancer, ports: [{name: a, port: 80}, {name: b, port: 81}]}
`;
const LIMITS = [
  'pods=5',
  'count/pods=9',
  'requests.cpu=4',
  'limits.cpu=4',
  'requests.memory=4Gi',
  'requests.example.com/gpu=4',
  'services=5',
  'services.nodeports=5',
  'services.loadbalancers=2',
  'persistentvolumeclaims=4',
  'requests.storage=10Gi',
  'gold.storageclass.storage.k8s.io/requests.storage=5Gi',
  'secrets=3',
  'count/deployments.apps=3',
  'resourcequotas=4',
].join(',');
const STATUS = "get quota all -o jsonpath='{.status}'";

export const QUOTAS: Script = {
  name: 'quotas',
  files: {
    'one.yaml': pod('one', '{requests: {cpu: 500m, memory: 1Gi}, limits: {cpu: 1}}'),
    'two.yaml': pod(
      'two',
      '{requests: {cpu: 250m, memory: 512Mi, example.com/gpu: 1}, limits: {cpu: 1, example.com/gpu: 1}}',
    ),
    'bounded.yaml': pod('bounded', '{requests: {cpu: 1, memory: 1Mi}, limits: {cpu: 1}}', 'activeDeadlineSeconds: 60,'),
    'plain.yaml': pod('plain', '{}'),
    'claims.yaml': CLAIMS,
    'service.yaml': SERVICE,
  },
  steps: [
    // Objects that exist before the quota.
    $('create serviceaccount builder'),
    $('create -f one.yaml -f claims.yaml -f service.yaml'),
    $(`create quota all --hard=${LIMITS}`),
    used('all', 'pods', '1'),
    $(STATUS),
    $('describe quota all'),
    // Usage that admission adds.
    $('create -f two.yaml'),
    $('create secret generic s --from-literal=a=b'),
    $('create deployment d --image=i --replicas=0'),
    $(STATUS),
    $('create -f plain.yaml'),
    // Usage that drops.
    $('patch pod one --subresource=status --type=merge -p \'{"status":{"phase":"Succeeded"}}\''),
    used('all', 'pods', '1'),
    $(STATUS),
    $('delete pod two --now'),
    used('all', 'pods', '0'),
    $(STATUS),
    $('delete pvc gold --wait=false'),
    $('patch pvc gold --type=merge -p \'{"metadata":{"finalizers":null}}\''),
    used('all', 'persistentvolumeclaims', '1'),
    $('patch svc web --type=merge -p \'{"spec":{"type":"ClusterIP"}}\''),
    used('all', 'services.loadbalancers', '0'),
    $('delete secret/s deployment/d svc/web'),
    used('all', 'services', '0'),
    used('all', 'secrets', '0'),
    used('all', 'count/deployments.apps', '0'),
    $(STATUS),
    // Limits that change.
    $('patch quota all --type=merge -p \'{"spec":{"hard":{"pods":"7","secrets":null,"count/configmaps":"3"}}}\''),
    used('all', 'count/configmaps', '0'),
    $(STATUS),
    $('get quota all -o yaml --show-managed-fields'),
    // Scopes.
    $('delete quota all'),
    $('create -f plain.yaml -f bounded.yaml -f two.yaml'),
    $('create quota best-effort --hard=pods=5 --scopes=BestEffort'),
    $('create quota bounded --hard=pods=5,requests.cpu=5 --scopes=Terminating'),
    $('create quota others --hard=pods=5,requests.cpu=5 --scopes=NotBestEffort,NotTerminating'),
    used('best-effort', 'pods', '1'),
    used('bounded', 'requests.cpu', '1'),
    used('others', 'requests.cpu', '250m'),
    $('patch pod two --type=merge -p \'{"spec":{"activeDeadlineSeconds":60}}\''),
    used('others', 'pods', '0'),
    used('bounded', 'pods', '2'),
    $('delete pod plain bounded --now'),
    used('best-effort', 'pods', '0'),
    used('bounded', 'pods', '1'),
    $('get quota -o jsonpath=\'{range .items[*]}{.status}{"\\n"}{end}\''),
  ],
};

const DEFINITION = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.quota.example.com}
spec:
  group: quota.example.com
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`;
const GADGET = `apiVersion: quota.example.com/v1
kind: Gadget
metadata: {name: g}
`;
const GADGETS = 'count/gadgets.quota.example.com';

export const CUSTOM_QUOTAS: Script = {
  name: 'custom-quotas',
  files: { 'definition.yaml': DEFINITION, 'gadget.yaml': GADGET, 'other.yaml': GADGET.replace('name: g', 'name: h') },
  steps: [
    $('create -f definition.yaml'),
    $('wait crd/gadgets.quota.example.com --for=condition=Established --timeout=15s'),
    $(`create quota gadgets --hard=${GADGETS}=1`),
    used('gadgets', GADGETS, '0', 180),
    $('create -f gadget.yaml'),
    $('create -f other.yaml'),
    $('delete -f gadget.yaml'),
    used('gadgets', GADGETS, '0'),
    $('create -f other.yaml'),
    $("get quota gadgets -o jsonpath='{.status}'"),
    $('delete -f definition.yaml'),
  ],
};
