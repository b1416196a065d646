import { describe, expect, test } from 'vitest';
import { cloneJson, type JsonObject } from '../../../../base/json-value.ts';
import { setPodDefaults, setTemplateDefaults } from './pod-defaults.ts';
import { qosClassOf } from './pod-resources.ts';

const withDefaults = (spec: JsonObject, status?: JsonObject): JsonObject => {
  const pod: JsonObject = { spec: cloneJson(spec), ...(status === undefined ? undefined : { status }) };
  setPodDefaults(pod);
  const again = cloneJson(pod);
  setPodDefaults(again);
  expect(again).toEqual(pod);
  return pod;
};
const container = (more: JsonObject): JsonObject => ({ containers: [{ name: 'c', image: 'i:1', ...more }] });

test('a template gets the defaults of the spec without those of a Pod', () => {
  const template: JsonObject = {
    metadata: { annotations: { 'pod.beta.kubernetes.io/init-containers': 'x', kept: 'y' } },
    spec: {
      ...container({ resources: { limits: { cpu: '1' } }, ports: [{ containerPort: 80 }] }),
      hostNetwork: true,
      serviceAccount: 'old',
    },
  };
  setTemplateDefaults(template);
  expect(template).toEqual({
    metadata: { annotations: { kept: 'y' } },
    spec: {
      containers: [
        {
          name: 'c',
          image: 'i:1',
          imagePullPolicy: 'IfNotPresent',
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          resources: { limits: { cpu: '1' } },
          ports: [{ containerPort: 80, protocol: 'TCP' }],
        },
      ],
      hostNetwork: true,
      serviceAccount: 'old',
      serviceAccountName: 'old',
      dnsPolicy: 'ClusterFirst',
      restartPolicy: 'Always',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
      schedulerName: 'default-scheduler',
    },
  });
});

describe('a Pod', () => {
  test('has requests equal to its limits, and host ports on the host network', () => {
    const spec = {
      ...container({
        resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } },
        ports: [{ containerPort: 80 }],
      }),
      hostNetwork: true,
      terminationGracePeriodSeconds: -5,
    };
    expect(withDefaults(spec)['spec']).toMatchObject({
      enableServiceLinks: true,
      terminationGracePeriodSeconds: 1,
      containers: [{ resources: { requests: { cpu: '500m', memory: '1Gi' } }, ports: [{ hostPort: 80 }] }],
    });
  });

  test('has default values in probes, hooks and sources of variables', () => {
    const spec = container({
      livenessProbe: { httpGet: { port: 80 } },
      readinessProbe: { grpc: { port: 80 }, periodSeconds: 2 },
      lifecycle: { preStop: { httpGet: { port: 80, path: '/x' } } },
      env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    });
    const counts = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
    expect(withDefaults(spec)['spec']).toMatchObject({
      containers: [
        {
          livenessProbe: { ...counts, httpGet: { port: 80, path: '/', scheme: 'HTTP' } },
          readinessProbe: { ...counts, periodSeconds: 2, grpc: { port: 80, service: '' } },
          lifecycle: { preStop: { httpGet: { port: 80, path: '/x', scheme: 'HTTP' } } },
          env: [{ valueFrom: { fieldRef: { apiVersion: 'v1' } } }],
        },
      ],
    });
  });

  test('has pod-level requests from its containers, sidecars included', () => {
    const requests = (cpu: string): JsonObject => ({ resources: { requests: { cpu } } });
    const spec = {
      containers: [{ name: 'a', ...requests('1') }],
      initContainers: [
        { name: 's', restartPolicy: 'Always', ...requests('500m') },
        { name: 'i', ...requests('2') },
      ],
      resources: { limits: { cpu: '4', memory: '1Gi' } },
    };
    expect(withDefaults(spec)['spec']).toMatchObject({ resources: { requests: { cpu: '2500m', memory: '1Gi' } } });
  });

  test('has the same address in podIP and podIPs', () => {
    expect(withDefaults({}, { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.2' }] })['status']).toEqual({
      podIP: '10.0.0.1',
      podIPs: [{ ip: '10.0.0.1' }],
    });
    expect(withDefaults({}, { podIPs: [{ ip: '10.0.0.2' }] })['status']).toMatchObject({ podIP: '10.0.0.2' });
  });
});

test.each([
  ['BestEffort', {}, {}],
  ['Burstable', { requests: { cpu: '1' } }, {}],
  ['Burstable', { requests: { cpu: '1', memory: '1' }, limits: { cpu: '2', memory: '1' } }, {}],
  ['Guaranteed', { requests: { cpu: '1', memory: '1' }, limits: { cpu: '1', memory: '1' } }, {}],
  ['BestEffort', { requests: { 'example.com/x': '1' } }, {}],
  ['Guaranteed', {}, { resources: { requests: { cpu: '1', memory: '1' }, limits: { cpu: '1', memory: '1' } } }],
  ['Burstable', { limits: { cpu: '1', memory: '1' } }, { resources: { limits: { cpu: '1' } } }],
])('a pod has the QoS class %s with %j, %j', (expected, resources, own: JsonObject) => {
  expect(qosClassOf({ containers: [{ resources }], ...own })).toBe(expected);
});
