/** Reads: every form of `get`, watches, describe, explain, discovery. */
import { $, type Script } from '../script.ts';
import { builtInKinds, builtInNames, builtInVersions, requestLines, sortedJson, structure } from '../views.ts';

const THREE = `apiVersion: v1
kind: ConfigMap
metadata: {name: alpha, labels: {app: web, tier: front}}
data: {k: "3", text: "one\\ntwo\\n"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: beta, labels: {app: web, tier: back}, annotations: {note: hello}}
data: {k: "1"}
binaryData: {raw: AAEC}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: gamma, labels: {app: db}}
data: {k: "2"}
---
apiVersion: v1
kind: Secret
metadata: {name: hidden, labels: {app: web}}
stringData: {password: s3cret}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: robot}
secrets: [{name: hidden}]
imagePullSecrets: [{name: pull}]
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: leader}
spec: {holderIdentity: me, leaseDurationSeconds: 15, renewTime: "2024-05-06T07:08:09.123456Z"}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules:
- {apiGroups: [""], resources: [configmaps, secrets], verbs: [get, list]}
- {apiGroups: [""], resources: [configmaps], resourceNames: [alpha], verbs: [update]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: readers}
subjects:
- {kind: User, name: alice, apiGroup: rbac.authorization.k8s.io}
- {kind: Group, name: developers, apiGroup: rbac.authorization.k8s.io}
- {kind: ServiceAccount, name: robot, namespace: {{ns}}}
roleRef: {kind: Role, name: reader, apiGroup: rbac.authorization.k8s.io}
---
apiVersion: v1
kind: Event
metadata: {name: happened}
involvedObject: {apiVersion: v1, kind: ConfigMap, name: alpha, namespace: {{ns}}}
reason: Tested
message: it was tested
type: Warning
count: 2
firstTimestamp: "2024-05-06T07:08:09Z"
lastTimestamp: "2024-05-06T07:18:09Z"
source: {component: tester}
`;

const files = { 'three.yaml': THREE };
const setUp = $('create -f three.yaml');

export const get: Script = {
  name: 'get',
  files,
  steps: [
    setUp,
    ...[
      'cm',
      'configmap',
      'secrets',
      'sa',
      'leases',
      'roles',
      'rolebindings',
      'events',
      'ev',
      'events.events.k8s.io',
    ].map((kind) => $(`get ${kind}`)),
    ...['cm', 'secrets', 'sa', 'leases', 'rolebindings', 'events'].map((kind) => $(`get ${kind} -o wide`)),
    ...['cm,secrets,sa', 'cm/alpha secret/hidden', 'cm alpha beta', 'lease.coordination.k8s.io/leader'].map((what) =>
      $(`get ${what}`),
    ),
    $('get cm alpha -o yaml'),
    $('get cm alpha -o json'),
    $('get cm -o yaml'),
    $('get cm,sa -o json'),
    $('get cm -o name'),
    $('get cm,secret -o name'),
    $("get cm -o jsonpath='{.items[*].metadata.name}'"),
    $('get cm -o jsonpath=\'{range .items[*]}{.metadata.name}={.data.k}{"\\n"}{end}\''),
    $("get cm alpha -o jsonpath-as-json='{.data}'"),
    $("get cm -o go-template='{{range .items}}{{.metadata.name}} {{end}}'"),
    $("get cm alpha -o template --template='{{.data.k}}'"),
    $('get cm -o custom-columns=NAME:.metadata.name,K:.data.k,NOTE:.metadata.annotations.note'),
    $('get cm --show-labels'),
    $('get cm -L app,tier'),
    $('get cm --show-kind'),
    $('get cm --no-headers'),
    $('get cm --sort-by=.data.k'),
    $('get cm --sort-by=.metadata.name'),
    $('get cm --sort-by=.metadata.creationTimestamp --no-headers'),
    $('get cm -l app=web'),
    $("get cm -l 'app in (web),tier!=front'"),
    $("get cm -l '!tier'"),
    $('get cm -l app=none'),
    $('get cm -l app==='),
    $('get cm --field-selector metadata.name=beta'),
    $('get cm --field-selector metadata.name!=beta'),
    $('get cm --field-selector data.k=1'),
    $('get cm --chunk-size=1'),
    $('get cm --chunk-size=2 -o name'),
    $('get cm -A -l app=web'),
    $('get leases -A --field-selector metadata.namespace={{ns}}'),
    $('get cm missing'),
    $('get cm missing --ignore-not-found'),
    $('get cm alpha missing'),
    $('get nothing'),
    $('get cm/alpha/beta'),
    $('get secrets -n {{ns}}-missing'),
    $('get ns {{ns}}'),
    $('get ns {{ns}} -o yaml'),
    $('get ns {{ns}}-missing'),
    $('get clusterroles view edit'),
    $('get clusterrolebindings cluster-admin -o wide'),
    $('get clusterrole system:basic-user -o yaml'),
    $('get -f three.yaml'),
    $('get cm --raw /api/v1'),
    $('get --raw /healthz'),
    $('get --raw /readyz/ping'),
    $('get --raw /api/v1/namespaces/{{ns}}', { view: sortedJson }),
    $('get --raw /nothing'),
    $('get --raw /api/v1/namespaces/{{ns}}/configmaps/missing'),
    $('get cm --output=odd'),
    $('get cm alpha --show-managed-fields=false -o yaml'),
    $('get cm --subresource=status'),
    $('get ns {{ns}} --subresource=status'),
    $('get cm', { user: 'alice' }),
    $('get cm', { user: 'carol' }),
    $('get leases', { user: 'alice' }),
    $('get ns', { user: 'alice' }),
    $('get cm --as=alice'),
    $('get sa --as=eve --as-group=system:masters'),
    $('get cm --token=nobody'),
    $('get cm --request-timeout=5s'),
    $('get cm alpha --server-print=false'),
    $('get cm --server-print=false'),
  ],
};

