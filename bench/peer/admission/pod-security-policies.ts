/**
 * A pod security profile as ValidatingAdmissionPolicies: one policy per control of the baseline and restricted Pod
 * Security Standards, and three rules that most clusters add. The pods are one that complies and one that does not.
 */

interface Control {
  readonly name: string;
  readonly message: string;
  readonly expression: string;
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
}

const CONTAINERS = {
  name: 'containers',
  expression:
    'object.spec.containers + (has(object.spec.initContainers) ? object.spec.initContainers : []) + ' +
    '(has(object.spec.ephemeralContainers) ? object.spec.ephemeralContainers : [])',
};

/** A control that every container must hold to. */
function ofContainers(name: string, message: string, each: string): Control {
  return { name, message, variables: [CONTAINERS], expression: `variables.containers.all(c, ${each})` };
}

const NO_SETTING = (path: string): string => `!has(c.securityContext) || !has(c.securityContext.${path})`;
const PLAIN_VOLUMES = ['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'persistentVolumeClaim'];
const SYSCTLS = ['kernel.shm_rmid_forced', 'net.ipv4.ip_local_port_range', 'net.ipv4.ping_group_range'];
const CAPABILITIES = ['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'NET_BIND_SERVICE', 'SETGID', 'SETUID'];

const CONTROLS: readonly Control[] = [
  {
    name: 'host-namespaces',
    message: 'host namespaces are not allowed',
    expression:
      '(!has(object.spec.hostNetwork) || !object.spec.hostNetwork) && (!has(object.spec.hostPID) || !object.spec.hostPID) && (!has(object.spec.hostIPC) || !object.spec.hostIPC)',
  },
  ofContainers(
    'privileged',
    'privileged containers are not allowed',
    `${NO_SETTING('privileged')} || !c.securityContext.privileged`,
  ),
  ofContainers(
    'capabilities-added',
    'only default capabilities may be added',
    `${NO_SETTING('capabilities')} || !has(c.securityContext.capabilities.add) || c.securityContext.capabilities.add.all(a, a in ${JSON.stringify(CAPABILITIES)})`,
  ),
  {
    name: 'host-path',
    message: 'volumes of type hostPath are not allowed',
    expression: '!has(object.spec.volumes) || object.spec.volumes.all(v, !has(v.hostPath))',
  },
  ofContainers(
    'host-ports',
    'host ports are not allowed',
    '!has(c.ports) || c.ports.all(p, !has(p.hostPort) || p.hostPort == 0)',
  ),
  {
    name: 'app-armor',
    message: 'the AppArmor profile must not be overridden',
    expression:
      "!has(object.metadata.annotations) || object.metadata.annotations.all(k, !k.startsWith('container.apparmor.security.beta.kubernetes.io/') || object.metadata.annotations[k] == 'runtime/default' || object.metadata.annotations[k].startsWith('localhost/'))",
  },
  ofContainers(
    'se-linux',
    'only container types of SELinux are allowed, without user and role',
    `${NO_SETTING('seLinuxOptions')} || ((!has(c.securityContext.seLinuxOptions.type) || c.securityContext.seLinuxOptions.type in ['', 'container_t', 'container_init_t', 'container_kvm_t']) && !has(c.securityContext.seLinuxOptions.user) && !has(c.securityContext.seLinuxOptions.role))`,
  ),
  ofContainers(
    'proc-mount',
    'the /proc mask must be the default one',
    `${NO_SETTING('procMount')} || c.securityContext.procMount == 'Default'`,
  ),
  ofContainers(
    'seccomp-unconfined',
    'seccomp must not be Unconfined',
    `${NO_SETTING('seccompProfile')} || c.securityContext.seccompProfile.type != 'Unconfined'`,
  ),
  {
    name: 'sysctls',
    message: 'only safe sysctls are allowed',
    expression: `!has(object.spec.securityContext) || !has(object.spec.securityContext.sysctls) || object.spec.securityContext.sysctls.all(s, s.name in ${JSON.stringify(SYSCTLS)})`,
  },
  ofContainers(
    'host-process',
    'host process containers are not allowed',
    `${NO_SETTING('windowsOptions')} || !has(c.securityContext.windowsOptions.hostProcess) || !c.securityContext.windowsOptions.hostProcess`,
  ),
  {
    name: 'volume-types',
    message: 'only volumes of plain types are allowed',
    expression: `!has(object.spec.volumes) || object.spec.volumes.all(v, ${[...PLAIN_VOLUMES, 'projected', 'secret'].map((type) => `has(v.${type})`).join(' || ')})`,
  },
  ofContainers(
    'privilege-escalation',
    'allowPrivilegeEscalation must be false',
    'has(c.securityContext) && has(c.securityContext.allowPrivilegeEscalation) && !c.securityContext.allowPrivilegeEscalation',
  ),
  {
    name: 'run-as-non-root',
    message: 'runAsNonRoot must be true',
    variables: [
      CONTAINERS,
      {
        name: 'podRunsAsNonRoot',
        expression:
          'has(object.spec.securityContext) && has(object.spec.securityContext.runAsNonRoot) && object.spec.securityContext.runAsNonRoot',
      },
    ],
    expression:
      'variables.containers.all(c, has(c.securityContext) && has(c.securityContext.runAsNonRoot) ? c.securityContext.runAsNonRoot : variables.podRunsAsNonRoot)',
  },
  {
    name: 'run-as-user',
    message: 'containers must not run as user 0',
    variables: [CONTAINERS],
    expression: `(!has(object.spec.securityContext) || !has(object.spec.securityContext.runAsUser) || object.spec.securityContext.runAsUser != 0) && variables.containers.all(c, ${NO_SETTING('runAsUser')} || c.securityContext.runAsUser != 0)`,
  },
  {
    name: 'seccomp-required',
    message: 'the seccomp profile must be RuntimeDefault or Localhost',
    variables: [
      CONTAINERS,
      {
        name: 'podHasProfile',
        expression:
          "has(object.spec.securityContext) && has(object.spec.securityContext.seccompProfile) && object.spec.securityContext.seccompProfile.type in ['RuntimeDefault', 'Localhost']",
      },
    ],
    expression:
      "variables.containers.all(c, has(c.securityContext) && has(c.securityContext.seccompProfile) ? c.securityContext.seccompProfile.type in ['RuntimeDefault', 'Localhost'] : variables.podHasProfile)",
  },
  ofContainers(
    'capabilities-dropped',
    'all capabilities must be dropped',
    "has(c.securityContext) && has(c.securityContext.capabilities) && has(c.securityContext.capabilities.drop) && 'ALL' in c.securityContext.capabilities.drop",
  ),
  ofContainers(
    'image-tag',
    'images need a tag other than latest',
    "c.image.matches('^[^:]+(:[0-9]+/[^:]+)?:[^:]+$') && !c.image.endsWith(':latest')",
  ),
  ofContainers(
    'resources',
    'containers need limits of memory and requests of CPU',
    "has(c.resources) && has(c.resources.limits) && 'memory' in c.resources.limits && quantity(c.resources.limits['memory']).isLessThan(quantity('8Gi')) && has(c.resources.requests) && 'cpu' in c.resources.requests",
  ),
  {
    name: 'labels',
    message: 'the recommended labels are required',
    expression:
      "has(object.metadata.labels) && ['app.kubernetes.io/name', 'app.kubernetes.io/part-of'].all(key, key in object.metadata.labels && object.metadata.labels[key] != '')",
  },
];

/** The number of policies. */
export const POLICIES: number = CONTROLS.length;

/** Each policy with its binding. Bindings warn, so that one request shows which policies are in force. */
export function podSecurityPolicies(): readonly { readonly policy: object; readonly binding: object }[] {
  return CONTROLS.map(({ name, message, expression, variables = [] }) => ({
    policy: {
      metadata: { name: `pod-security-${name}` },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['pods'] },
          ],
        },
        matchConditions: [{ name: 'not-the-kubelet', expression: "!('system:nodes' in request.userInfo.groups)" }],
        variables,
        validations: [
          { expression, messageExpression: `'${message}: ' + object.metadata.?name.orValue('a pod')`, message },
        ],
      },
    },
    binding: {
      metadata: { name: `pod-security-${name}` },
      spec: {
        policyName: `pod-security-${name}`,
        validationActions: ['Warn'],
        matchResources: {
          namespaceSelector: { matchExpressions: [{ key: 'pod-security/exempt', operator: 'DoesNotExist' }] },
        },
      },
    },
  }));
}

