/** The steps of kubectl beside each example of an operator or of webhooks, and what they must print in the end. */

export interface KubectlStep {
  readonly args: readonly string[];
  readonly stdin?: string;
  /** Must match what the command prints. The step is repeated until it does. */
  readonly prints: RegExp;
}

/** A page of the operator: `200 ok`. */
interface PageStep {
  readonly page: string;
  readonly prints: RegExp;
}

export type Step = KubectlStep | PageStep;

export interface OperatorExample {
  readonly name: string;
  /** Whether it has tests for node:test. */
  readonly hasTests?: boolean;
  /** Before the operator starts. */
  readonly before: readonly Step[];
  readonly steps: readonly Step[];
}

const established = (name: string): readonly Step[] => [
  { args: ['apply', '-f', `${name}-definition.yaml`], prints: /created|unchanged/ },
  { args: ['wait', '--for=condition=Established', '-f', `${name}-definition.yaml`], prints: /condition met/ },
];

const merge = (kind: string, name: string, spec: object, subresource?: string): Step => ({
  args: [
    'patch',
    kind,
    name,
    '--type=merge',
    '-p',
    JSON.stringify(subresource === undefined ? { spec } : { [subresource]: spec }),
    ...(subresource === undefined ? [] : [`--subresource=${subresource}`]),
  ],
  prints: /patched/,
});

const field = (kind: string, name: string, path: string, prints: RegExp): Step => ({
  args: ['get', kind, name, '-o', `jsonpath={${path}}`],
  prints,
});

const network = (name: string, cidr: string, gateway: string): string =>
  JSON.stringify({ apiVersion: 'samplecrd.k8s.io/v1', kind: 'Network', metadata: { name }, spec: { cidr, gateway } });

