/**
 * Well-known introductions to custom resources, step by step: the routes of a service mesh, a network in v1beta1, a
 * table of cron jobs, pools of nodes. The reference no longer serves v1beta1, so the steps that need it run only on our
 * server and are compared with the output in those texts.
 */
import { $, type Script } from '../script.ts';
import { requestLines } from '../views.ts';

const ROUTES = `apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata:
  name: virtualservices.networking.seeds.example
  annotations: {"helm.sh/hook": crd-install}
  labels: {app: pilot}
spec:
  group: networking.seeds.example
  scope: Namespaced
  version: v1alpha3
  versions:
  - {name: v1alpha3, served: true, storage: true}
  names:
    kind: VirtualService
    listKind: VirtualServiceList
    singular: virtualservice
    plural: virtualservices
    categories: [mesh, networking]
`;
const ROUTE = `apiVersion: networking.seeds.example/v1alpha3
kind: VirtualService
metadata: {name: hello}
spec:
  hosts: ["*"]
  gateways: [entrance]
  http:
  - match: [{uri: {exact: /greeting}}]
    route: [{destination: {host: hello, port: {number: 9080}}}]
`;
const NETWORKS = `apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: networks.seedcrd.k8s.io}
spec:
  group: seedcrd.k8s.io
  version: v1
  names: {kind: Network, plural: networks}
  scope: Namespaced
`;
const NETWORK = `apiVersion: seedcrd.k8s.io/v1
kind: Network
metadata: {name: first}
spec: {cidr: 10.1.0.0/16, gateway: 10.1.0.1}
`;
const CRON = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.seeds.example.io}
spec:
  group: seeds.example.io
  scope: Namespaced
  names: {plural: crontabs, singular: crontab, kind: CronTab, shortNames: [ct]}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              cronSpec: {type: string}
              image: {type: string}
              replicas: {type: integer}
`;
const CRONTAB = `apiVersion: seeds.example.io/v1
kind: CronTab
metadata: {name: nightly}
spec: {cronSpec: "0 3 * * *", image: hello, replicas: 1}
`;
const POOLS = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: nodepools.pools.seeds.example}
spec:
  group: pools.seeds.example
  scope: Cluster
  names: {plural: nodepools, singular: nodepool, kind: NodePool}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec: {type: object, required: [size], properties: {size: {type: integer, minimum: 1}, zone: {type: string}}}
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Zone, type: string, jsonPath: .spec.zone}
`;
const POOL = `apiVersion: pools.seeds.example/v1
kind: NodePool
metadata: {name: small}
spec: {size: 3, zone: east}
`;

/** Keeps the header and one definition, because there may be definitions of others. */
const one =
  (name: string) =>
  (text: string): string =>
    text
      .split('\n')
      .filter((line) => /^NAME/.test(line) || line.startsWith(name))
      .join('\n');

export const seeds: Script = {
  name: 'seeds',
  files: {
    'crd-virtualservice.yaml': ROUTES,
    'virtualservice.yaml': ROUTE,
    'network-crd.yaml': NETWORKS,
    'network.yaml': NETWORK,
    'crontab-crd.yaml': CRON,
    'crontab.yaml': CRONTAB,
    'nodepool-crd.yaml': POOLS,
    'nodepool.yaml': POOL,
  },
  steps: [
    $('apply -f crontab-crd.yaml'),
    $('wait --for=condition=Established crd/crontabs.seeds.example.io --timeout=10s'),
    $('get --raw /apis/seeds.example.io/v1/crontabs?limit=1', { retryUntil: 0, view: () => '' }),
    $('get crontabs.seeds.example.io'),
    $('get CronTab -v 6 --cache-dir=new', { errors: requestLines }),
    $('create -f crontab.yaml'),
    $('get ct'),
    $('get crontab nightly -o yaml'),
    $('get crontab'),
    $('create -f nodepool-crd.yaml'),
    $('wait --for=condition=Established crd/nodepools.pools.seeds.example --timeout=10s'),
    $('get --raw /apis/pools.seeds.example/v1/nodepools?limit=1', { retryUntil: 0, view: () => '' }),
    $('create -f nodepool.yaml --validate=false'),
    $('get nodepool'),
    $('get nodepools -o wide'),
    $('create -f network-crd.yaml', {
      expected: 'customresourcedefinition.apiextensions.k8s.io/networks.seedcrd.k8s.io created\n',
      errors: () => '',
    }),
    $('get CustomResourceDefinition', {
      view: one('networks.seedcrd.k8s.io'),
      expected: 'NAME  CREATED AT\nnetworks.seedcrd.k8s.io  <time>\n',
    }),
    $('get --raw /apis/seedcrd.k8s.io/v1/networks', { retryUntil: 0, view: () => '', expected: '' }),
    $('create -f network.yaml', { expected: 'network.seedcrd.k8s.io/first created\n' }),
    $('get networks.seedcrd.k8s.io -o name', { expected: 'network.seedcrd.k8s.io/first\n' }),
    $("get networks.seedcrd.k8s.io first -o jsonpath='{.spec}'", {
      expected: '{"cidr":"10.1.0.0/16","gateway":"10.1.0.1"}',
    }),
    $('patch crd networks.seedcrd.k8s.io --type=merge -p \'{"metadata":{"labels":{"a":"b"}}}\'', {
      expected: 'customresourcedefinition.apiextensions.k8s.io/networks.seedcrd.k8s.io patched\n',
      errors: () => '',
    }),
    $('create -f crd-virtualservice.yaml', {
      expected: 'customresourcedefinition.apiextensions.k8s.io/virtualservices.networking.seeds.example created\n',
      errors: () => '',
    }),
    $('get --raw /apis/networking.seeds.example/v1alpha3/virtualservices', {
      retryUntil: 0,
      view: () => '',
      expected: '',
    }),
    $('create -f virtualservice.yaml', { expected: 'virtualservice.networking.seeds.example/hello created\n' }),
    $('get virtualservice', { expected: 'NAME  AGE\nhello  <age>\n' }),
    $("get virtualservices hello -o jsonpath='{.spec.http[0].route[0].destination}'", {
      expected: '{"host":"hello","port":{"number":9080}}',
    }),
    $('delete crd networks.seedcrd.k8s.io virtualservices.networking.seeds.example', {
      expected:
        'customresourcedefinition.apiextensions.k8s.io "networks.seedcrd.k8s.io" deleted\ncustomresourcedefinition.apiextensions.k8s.io "virtualservices.networking.seeds.example" deleted\n',
      errors: () => '',
    }),
    $('delete crd crontabs.seeds.example.io nodepools.pools.seeds.example'),
  ],
};
