import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import { MetricRegistry } from '../../../base/metrics/metric-registry.ts';
import { attributesFor, listerOf, podWith, type TestAttributes, verdict } from '../admission.fixtures.ts';
import { formatViolations, violationsOf } from './evaluate.ts';
import { podSecurity } from './pod-security.ts';
import { createPodSecurityMetrics } from './pod-security-metrics.ts';
import { PREFIX, policyOf } from './policy.ts';

const LATEST = Number.POSITIVE_INFINITY;
const inContainer = (securityContext: JsonObject, more: JsonObject = {}): JsonObject => ({
  containers: [
    { name: 'a', image: 'i', securityContext },
    { name: 'b', image: 'i' },
  ],
  ...more,
});
const GOOD = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

describe('checks of pods', () => {
  const cases: readonly (readonly [
    level: 'baseline' | 'restricted',
    minor: number,
    spec: JsonObject,
    found: string,
  ])[] = [
    ['baseline', LATEST, {}, ''],
    ['baseline', LATEST, { hostNetwork: true, hostIPC: true }, 'host namespaces (hostNetwork=true, hostIPC=true)'],
    [
      'baseline',
      LATEST,
      inContainer({ privileged: true, capabilities: { add: ['SYS_ADMIN', 'CHOWN', 'BPF'] } }),
      'non-default capabilities (container "a" must not include "BPF", "SYS_ADMIN" in securityContext.capabilities.add), privileged (container "a" must not set securityContext.privileged=true)',
    ],
    ['baseline', LATEST, { volumes: [{ name: 'h', hostPath: {} }] }, 'hostPath volumes (volume "h")'],
    [
      'baseline',
      LATEST,
      { containers: [{ name: 'a', ports: [{ hostPort: 80 }, { hostPort: 9 }] }] },
      'hostPort (container "a" uses hostPorts 80, 9)',
    ],
    ['baseline', 33, { containers: [{ name: 'a', livenessProbe: { httpGet: { host: 'h' } } }] }, ''],
    [
      'baseline',
      34,
      { containers: [{ name: 'a', livenessProbe: { httpGet: { host: 'h' } } }] },
      'probe or lifecycle host (container "a" uses probe or lifecycle host "h")',
    ],
    [
      'baseline',
      30,
      { securityContext: { seLinuxOptions: { type: 'container_engine_t', user: 'u' } } },
      'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "container_engine_t"; user may not be set)',
    ],
    ['baseline', 31, { securityContext: { seLinuxOptions: { type: 'container_engine_t' } } }, ''],
    [
      'baseline',
      28,
      { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_fin_timeout' }] } },
      'forbidden sysctls (net.ipv4.tcp_fin_timeout)',
    ],
    ['baseline', 29, { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_fin_timeout' }] } }, ''],
    [
      'baseline',
      LATEST,
      inContainer({ appArmorProfile: { type: 'Unconfined' }, windowsOptions: { hostProcess: true } }),
      'forbidden AppArmor profile (container "a" must not set AppArmor profile type to "Unconfined"), hostProcess (container "a" must not set securityContext.windowsOptions.hostProcess=true)',
    ],
    [
      'restricted',
      LATEST,
      {},
      'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    ],
    ['restricted', 0, {}, 'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)'],
    ['restricted', LATEST, { containers: [{ name: 'c', securityContext: GOOD }] }, ''],
    [
      'restricted',
      LATEST,
      {
        containers: [{ name: 'c', securityContext: { ...GOOD, runAsUser: 0, runAsNonRoot: false } }],
        volumes: [
          { name: 'n', nfs: {} },
          { name: 'h', hostPath: {} },
          { name: 'e', emptyDir: {} },
        ],
      },
      'restricted volume types (volumes "n", "h" use restricted volume types "hostPath", "nfs"), runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false), runAsUser=0 (container "c" must not set runAsUser=0)',
    ],
    [
      'restricted',
      LATEST,
      {
        hostUsers: false,
        containers: [{ name: 'c', securityContext: { ...GOOD, runAsUser: 0, procMount: 'Unmasked' } }],
      },
      'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
    ],
    ['restricted', LATEST, { os: { name: 'windows' }, securityContext: { runAsNonRoot: true } }, ''],
  ];
  test.each(cases)('at %s:%d', (level, minor, spec, found) => {
    expect(formatViolations(violationsOf({ level, minor }, podWith(spec)))).toBe(found);
  });

  test('read annotations in versions without profile fields', () => {
    const annotations = { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' };
    const pod = podWith({}, { annotations });
    expect(formatViolations(violationsOf({ level: 'baseline', minor: 18 }, pod))).toBe(
      'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
    );
    expect(violationsOf({ level: 'baseline', minor: 19 }, pod)).toEqual([]);
  });
});

describe('labels of a namespace', () => {
  test('without a warn level warn at the enforced level', () => {
    expect(policyOf({ [`${PREFIX}enforce`]: 'baseline', [`${PREFIX}enforce-version`]: 'v1.20' }).policy.warn).toEqual({
      level: 'baseline',
      minor: 20,
    });
    const explicit = policyOf({ [`${PREFIX}enforce`]: 'baseline', [`${PREFIX}warn`]: 'privileged' });
    expect(explicit.policy.warn.level).toBe('privileged');
  });

  test('that are invalid enforce the strictest level and do not warn', () => {
    const { policy, issues } = policyOf({ [`${PREFIX}enforce`]: 'x', [`${PREFIX}warn`]: 'y' });
    expect(policy.enforce.level).toBe('restricted');
    expect(policy.warn.level).toBe('privileged');
    expect(issues).toHaveLength(2);
  });
});

describe('PodSecurity', () => {
  const namespace = (labels: JsonObject): JsonObject => ({ metadata: { name: 'ns', labels } });
  const plugin = (labels: JsonObject, pods: readonly JsonObject[] = []) =>
    podSecurity({ namespaces: listerOf(namespace(labels)), pods: () => ({ pods, total: pods.length }), now: () => 0 });
  const HOST = { hostPID: true };

  test('refuses pods that violate the enforced level, and annotates the audit event with it', () => {
    const attributes = attributesFor('CREATE', 'pods', podWith(HOST));
    expect(verdict(plugin({ [`${PREFIX}enforce`]: 'baseline' }), attributes)).toBe(
      'pods "p" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostPID=true)',
    );
    expect(attributes.annotations).toEqual({ [`${PREFIX}enforce-policy`]: 'baseline:latest' });
  });

  test('admits every pod into a namespace without labels', () => {
    const attributes = attributesFor('CREATE', 'pods', podWith(HOST));
    expect(verdict(plugin({}), attributes)).toBeUndefined();
    expect(attributes.annotations).toEqual({ [`${PREFIX}enforce-policy`]: 'privileged:latest' });
  });

  test('warns about workloads and audits violations, without refusing', () => {
    const deployment = { metadata: { name: 'd' }, spec: { template: podWith(HOST) } };
    const attributes = attributesFor('CREATE', 'deployments.apps', deployment);
    const labels = { [`${PREFIX}enforce`]: 'baseline', [`${PREFIX}audit`]: 'baseline' };
    expect(verdict(plugin(labels), attributes)).toBeUndefined();
    const said = 'would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)';
    expect(attributes.warnings).toEqual([said]);
    expect(attributes.annotations).toEqual({ [`${PREFIX}audit-violations`]: said });
  });

  test('checks updates that change an image', () => {
    const update = (image: string): string | undefined => {
      const pod = podWith({ ...HOST, containers: [{ name: 'c', image }] });
      return verdict(
        plugin({ [`${PREFIX}enforce`]: 'baseline' }),
        attributesFor('UPDATE', 'pods', pod, { oldObject: podWith(HOST) }),
      );
    };
    expect(update('i')).toBeUndefined();
    expect(update('j')).toContain('violates PodSecurity');
  });

  test('counts evaluations and errors', async () => {
    const registry = new MetricRegistry();
    const metrics = createPodSecurityMetrics(registry);
    const labels: Record<string, JsonObject> = {
      ns: { [`${PREFIX}enforce`]: 'baseline', [`${PREFIX}audit`]: 'restricted', [`${PREFIX}audit-version`]: 'v1.99' },
      old: { [`${PREFIX}enforce`]: 'baseline', [`${PREFIX}enforce-version`]: 'v1.20' },
      broken: { [`${PREFIX}enforce`]: 'x' },
      open: {},
    };
    const namespaces = listerOf(
      ...Object.entries(labels).map(([name, values]) => ({ metadata: { name, labels: values } })),
    );
    const counted = podSecurity({ namespaces, pods: () => ({ pods: [], total: 0 }), now: () => 0, metrics });
    const create = (namespace: string, resource: string, object: JsonObject): unknown =>
      verdict(counted, attributesFor('CREATE', resource, object, { namespace }));
    create('ns', 'pods', podWith(HOST));
    create('old', 'pods', podWith({}));
    create('open', 'pods', podWith(HOST));
    create('broken', 'pods', podWith({}));
    create('missing', 'pods', podWith({}));
    create('ns', 'deployments.apps', { metadata: { name: 'd' }, spec: { template: podWith(HOST) } });
    const lines = registry.print().split('\n');
    const series = (name: string): readonly string[] =>
      lines.flatMap((line) => (line.startsWith(`${name}{`) ? [line.slice(name.length).replaceAll('"', '')] : []));
    expect(series('pod_security_evaluations_total')).toEqual([
      '{decision=allow,mode=enforce,policy_level=baseline,policy_version=v1.20,request_operation=create,resource=pod,subresource=} 1',
      '{decision=allow,mode=enforce,policy_level=privileged,policy_version=latest,request_operation=create,resource=pod,subresource=} 1',
      '{decision=allow,mode=enforce,policy_level=privileged,policy_version=latest,request_operation=update,resource=pod,subresource=} 0',
      '{decision=deny,mode=audit,policy_level=restricted,policy_version=future,request_operation=create,resource=controller,subresource=} 1',
      '{decision=deny,mode=audit,policy_level=restricted,policy_version=future,request_operation=create,resource=pod,subresource=} 1',
      '{decision=deny,mode=enforce,policy_level=baseline,policy_version=latest,request_operation=create,resource=pod,subresource=} 1',
      '{decision=deny,mode=enforce,policy_level=restricted,policy_version=latest,request_operation=create,resource=pod,subresource=} 1',
      '{decision=deny,mode=warn,policy_level=baseline,policy_version=latest,request_operation=create,resource=controller,subresource=} 1',
    ]);
    expect(series('pod_security_errors_total')).toEqual([
      '{fatal=false,request_operation=create,resource=pod,subresource=} 1',
      '{fatal=true,request_operation=create,resource=pod,subresource=} 1',
    ]);
    expect(series('pod_security_exemptions_total')).toHaveLength(4);
  });

  const relabel = (from: JsonObject, to: JsonObject): TestAttributes =>
    attributesFor('UPDATE', 'namespaces', namespace(to), {
      oldObject: namespace(from),
      kind: { group: '', version: 'v1', kind: 'Namespace' },
    });

  test('refuses invalid labels, unless they are unchanged', () => {
    const bad = { [`${PREFIX}enforce`]: 'strict' };
    expect(verdict(plugin({}), relabel({}, bad))).toBe(
      'Namespace "ns" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted',
    );
    expect(verdict(plugin({}), relabel(bad, { ...bad, more: 'x' }))).toBeUndefined();
  });

  test('warns of existing pods that violate a stricter level', () => {
    const pod = (name: string, spec: JsonObject, owner?: string): JsonObject =>
      podWith(spec, { name, ...(owner === undefined ? {} : { ownerReferences: [{ uid: owner, controller: true }] }) });
    const pods = [
      pod('z', HOST, 'o'),
      pod('b', HOST, 'o'),
      pod('fine', {}),
      pod('h', { volumes: [{ name: 'v', hostPath: {} }] }),
    ];
    const stricter = relabel({}, { [`${PREFIX}enforce`]: 'baseline' });
    verdict(plugin({}, pods), stricter);
    expect(stricter.warnings).toEqual([
      'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"',
      'b (and 1 other pod): host namespaces',
      'h: hostPath volumes',
    ]);
    const laxer = relabel({ [`${PREFIX}enforce`]: 'restricted' }, { [`${PREFIX}enforce`]: 'baseline' });
    verdict(plugin({}, pods), laxer);
    expect(laxer.warnings).toEqual([]);
  });
});
