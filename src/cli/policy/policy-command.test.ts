import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../client/create-client.ts';
import { startOnNode } from '../../controlplane/node/start-on-node.ts';
import { ValidatingWebhookConfiguration } from '../../kinds/api/admissionregistration/v1.ts';
import { ConfigMap, Namespace } from '../../kinds/api/core/v1.ts';
import { runCommand } from '../program.ts';

const POLICY = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: size}
spec:
  paramKind: {apiVersion: example.com/v1, kind: Limit}
  matchConstraints:
    resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  matchConditions:
    - {name: not-exempt, expression: "!('exempt' in object.metadata.?labels.orValue({}))"}
  validations:
    - expression: object.data.size() <= params.max
      messageExpression: "'at most ' + string(params.max)"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: size}
spec: {policyName: size, paramRef: {name: small, parameterNotFoundAction: Deny}, validationActions: [Deny]}
---
apiVersion: example.com/v1
kind: Limit
metadata: {name: small}
max: 1
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: limits.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Limit, plural: limits}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {max: {type: integer}}}}
`;
const MAP = (name: string, data: string, more = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}data: ${data}\n`;

const MUTATING = `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: size}
spec:
  reinvocationPolicy: Never
  matchConstraints:
    resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  mutations:
    - patchType: ApplyConfiguration
      applyConfiguration:
        expression: 'Object{metadata: Object.metadata{labels: {"size": string(object.data.size())}}}'
    - patchType: JSONPatch
      jsonPatch:
        expression: '[JSONPatch{op: "remove", path: "/data/" + object.data["drop"]}]'
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: size}
spec: {policyName: size}
`;

let folder: string;
let output: string[];
let complaints: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-policy-'));
  output = [];
  complaints = [];
  vi.spyOn(console, 'log').mockImplementation((text: string) => void output.push(...text.split('\n')));
  vi.spyOn(console, 'error').mockImplementation((text: string) => void complaints.push(text));
  await mkdir(join(folder, 'policies'));
  await write('policies/size.yaml', POLICY);
});

afterEach(async () => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
  await rm(folder, { recursive: true });
});

