/** Generators of network, scaling and disruption kinds. */
import type { JsonObject, JsonValue } from '../../../src/base/json-value.ts';
import { digit, flag, keyed, type Make, map, oneOf, plainList, struct, word } from '../../common/random-json.ts';
import type { Subject } from '../subject.ts';

/** Ports of a Service. Each has the name that its number and protocol give it, because several ports need names. */
const servicePorts: Make = (random) => {
  const ports = keyed(
    { '!port': digit, protocol: oneOf('TCP', 'UDP'), targetPort: oneOf(80, 'http') },
    'port',
    'protocol',
  )(random) as JsonObject[];
  return ports.map(
    (port): JsonValue => ({ ...port, name: `p${port['port']}-${String(port['protocol'] ?? 'TCP').toLowerCase()}` }),
  );
};

const condition = {
  '!status': oneOf('True', 'False'),
  '!reason': word,
  '!message': word,
  '!lastTransitionTime': oneOf('2001-01-01T00:00:00Z', '2001-01-01T00:00:01Z'),
};
const selector = struct({ matchLabels: map(word) });
const peer = struct({ '!podSelector': selector, namespaceSelector: selector });
const policyPort = struct({ port: oneOf(80, 'http'), protocol: oneOf('TCP', 'UDP') });
const backend = struct({
  '!service': struct({ '!name': word, '!port': oneOf({ number: 80 }, { name: 'http' }) }),
});
const target: JsonObject = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' };

export const NETWORK: readonly Subject[] = [
  {
    group: '',
    versions: ['v1'],
    plural: 'services',
    kind: 'Service',
    base: { spec: { ports: [{ port: 9, name: 'nine' }] } },
    part: () =>
      struct({
        '!spec': struct({
          ports: servicePorts,
          selector: map(word),
          externalIPs: oneOf([], ['10.3.0.1'], ['10.3.0.1', '10.3.0.2']),
          type: oneOf('ClusterIP', 'NodePort'),
          sessionAffinity: oneOf('None', 'ClientIP'),
          publishNotReadyAddresses: flag,
          internalTrafficPolicy: oneOf('Cluster', 'Local'),
        }),
      }),
    status: struct({ conditions: keyed({ '!type': oneOf('A', 'B'), ...condition }, 'type') }),
  },
  {
    group: 'networking.k8s.io',
    versions: ['v1'],
    plural: 'ingresses',
    kind: 'Ingress',
    base: { spec: { defaultBackend: { service: { name: 'a', port: { number: 80 } } } } },
    part: () =>
      struct({
        '!spec': struct({
          ingressClassName: word,
          defaultBackend: backend,
          rules: plainList(struct({ host: oneOf('a.example.com', 'b.example.com') })),
          tls: plainList(struct({ hosts: oneOf([], ['a.example.com']), secretName: word })),
        }),
      }),
    status: struct({ loadBalancer: struct({ ingress: plainList(struct({ '!ip': oneOf('10.4.0.1', '10.4.0.2') })) }) }),
  },
  {
    group: 'networking.k8s.io',
    versions: ['v1'],
    plural: 'networkpolicies',
    kind: 'NetworkPolicy',
    base: { spec: { podSelector: {} } },
    part: () =>
      struct({
        '!spec': struct({
          podSelector: selector,
          ingress: plainList(struct({ from: plainList(peer), ports: plainList(policyPort) })),
          egress: plainList(struct({ to: plainList(peer), ports: plainList(policyPort) })),
          policyTypes: oneOf(['Ingress'], ['Ingress', 'Egress']),
        }),
      }),
  },
  {
    group: 'autoscaling',
    versions: ['v1', 'v2'],
    plural: 'horizontalpodautoscalers',
    kind: 'HorizontalPodAutoscaler',
    base: { spec: { maxReplicas: 4, scaleTargetRef: target } },
    part: (version) =>
      struct({
        '!spec': struct({
          minReplicas: digit,
          maxReplicas: oneOf(3, 4, 5),
          ...(version === 'v1'
            ? { targetCPUUtilizationPercentage: oneOf(50, 60) }
            : {
                metrics: plainList(
                  struct({
                    '!type': () => 'Resource',
                    '!resource': struct({
                      '!name': oneOf('cpu', 'memory'),
                      '!target': () => ({ type: 'Utilization', averageUtilization: 50 }),
                    }),
                  }),
                ),
                behavior: struct({ scaleDown: struct({ stabilizationWindowSeconds: digit }) }),
              }),
        }),
      }),
    status: struct({ '!currentReplicas': digit, '!desiredReplicas': digit, observedGeneration: digit }),
  },
  {
    group: 'policy',
    versions: ['v1'],
    plural: 'poddisruptionbudgets',
    kind: 'PodDisruptionBudget',
    base: { spec: { selector: { matchLabels: { app: 'x' } } } },
    part: () =>
      struct({
        '!spec': struct({
          minAvailable: oneOf(1, '10%'),
          selector,
          unhealthyPodEvictionPolicy: oneOf('IfHealthyBudget', 'AlwaysAllow'),
        }),
      }),
    status: struct({
      '!currentHealthy': digit,
      '!desiredHealthy': digit,
      '!disruptionsAllowed': digit,
      '!expectedPods': digit,
      conditions: keyed({ '!type': oneOf('A', 'B'), ...condition }, 'type'),
      disruptedPods: map(() => '2001-01-01T00:00:00Z'),
    }),
  },
  {
    group: 'discovery.k8s.io',
    versions: ['v1'],
    plural: 'endpointslices',
    kind: 'EndpointSlice',
    base: { addressType: 'IPv4', endpoints: [] },
    part: () =>
      struct({
        endpoints: plainList(
          struct({ '!addresses': oneOf(['10.1.0.1'], ['10.1.0.2']), conditions: struct({ ready: flag }) }),
        ),
        ports: oneOf([], [{ name: 'a', port: 1 }], [{ name: 'a', port: 2, protocol: 'UDP' }]),
      }),
  },
];