function container(name: string, port?: number): object {
  return {
    name,
    image: `registry.example.com/shop/${name}:1.4.2`,
    args: ['--listen=:8080', '--log-level=info'],
    ...(port !== undefined && {
      ports: [{ containerPort: port }],
      readinessProbe: { httpGet: { path: '/healthz', port } },
    }),
    env: [
      { name: 'REGION', value: 'eu-1' },
      { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'shop', key: 'password' } } },
    ],
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    },
    volumeMounts: [{ name: 'settings', mountPath: '/etc/shop' }],
  };
}

/** A pod with two containers that holds to all policies. */
export function compliantPod(): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: 'shop-',
      labels: { 'app.kubernetes.io/name': 'shop', 'app.kubernetes.io/part-of': 'bench' },
      annotations: { 'example.com/owner': 'team-a' },
    },
    spec: {
      containers: [container('web', 8080), container('metrics', 9090)],
      initContainers: [container('migrate')],
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      volumes: [
        { name: 'settings', configMap: { name: 'shop' } },
        { name: 'scratch', emptyDir: {} },
      ],
    },
  };
}

/** A pod that breaks most of the policies. */
export function breakingPod(): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'breaking-' },
    spec: {
      hostNetwork: true,
      containers: [
        {
          name: 'web',
          image: 'shop',
          ports: [{ containerPort: 80, hostPort: 80 }],
          securityContext: { capabilities: { add: ['SYS_ADMIN'] }, runAsUser: 0 },
        },
      ],
      volumes: [{ name: 'root', hostPath: { path: '/' } }],
    },
  };
}