async function write(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

/** Runs the command. Returns its exit code and its lines, without the folder. */
async function run(...args: readonly string[]): Promise<{ code: number; lines: readonly string[] }> {
  const code = await runCommand(['policy', ...args]);
  return { code, lines: [...output, ...complaints].map((line) => line.replaceAll(`${folder}/`, '')) };
}

describe('keelson policy check', () => {
  it('judges objects with parameters of a custom kind', async () => {
    const objects = await write(
      'maps.yaml',
      [
        MAP('small', '{a: b}'),
        MAP('large', '{a: b, c: d}', '  annotations: {keelson.dev/expect: denied}\n'),
        MAP('exempt', '{a: b, c: d}', '  labels: {exempt: ""}\n'),
      ].join('---\n'),
    );
    const { code, lines } = await run('check', join(folder, 'policies'), '--objects', objects);
    expect(lines).toEqual([
      'maps.yaml:4:3: ConfigMap small is admitted',
      '  size (Deny by binding size with small): holds, cost 10',
      'maps.yaml:10:3: ConfigMap large is denied',
      '  size (Deny by binding size with small): does not hold, cost 10',
      '    policies/size.yaml:11:7: at most 1',
      'maps.yaml:17:3: ConfigMap exempt is admitted',
      '2 configurations, 3 objects, 0 problems, at most 0.00 % of the cost limit',
    ]);
    expect(code).toBe(0);
  });

  it('shows the changes of mutating policies with their place and cost, also as JSON', async () => {
    await write('policies/mutating.yaml', MUTATING);
    const objects = await write(
      'maps.yaml',
      [MAP('two', '{a: b, drop: a}'), MAP('fails', '{a: b}', '  annotations: {keelson.dev/expect: denied}\n')].join(
        '---\n',
      ),
    );
    const { code, lines } = await run('check', join(folder, 'policies'), '--objects', objects);
    expect(lines).toEqual([
      'maps.yaml:4:3: ConfigMap two is admitted',
      '  size (by binding size): changes the object, cost 168',
      '    policies/mutating.yaml:11:9: add /metadata/labels {"size":"2"}',
      '    policies/mutating.yaml:14:9: remove /data/a',
      // The validating policy sees the changed object.
      '  size (Deny by binding size with small): holds, cost 10',
      'maps.yaml:10:3: ConfigMap fails is denied',
      '  size (by binding size): fails, cost 168',
      `    policies/mutating.yaml:14:9: expression '[JSONPatch{op: "remove", path: "/data/" + object.data["drop"]}]' resulted in error: no such key: drop`,
      '    policies/mutating.yaml:11:9: add /metadata/labels {"size":"1"}',
      '  size (Deny by binding size with small): holds, cost 10',
      '4 configurations, 2 objects, 0 problems, at most 0.00 % of the cost limit',
    ]);
    expect(code).toBe(0);
    output.length = 0;
    const json = await run('check', join(folder, 'policies'), '--objects', objects, '-o', 'json');
    const { objects: judged } = JSON.parse(json.lines.join('\n')) as { objects: { policies: unknown[] }[] };
    expect(judged[0]?.policies[0]).toMatchObject({
      policy: 'size',
      type: 'mutating',
      changes: [
        { file: 'policies/mutating.yaml', line: 11, column: 9, patch: [{ op: 'add', path: '/metadata/labels' }] },
        { line: 14, patch: [{ op: 'remove', path: '/data/a' }] },
      ],
    });
  });

  it('fails for an object that is not judged as expected, also as JSON', async () => {
    const objects = await write('maps.yaml', MAP('large', '{a: b, c: d}'));
    const { code, lines } = await run('check', join(folder, 'policies'), '--objects', objects, '-o', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(lines.join('\n'))).toMatchObject({
      objects: [
        {
          file: 'maps.yaml',
          line: 4,
          column: 3,
          outcome: 'denied',
          expected: 'admitted',
          policies: [{ policy: 'size', params: 'small', problems: [{ file: 'policies/size.yaml', line: 11 }] }],
        },
      ],
      problems: [],
    });
  });

  it('reports a policy that the server would refuse, and an object that it would refuse', async () => {
    const bad = await write(
      'policies/bad.yaml',
      POLICY.split('---')[0]!.replace('object.data', 'objekt.data').replace('size}', 'bad}'),
    );
    const objects = await write('maps.yaml', MAP('Upper', '{a: b}'));
    const { code, lines } = await run('check', bad, join(folder, 'policies/size.yaml'), '--objects', objects);
    expect(code).toBe(1);
    expect(lines[0]).toMatch(
      /^policies\/bad\.yaml:11:7: spec\.validations\[0\]\.expression: .*undeclared reference to 'objekt'/,
    );
    expect(lines.find((line) => line.startsWith('maps.yaml:4:3: would be rejected: metadata.name: '))).toBeDefined();
  });

  it('needs policies and objects', async () => {
    const empty = await write('empty.yaml', '');
    expect(await run('check', empty, '--objects', empty)).toEqual({
      code: 2,
      lines: ['keelson: no policy in empty.yaml: name a file or folder that contains one'],
    });
  });
});

describe('keelson policy explain', () => {
  it('explains why a policy does not match', async () => {
    const map = await write('map.yaml', MAP('small', '{a: b}', '  labels: {exempt: ""}\n'));
    const { code, lines } = await run('explain', map, '--configurations', join(folder, 'policies'));
    expect(code).toBe(0);
    expect(lines).toEqual([
      'ConfigMap small, CREATE',
      '',
      'ValidatingAdmissionPolicy size',
      '  binding size (Deny) with small does not match: its match condition "not-exempt" is false',
    ]);
  });

  it('explains the webhooks and policies of a server', async () => {
    const server = await startOnNode({ storage: 'memory', controllers: [] });
    try {
      const kubeconfig = await write('kubeconfig', server.kubeconfigText as string);
      const client = createClient(server.transport);
      await client.api(Namespace).create({ metadata: { name: 'shop', labels: { team: 'a' } } });
      await client.api(ConfigMap, 'shop').create({ metadata: { name: 'map' } });
      const hook = (name: string, team: string): object => ({
        name,
        clientConfig: { url: 'https://127.0.0.1:1/' },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        namespaceSelector: { matchLabels: { team } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      });
      await client.api(ValidatingWebhookConfiguration).create({
        metadata: { name: 'hooks' },
        webhooks: [hook('a.example.com', 'a'), hook('b.example.com', 'b')] as never,
      });
      const { code, lines } = await run('explain', 'configmap', 'map', '-n', 'shop', '--kubeconfig', kubeconfig);
      expect(lines).toEqual([
        'ConfigMap shop/map, CREATE',
        '',
        'ValidatingWebhookConfiguration hooks, webhook a.example.com',
        '  called',
        'ValidatingWebhookConfiguration hooks, webhook b.example.com',
        '  not called: its namespaceSelector does not select the labels of the namespace shop',
      ]);
      expect(code).toBe(0);
    } finally {
      await server.stop();
    }
  });
});