export const OPERATOR_EXAMPLES: readonly OperatorExample[] = [
  {
    name: 'sample-controller',
    hasTests: true,
    before: established('foo'),
    steps: [
      { page: '/readyz', prints: /^200 ok$/ },
      { args: ['apply', '-f', 'example-foo.yaml'], prints: /created/ },
      field('deployment', 'example-foo', '.spec.replicas', /^1$/),
      field('deployment', 'example-foo', '.metadata.ownerReferences[0].kind', /^Foo$/),
      field('foo', 'example-foo', '.status.conditions[0].message', /^0 of 1 replicas are available$/),
      merge('foo', 'example-foo', { replicas: 3 }),
      field('deployment', 'example-foo', '.spec.replicas', /^3$/),
      merge('deployment', 'example-foo', { replicas: 7 }),
      field('deployment', 'example-foo', '.spec.replicas', /^3$/),
      merge('deployment', 'example-foo', { replicas: 3, readyReplicas: 3, availableReplicas: 3 }, 'status'),
      { args: ['wait', 'foo/example-foo', '--for=condition=Ready', '--timeout=5s'], prints: /condition met/ },
      { args: ['get', 'foos'], prints: /example-foo +example-foo +3/ },
      { args: ['delete', 'deployment', 'example-foo'], prints: /deleted/ },
      field('deployment', 'example-foo', '.spec.replicas', /^3$/),
      { args: ['describe', 'foo', 'example-foo'], prints: /Synced.*sample-controller +Foo synced successfully/ },
      { page: '/debug/reconciles?operator=sample-controller', prints: /"Deployment default\/example-foo deleted"/ },
      {
        page: '/metrics',
        prints: /controller_runtime_reconcile_total\{controller="sample-controller",result="success"\}/,
      },
    ],
  },
  {
    name: 'network-operator',
    before: established('network'),
    steps: [
      { args: ['apply', '-f', 'example-network.yaml'], prints: /created/ },
      { args: ['get', 'networks'], prints: /example-network +192\.168\.0\.0\/16 +Ready/ },
      field('configmap', 'example-network-network', '.data.gateway', /^192\.168\.0\.1$/),
      field('network', 'example-network', '.status.addresses', /^65536$/),
      { args: ['create', '-f', '-'], stdin: network('second', '192.168.7.0/24', '192.168.7.1'), prints: /created/ },
      field(
        'network',
        'second',
        '.status.conditions[0].message',
        /^192\.168\.7\.0\/24 overlaps 192\.168\.0\.0\/16 of default\/example-network$/,
      ),
      {
        args: ['describe', 'network', 'second'],
        prints: /Warning +Overlapping .*network-operator +192\.168\.7\.0\/24 overlaps/,
      },
      { args: ['create', '-f', '-'], stdin: network('third', '10.0.0.1/8', '10.0.0.1'), prints: /created/ },
      field('network', 'third', '.status.phase', /^Invalid$/),
      { args: ['delete', 'network', 'example-network'], prints: /deleted/ },
      field('network', 'second', '.status.phase', /^Ready$/),
      field('configmap', 'second-network', '.data.cidr', /^192\.168\.7\.0\/24$/),
      { args: ['describe', 'network', 'second'], prints: /Normal +Published / },
      merge('network', 'second', { gateway: '10.1.1.1' }),
      field(
        'network',
        'second',
        '.status.conditions[0].message',
        /^the gateway 10\.1\.1\.1 is not in 192\.168\.7\.0\/24$/,
      ),
      { args: ['get', 'configmap', 'second-network'], prints: /not found/ },
    ],
  },
  {
    name: 'nodepool',
    before: established('nodepool'),
    steps: [
      { args: ['apply', '-f', 'example-nodepool.yaml'], prints: /created/ },
      { args: ['get', 'nodepools'], prints: /workers +3 +3 +3 +v1\.36\.3/ },
      { args: ['get', 'nodes', '-o', 'name'], prints: /^node\/workers-0\nnode\/workers-1\nnode\/workers-2\n$/ },
      { args: ['wait', 'node/workers-1', '--for=condition=Ready', '--timeout=5s'], prints: /condition met/ },
      { args: ['scale', 'nodepool/workers', '--replicas=5'], prints: /scaled/ },
      { args: ['get', 'nodepools'], prints: /workers +5 +5 +5 +v1\.36\.3/ },
      { args: ['scale', 'nodepool/workers', '--replicas=2'], prints: /scaled/ },
      { args: ['get', 'nodes', '-o', 'name'], prints: /^node\/workers-0\nnode\/workers-1\n$/ },
      merge('nodepool', 'workers', { version: 'v1.37.0' }),
      { args: ['get', 'nodepools'], prints: /workers +2 +2 +2 +v1\.37\.0/ },
      {
        args: ['get', 'nodes', '-l', 'pools.example.com/version=v1.37.0', '-o', 'name'],
        prints: /^node\/workers-0\nnode\/workers-1\n$/,
      },
      {
        args: ['wait', 'nodepool/workers', '--for=condition=Progressing=False', '--timeout=5s'],
        prints: /condition met/,
      },
      { args: ['describe', 'nodepool', 'workers'], prints: /Complete.*2 machines have version v1\.37\.0/ },
      field('nodepool', 'workers', '.metadata.finalizers[0]', /^pools\.example\.com\/machines$/),
      { args: ['delete', 'nodepool', 'workers', '--timeout=15s'], prints: /deleted/ },
      { args: ['get', 'nodes'], prints: /No resources found/ },
      { args: ['get', 'nodepools'], prints: /No resources found/ },
    ],
  },
  {
    name: 'webhook',
    hasTests: true,
    before: established('crontab'),
    steps: [
      // Repeated until the server uses the configurations.
      {
        args: ['create', 'deployment', 'bad', '--image=nginx', '--dry-run=server'],
        prints:
          /admission webhook "deployments\.apps\.guard\.example\.com" denied the request: Deployment\.apps "bad" is invalid: spec\.template\.spec\.containers\[0\]\.image: Invalid value: "nginx": must begin with registry\.example\.com\//,
      },
      {
        args: ['apply', '-f', 'web.yaml'],
        prints:
          /deployment\.apps\/web created\nWarning: spec\.template\.spec\.containers\[0\]\.image: the tag latest changes/,
      },
      field('deployment', 'web', '.spec.template.spec.containers[0].resources', /^\{"requests":\{"cpu":"100m"\}\}$/),
      {
        args: ['delete', 'deployment', 'web'],
        prints: /denied the request: admin may not delete what is to be kept/,
      },
      { args: ['label', 'deployment', 'web', 'keep-'], prints: /unlabeled/ },
      { args: ['delete', 'deployment', 'web'], prints: /deleted/ },
      { args: ['apply', '-f', 'crontab.yaml'], prints: /created/ },
      field('crontabs.v2.stable.example.com', 'nightly', '.spec', /^\{"hour":"2","minute":"30"\}$/),
      merge('crontabs.v2.stable.example.com', 'nightly', { hour: '5' }),
      field('crontabs.v1.stable.example.com', 'nightly', '.spec', /^\{"cron":"30 5"\}$/),
    ],
  },
];