export const watchScript: Script = {
  name: 'watch',
  files,
  steps: [
    setUp,
    $('get cm -w', { during: ['label cm alpha seen=1', 'create cm delta', 'delete cm delta'] }),
    $('get cm --watch-only', { during: ['label cm beta seen=1', 'annotate cm beta x=y'] }),
    $('get cm alpha -w -o name', { during: ['label cm alpha seen=2 --overwrite', 'label cm beta seen=2 --overwrite'] }),
    $('get cm -w -l seen=2 -o name', { during: ['label cm alpha seen=3 --overwrite'] }),
    $('get cm -w --output-watch-events', { during: ['create cm epsilon', 'delete cm epsilon'] }),
    $('get cm gamma -w -o json', { during: ['label cm gamma seen=1'] }),
    $('events -w', { during: ['create cm zeta'] }),
    $('get cm -A -w --field-selector metadata.name=alpha -l seen', { during: ['label cm alpha seen=4 --overwrite'] }),
  ],
};

export const describeScript: Script = {
  name: 'describe',
  files,
  steps: [
    setUp,
    ...[
      'cm alpha',
      'cm beta',
      'cm',
      'secret hidden',
      'sa robot',
      'lease leader',
      'role reader',
      'rolebinding readers',
      'event happened',
    ].map((what) => $(`describe ${what}`)),
    $('describe ns {{ns}}'),
    $('describe clusterrole view'),
    $('describe clusterrolebinding cluster-admin'),
    $('describe cm -l app=web'),
    $('describe cm/alpha secret/hidden'),
    $('describe cm missing'),
    $('describe cm al'),
    $('describe cm alpha --show-events=false'),
    $('describe -f three.yaml --show-events=false'),
    $('events'),
    $('events --for cm/alpha'),
    $('events --types=Warning -o name'),
    $('events --no-headers'),
    $('events -o yaml'),
  ],
};

const KINDS = [
  'cm',
  'secret',
  'sa',
  'ns',
  'lease',
  'event',
  'events.events.k8s.io',
  'role',
  'rolebinding',
  'clusterrole',
  'clusterrolebinding',
];

export const explain: Script = {
  name: 'explain',
  steps: [
    ...KINDS.map((kind) => $(`explain ${kind}`, { view: structure })),
    ...KINDS.map((kind) => $(`explain ${kind} --recursive`, { view: structure })),
    $('explain cm.metadata', { view: structure }),
    $('explain lease.spec.renewTime', { view: structure }),
    $('explain ns.spec.finalizers', { view: structure }),
    $('explain rolebinding.subjects.kind', { view: structure }),
    $('explain cm.odd'),
    $('explain odd'),
    $('explain cm --api-version=v1', { view: structure }),
    $('explain events --api-version=events.k8s.io/v1', { view: structure }),
    $('explain cm --output=plaintext-openapiv2', { view: structure }),
    $('explain selfsubjectaccessreview.spec --recursive', { view: structure }),
  ],
};

export const offers: Script = {
  name: 'offers',
  steps: [
    $('api-resources', { view: builtInKinds }),
    $('api-resources -o wide', { view: builtInKinds }),
    $('api-resources -o name', { view: builtInNames }),
    $('api-resources --no-headers --sort-by=kind', { view: builtInKinds }),
    $('api-resources --namespaced=true', { view: builtInKinds }),
    $('api-resources --namespaced=false', { view: builtInKinds }),
    $('api-resources --verbs=create,watch', { view: builtInKinds }),
    $('api-resources --api-group=rbac.authorization.k8s.io'),
    $('api-resources --api-group=coordination.k8s.io -o wide'),
    $('api-resources --api-group=nothing.example'),
    $('api-resources --categories=all', { view: builtInKinds }),
    $('api-versions', { view: builtInVersions }),
    $('version', { view: (text) => text.replace(/(Server Version: v1\.36)\.\S+/, '$1.x') }),
    $('cluster-info'),
    $('config view'),
    $('config current-context'),
    $('config get-contexts'),
    $('get cm -v 6', { errors: requestLines }),
    $('get leases,secrets -v 6', { errors: requestLines }),
    $('auth whoami -v 6', { errors: requestLines }),
    $('create cm verbose -v 6', { errors: requestLines }),
    $('delete cm verbose -v 6', { errors: requestLines }),
  ],
};
