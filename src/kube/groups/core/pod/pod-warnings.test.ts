import { expect, test } from 'vitest';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { cloneJson, type JsonObject } from '../../../../base/json-value.ts';
import { podTemplateWarnings, setPodTemplateDefaults } from './pod-template-spec.ts';
import { podCreateWarnings } from './pod-warnings.ts';

const ANNOTATIONS: JsonObject = {
  'security.alpha.kubernetes.io/sysctls': 'x',
  'seccomp.security.alpha.kubernetes.io/pod': 'runtime/default',
  'container.seccomp.security.alpha.kubernetes.io/c': 'runtime/default',
  'container.apparmor.security.beta.kubernetes.io/c': 'runtime/default',
};

/** A template with every problem that kube-apiserver warns about. */
const SPEC: JsonObject = JSON.parse(
  `{"containers": [{"name": "c", "image": "i", "env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}, {"name": "A", "value": "x$(A)"}], "ports": [{"containerPort": 80, "name": "p"}, {"containerPort": 80, "hostPort": 8080, "hostIP": "1.1.1.1"}, {"containerPort": 81, "hostIP": "1.1.1.1"}], "resources": {"limits": {"memory": "500m"}, "requests": {"memory": "100m"}}}], "initContainers": [{"name": "s", "image": "i", "restartPolicy": "Always", "ports": [{"containerPort": 80, "name": "p"}]}], "nodeSelector": {"beta.kubernetes.io/os": "linux"}, "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "beta.kubernetes.io/arch", "operator": "Exists"}]}]}, "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["-bad"]}]}}]}, "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "z"}]}}, "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "failure-domain.beta.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway"}], "volumes": [{"name": "g", "gitRepo": {"repository": "r"}}, {"name": "m", "configMap": {"name": "m", "items": [{"key": "a", "path": "x"}, {"key": "b", "path": "x/y"}]}}, {"name": "p", "projected": {"sources": [{"secret": {"name": "s", "items": [{"key": "k", "path": "f"}]}}, {"downwardAPI": {"items": [{"path": "f/g", "fieldRef": {"fieldPath": "metadata.name"}}]}}]}}, {"name": "rb", "rbd": {"monitors": ["a"], "image": "x"}}], "hostAliases": [{"ip": "1.1.1.1", "hostnames": ["a"]}, {"ip": "1.1.1.1", "hostnames": ["b"]}], "imagePullSecrets": [{"name": ""}, {"name": "x"}, {"name": "x"}], "dnsConfig": {"nameservers": ["2001:DB8::1"]}, "overhead": {"memory": "100m"}, "terminationGracePeriodSeconds": -1}`,
) as JsonObject;

/** The warnings of kube-apiserver for a PodTemplate. */
const WARNINGS = [
  'template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
  'template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/arch is deprecated since v1.14; use "kubernetes.io/arch" instead',
  "template.spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].values[0]: -bad is invalid, a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  'template.spec.topologySpreadConstraints[0].topologyKey: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'template.spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod',
  'template.metadata.annotations[security.alpha.kubernetes.io/sysctls]: non-functional in v1.11+; use the "sysctls" field instead',
  'template.spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
  'template.spec.volumes[3].rbd: deprecated in v1.28, non-functional in v1.31+',
  'volume "m" (ConfigMap "m"): overlapping paths: "x/y" with "x"',
  'volume "p" (Projected): overlapping paths: "f/g" (DownwardAPI) with "f" (Secret "s")',
  'template.spec.hostAliases[1].ip: duplicate ip "1.1.1.1"',
  'template.spec.imagePullSecrets[2].name: duplicate name "x"',
  'template.spec.imagePullSecrets[0].name: invalid empty name ""',
  'template.spec.overhead[memory]: fractional byte value "100m" is invalid, must be an integer',
  'template.metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
  'template.metadata.annotations[container.seccomp.security.alpha.kubernetes.io/c]: non-functional in v1.27+; use the "seccompProfile" field instead',
  'template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead',
  'template.spec.containers[0].resources.limits[memory]: fractional byte value "500m" is invalid, must be an integer',
  'template.spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer',
  'template.spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
  'template.spec.containers[0].ports[0]: duplicate port definition with template.spec.initContainers[0].ports[0]',
  'template.spec.containers[0].ports[1]: overlapping port definition with template.spec.initContainers[0].ports[0]',
  'template.spec.containers[0].ports[1]: overlapping port definition with template.spec.containers[0].ports[0]',
  'template.spec.containers[0].ports[2]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:81 Protocol:TCP HostIP:1.1.1.1}',
  'template.spec.containers[0].ports[0]: duplicate port name "p" with template.spec.initContainers[0].ports[0], services and probes that select ports by name will use template.spec.initContainers[0].ports[0]',
  'template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1',
  'template.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: a null labelSelector results in matching no pod',
  'template.spec.dnsConfig.nameservers[0]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
];

const template = (): JsonObject => {
  const made: JsonObject = { metadata: { annotations: ANNOTATIONS }, spec: cloneJson(SPEC) };
  setPodTemplateDefaults(made);
  return made;
};

test('a template has the warnings of kube-apiserver, in its order', () => {
  expect(podTemplateWarnings(template(), undefined, FieldPath.of('template'))).toEqual(WARNINGS);
});

test('a Pod also has a warning about its name, and none about AppArmor annotations', () => {
  const pod = template();
  pod['metadata'] = { name: 'a.b', annotations: ANNOTATIONS };
  const [first, ...rest] = podCreateWarnings(pod);
  expect(first).toMatch(
    /^metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: \[/,
  );
  const expected = WARNINGS.filter((text) => !text.includes('apparmor')).map((text) =>
    text.replaceAll('template.', ''),
  );
  expect(rest).toEqual(expected);
});
