/** Services and related kinds, ingresses, network policies, nodes. */
import type { JsonDict } from '../../crds/schema.ts';
import type { Subject } from '../subject.ts';

const META: JsonDict = { labels: { app: 'x' }, annotations: { 'example.com/note': 'a note' } };
const CONDITION: JsonDict = {
  type: 'Ready',
  status: 'True',
  observedGeneration: 1,
  lastTransitionTime: '2024-01-01T00:00:00Z',
  reason: 'Good',
  message: 'fine',
};
const LOAD_BALANCER: JsonDict = {
  ingress: [
    { ip: '192.0.2.10', ipMode: 'VIP', ports: [{ port: 80, protocol: 'TCP' }] },
    { hostname: 'lb.example.com', ports: [{ port: 443, protocol: 'TCP', error: 'Broken' }] },
  ],
};
const BACKEND: JsonDict = { service: { name: 'web', port: { number: 80 } } };

export const NETWORK: readonly Subject[] = [
  {
    group: '',
    version: 'v1',
    plural: 'services',
    kind: 'Service',
    variants: [
      { name: 'minimal', object: { spec: { ports: [{ port: 80 }] } } },
      {
        name: 'full',
        object: {
          metadata: META,
          spec: {
            type: 'NodePort',
            selector: { app: 'x' },
            ports: [
              {
                name: 'http',
                port: 80,
                targetPort: 'web',
                protocol: 'TCP',
                appProtocol: 'kubernetes.io/h2c',
                nodePort: 30012,
              },
              { name: 'dns', port: 53, targetPort: 5353, protocol: 'UDP' },
            ],
            externalIPs: ['192.0.2.1'],
            sessionAffinity: 'ClientIP',
            sessionAffinityConfig: { clientIP: { timeoutSeconds: 600 } },
            externalTrafficPolicy: 'Local',
            internalTrafficPolicy: 'Local',
            publishNotReadyAddresses: true,
            ipFamilyPolicy: 'PreferDualStack',
            trafficDistribution: 'PreferClose',
          },
        },
      },
      {
        name: 'balancer',
        object: {
          spec: {
            type: 'LoadBalancer',
            ports: [{ port: 443 }],
            selector: { app: 'x' },
            loadBalancerIP: '192.0.2.2',
            loadBalancerClass: 'example.com/lb',
            loadBalancerSourceRanges: ['198.51.100.0/24'],
            allocateLoadBalancerNodePorts: false,
            externalTrafficPolicy: 'Local',
            healthCheckNodePort: 30013,
          },
        },
        status: { loadBalancer: LOAD_BALANCER, conditions: [CONDITION] },
      },
      { name: 'headless', object: { spec: { clusterIP: 'None', selector: { app: 'x' }, ports: [{ port: 1 }] } } },
      { name: 'bare-headless', object: { spec: { clusterIP: 'None' } } },
      {
        name: 'external',
        object: { spec: { type: 'ExternalName', externalName: 'db.example.com', ports: [{ port: 5432 }] } },
      },
      {
        name: 'fixed',
        object: {
          spec: { clusterIP: '10.0.0.7', clusterIPs: ['10.0.0.7'], ipFamilies: ['IPv4'], ports: [{ port: 9 }] },
        },
      },
    ],
    extras: [
      { title: 'GET proxy', method: 'GET', path: '{}/proxy/' },
      {
        title: 'PATCH type to LoadBalancer',
        method: 'PATCH',
        path: '{}',
        type: 'application/merge-patch+json',
        body: { spec: { type: 'LoadBalancer' } },
      },
      {
        title: 'PATCH type to NodePort',
        method: 'PATCH',
        path: '{}',
        type: 'application/merge-patch+json',
        body: { spec: { type: 'NodePort' } },
      },
      {
        title: 'PATCH type to ClusterIP',
        method: 'PATCH',
        path: '{}',
        type: 'application/merge-patch+json',
        body: { spec: { type: 'ClusterIP' } },
      },
      {
        title: 'PATCH type to ExternalName',
        method: 'PATCH',
        path: '{}',
        type: 'application/merge-patch+json',
        body: { spec: { type: 'ExternalName', externalName: 'x.example.com', clusterIP: '' } },
      },
      {
        title: 'PATCH ClusterIP from ExternalName',
        method: 'PATCH',
        path: '{}',
        type: 'application/merge-patch+json',
        body: { spec: { type: 'ClusterIP', externalName: '' } },
      },
    ],
  },
  {
    group: '',
    version: 'v1',
    plural: 'endpoints',
    kind: 'Endpoints',
    variants: [
      { name: 'minimal', object: {} },
      {
        name: 'full',
        object: {
          metadata: META,
          subsets: [
            {
              addresses: [
                {
                  ip: '10.1.1.2',
                  hostname: 'b',
                  nodeName: 'node-1',
                  targetRef: { kind: 'Pod', name: 'x', namespace: 'y' },
                },
                { ip: '10.1.1.1' },
              ],
              notReadyAddresses: [{ ip: '2001:db8::1' }],
              ports: [
                { name: 'http', port: 80, protocol: 'TCP', appProtocol: 'http' },
                { name: 'dns', port: 53, protocol: 'UDP' },
              ],
            },
            { addresses: [{ ip: '10.1.1.3' }], ports: [{ port: 81 }] },
          ],
        },
      },
    ],
  },
  {
    group: 'discovery.k8s.io',
    version: 'v1',
    plural: 'endpointslices',
    kind: 'EndpointSlice',
    variants: [
      { name: 'minimal', object: { addressType: 'IPv4', endpoints: [] } },
      {
        name: 'full',
        object: {
          metadata: { ...META, labels: { 'kubernetes.io/service-name': 'web' } },
          addressType: 'IPv4',
          endpoints: [
            {
              addresses: ['10.1.1.1'],
              conditions: { ready: true, serving: true, terminating: false },
              hostname: 'a',
              targetRef: { kind: 'Pod', name: 'x', namespace: 'y', uid: 'u' },
              nodeName: 'node-1',
              zone: 'z1',
              hints: { forZones: [{ name: 'z1' }], forNodes: [{ name: 'node-1' }] },
              deprecatedTopology: { 'example.com/rack': 'r1' },
            },
            { addresses: ['10.1.1.2'] },
          ],
          ports: [
            { name: 'http', protocol: 'TCP', port: 80, appProtocol: 'http' },
            { name: 'dns', protocol: 'UDP', port: 53 },
          ],
        },
      },
      {
        name: 'fqdn',
        object: { addressType: 'FQDN', endpoints: [{ addresses: ['a.example.com'] }], ports: [{ port: 80 }] },
      },
      { name: 'six', object: { addressType: 'IPv6', endpoints: [{ addresses: ['2001:db8::1'] }] } },
    ],
  },
  {
    group: 'networking.k8s.io',
    version: 'v1',
    plural: 'ingresses',
    kind: 'Ingress',
    variants: [
      { name: 'minimal', object: { spec: { defaultBackend: BACKEND } } },
      {
        name: 'full',
        object: {
          metadata: META,
          spec: {
            ingressClassName: 'nginx',
            defaultBackend: { resource: { apiGroup: 'example.com', kind: 'Bucket', name: 'static' } },
            tls: [{ hosts: ['a.example.com', '*.b.example.com'], secretName: 'tls' }],
            rules: [
              {
                host: 'a.example.com',
                http: {
                  paths: [
                    { path: '/exact', pathType: 'Exact', backend: BACKEND },
                    {
                      path: '/prefix',
                      pathType: 'Prefix',
                      backend: { service: { name: 'web', port: { name: 'http' } } },
                    },
                    { pathType: 'ImplementationSpecific', backend: BACKEND },
                  ],
                },
              },
              { host: '*.b.example.com' },
            ],
          },
        },
        status: {
          loadBalancer: {
            ingress: [{ ip: '192.0.2.10', ports: [{ port: 80, protocol: 'TCP' }] }, { hostname: 'lb.example.com' }],
          },
        },
      },
    ],
  },
  {
    group: 'networking.k8s.io',
    version: 'v1',
    plural: 'ingressclasses',
    kind: 'IngressClass',
    clusterScoped: true,
    variants: [
      { name: 'kinds-minimal', object: { spec: { controller: 'example.com/controller' } } },
      {
        name: 'kinds-full',
        object: {
          metadata: META,
          spec: {
            controller: 'example.com/controller',
            parameters: { apiGroup: 'example.com', kind: 'Parameters', name: 'p', scope: 'Namespace', namespace: 'n' },
          },
        },
      },
      {
        name: 'kinds-cluster',
        object: { spec: { controller: 'example.com/x', parameters: { kind: 'Parameters', name: 'p' } } },
      },
    ],
  },
  {
    group: 'networking.k8s.io',
    version: 'v1',
    plural: 'networkpolicies',
    kind: 'NetworkPolicy',
    variants: [
      { name: 'minimal', object: { spec: { podSelector: {} } } },
      { name: 'egress', object: { spec: { podSelector: {}, egress: [{}] } } },
      {
        name: 'full',
        object: {
          metadata: META,
          spec: {
            podSelector: {
              matchLabels: { app: 'x' },
              matchExpressions: [{ key: 'tier', operator: 'In', values: ['a'] }],
            },
            policyTypes: ['Ingress', 'Egress'],
            ingress: [
              {
                ports: [
                  { protocol: 'TCP', port: 80 },
                  { protocol: 'UDP', port: 'dns' },
                  { port: 1000, endPort: 2000 },
                ],
                from: [
                  { podSelector: { matchLabels: { app: 'y' } }, namespaceSelector: { matchLabels: { team: 'a' } } },
                  { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } },
                ],
              },
            ],
            egress: [{ to: [{ namespaceSelector: {} }], ports: [{ protocol: 'SCTP', port: 7 }] }],
          },
        },
      },
    ],
  },
  {
    group: 'networking.k8s.io',
    version: 'v1',
    plural: 'ipaddresses',
    kind: 'IPAddress',
    clusterScoped: true,
    variants: [
      { name: '192.0.2.55', object: { spec: { parentRef: { resource: 'services', name: 'x' } } } },
      {
        name: '2001:db8::55',
        object: {
          metadata: META,
          spec: { parentRef: { group: 'example.com', resource: 'things', namespace: 'n', name: 'x' } },
        },
      },
    ],
  },
  {
    group: 'networking.k8s.io',
    version: 'v1',
    plural: 'servicecidrs',
    kind: 'ServiceCIDR',
    clusterScoped: true,
    alone: true,
    variants: [
      { name: 'kinds-minimal', object: { spec: { cidrs: ['192.168.40.0/24'] } } },
      {
        name: 'kinds-full',
        object: { metadata: META, spec: { cidrs: ['192.168.41.0/24', '2001:db8:41::/112'] } },
        status: { conditions: [CONDITION] },
      },
    ],
  },
  {
    group: '',
    version: 'v1',
    plural: 'nodes',
    kind: 'Node',
    clusterScoped: true,
    variants: [
      { name: 'kinds-minimal', object: {} },
      {
        name: 'kinds-full',
        object: {
          metadata: { ...META, labels: { 'kubernetes.io/os': 'linux', 'node-role.kubernetes.io/worker': '' } },
          spec: {
            podCIDR: '10.244.1.0/24',
            podCIDRs: ['10.244.1.0/24'],
            providerID: 'cloud://1',
            unschedulable: true,
            taints: [
              { key: 'dedicated', value: 'db', effect: 'NoSchedule' },
              { key: 'gone', effect: 'NoExecute', timeAdded: '2024-01-01T00:00:00Z' },
            ],
            configSource: { configMap: { name: 'c', namespace: 'n', kubeletConfigKey: 'kubelet' } },
          },
        },
        status: {
          capacity: { cpu: '4', memory: '8Gi', pods: '110', 'example.com/gpu': '1' },
          allocatable: { cpu: '3', memory: '7Gi', pods: '110' },
          phase: 'Running',
          conditions: [
            {
              type: 'Ready',
              status: 'True',
              reason: 'KubeletReady',
              message: 'm',
              lastHeartbeatTime: '2024-01-01T00:00:00Z',
              lastTransitionTime: '2024-01-01T00:00:00Z',
            },
          ],
          addresses: [
            { type: 'InternalIP', address: '192.168.1.1' },
            { type: 'ExternalIP', address: '192.0.2.1' },
            { type: 'Hostname', address: 'node' },
          ],
          daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
          nodeInfo: {
            machineID: 'm',
            systemUUID: 's',
            bootID: 'b',
            kernelVersion: '6.1',
            osImage: 'Debian',
            containerRuntimeVersion: 'containerd://2',
            kubeletVersion: 'v1.36.3',
            kubeProxyVersion: '',
            operatingSystem: 'linux',
            architecture: 'amd64',
          },
          images: [{ names: ['a:1', 'a@sha256:1'], sizeBytes: 1000 }],
          volumesInUse: ['v'],
          volumesAttached: [{ name: 'v', devicePath: '/dev/x' }],
        },
      },
    ],
    extras: [{ title: 'GET proxy', method: 'GET', path: '{}/proxy/healthz' }],
  },
];
