import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCommand } from './program.ts';

const OBJECT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    namespace: 'shop',
    uid: 'u',
    labels: { app: 'web' },
    managedFields: [
      {
        manager: 'kubectl',
        operation: 'Apply',
        apiVersion: 'apps/v1',
        time: '2026-01-02T03:04:05Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:metadata': { 'f:labels': { 'f:app': {} } }, 'f:spec': { 'f:replicas': {} } },
      },
      {
        manager: 'hpa',
        operation: 'Update',
        subresource: 'scale',
        apiVersion: 'autoscaling/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:gone': {} } },
      },
    ],
  },
  spec: { replicas: 3, paused: true, text: 'two words' },
};

const TREE = `Deployment shop/web (apps/v1)

  kubectl Apply     apps/v1         2 fields  2026-01-02T03:04:05Z
  hpa Update scale  autoscaling/v1  2 fields

metadata
└─ labels
   └─ app: web                kubectl Apply
spec
├─ replicas: 3                kubectl Apply, hpa Update scale (2 owners)
├─ paused: true               no owner
├─ text: "two words"          no owner
└─ gone (not in the object)   hpa Update scale

1 field with several owners: a manager that applies another value gets a conflict with the others.
2 fields without an owner: any manager can apply a value without a conflict.`;

let folder: string;
let output: string[];
let complaints: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-who-'));
  await writeFile(join(folder, 'web.json'), JSON.stringify(OBJECT));
  output = [];
  complaints = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void output.push(line));
  vi.spyOn(console, 'error').mockImplementation((line: string) => void complaints.push(String(line)));
  vi.stubEnv('FORCE_COLOR', undefined);
  vi.stubEnv('NO_COLOR', '1');
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = undefined;
  await rm(folder, { recursive: true });
});

function who(...args: string[]): Promise<number> {
  return runCommand(['who', ...args]);
}

describe('keelson who FILE', () => {
  it('prints a tree of fields and their owners', async () => {
    expect(await who(join(folder, 'web.json'))).toBe(0);
    expect(output.join('\n').replaceAll(/ +(?=kubectl|hpa|no owner)/g, '  ')).toBe(
      TREE.replaceAll(/ +(?=kubectl|hpa|no owner)/g, '  '),
    );
  });

  it('prints colours if they are wanted', async () => {
    vi.stubEnv('FORCE_COLOR', '1');
    expect(await who(join(folder, 'web.json'))).toBe(0);
    expect(output.join('\n')).toContain('\x1b[36mkubectl Apply\x1b[39m, \x1b[32mhpa Update scale\x1b[39m');
  });

  it('prints the fields of one manager', async () => {
    expect(await who(join(folder, 'web.json'), '--manager', 'hpa')).toBe(0);
    expect(output.join('\n')).toContain('replicas: 3');
    expect(output.join('\n')).not.toMatch(/labels|paused/);
    expect(await who(join(folder, 'web.json'), '--manager', 'helm')).toBe(1);
    expect(complaints).toEqual(['keelson: Deployment shop/web has no manager "helm"; it has kubectl, hpa']);
  });

  it('prints JSON', async () => {
    expect(await who(join(folder, 'web.json'), '--output', 'json')).toBe(0);
    const { objects } = JSON.parse(output.join('\n')) as { objects: Record<string, unknown>[] };
    expect(objects).toHaveLength(1);
    expect(objects[0]).toMatchObject({
      kind: 'Deployment',
      namespace: 'shop',
      name: 'web',
      managers: [
        { manager: 'kubectl', operation: 'Apply', apiVersion: 'apps/v1', time: '2026-01-02T03:04:05Z', fields: 2 },
        { manager: 'hpa', operation: 'Update', subresource: 'scale', apiVersion: 'autoscaling/v1', fields: 2 },
      ],
    });
    expect(objects[0]?.['fields']).toEqual([
      { path: '.metadata.labels.app', value: 'web', owners: [{ manager: 'kubectl', operation: 'Apply' }] },
      {
        path: '.spec.replicas',
        value: 3,
        owners: [
          { manager: 'kubectl', operation: 'Apply' },
          { manager: 'hpa', operation: 'Update', subresource: 'scale' },
        ],
      },
      { path: '.spec.paused', value: true, owners: [] },
      { path: '.spec.text', value: 'two words', owners: [] },
      { path: '.spec.gone', owners: [{ manager: 'hpa', operation: 'Update', subresource: 'scale' }] },
    ]);
  });

  it('prints every object of a list and reports those without managedFields', async () => {
    const list = { kind: 'List', items: [OBJECT, { kind: 'ConfigMap', metadata: { name: 'c' } }] };
    await writeFile(join(folder, 'list.json'), JSON.stringify(list));
    expect(await who(join(folder, 'list.json'))).toBe(1);
    expect(output.join('\n')).toContain('Deployment shop/web');
    expect(complaints).toEqual(['keelson: ConfigMap c has no managedFields']);
  });

  it('exits with 1 for a file that cannot be read, with 2 for a wrong command line', async () => {
    await writeFile(join(folder, 'broken.yaml'), 'a: [\n');
    expect(await who(join(folder, 'broken.yaml'))).toBe(1);
    expect(await who(join(folder, 'web.json'), '--output', 'xml')).toBe(2);
    expect(await who('deployment')).toBe(2);
    expect(complaints).toEqual([
      expect.stringContaining('broken.yaml:1:5: expected a value'),
      'keelson: --output: "xml" is not one of text, json',
      'keelson: deployment is not a file; for an object on a server name it, too: keelson who deployment NAME',
    ]);
  });
});

describe('keelson who KIND NAME', () => {
  it('asks the server of the kubeconfig', async () => {
    const documents: Record<string, unknown> = {
      '/api': { kind: 'APIVersions', versions: [] },
      '/apis': { kind: 'APIGroupList', groups: [{ name: 'apps', versions: [{ version: 'v1' }] }] },
      '/apis/apps/v1': {
        resources: [{ name: 'deployments', kind: 'Deployment', namespaced: true, shortNames: ['deploy'] }],
      },
      '/apis/apps/v1/namespaces/shop/deployments/web': OBJECT,
    };
    const server = createServer(({ url = '' }, answer) => {
      const missing = { kind: 'Status', status: 'Failure', message: `${url} not found`, reason: 'NotFound', code: 404 };
      answer.statusCode = documents[url] === undefined ? 404 : 200;
      answer.end(JSON.stringify(documents[url] ?? missing));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const config = join(folder, 'config');
    await writeFile(
      config,
      `current-context: c
contexts: [{name: c, context: {cluster: c, namespace: shop}}]
clusters: [{name: c, cluster: {server: "http://127.0.0.1:${port}"}}]
`,
    );
    try {
      expect(await who('deploy', 'web', '--kubeconfig', config)).toBe(0);
      expect(await who('deployments.apps/web', '--kubeconfig', config, '-n', 'shop')).toBe(0);
      expect(output.filter((text) => text.startsWith('Deployment shop/web'))).toHaveLength(2);
      expect(await who('deploy', 'web', '--kubeconfig', config, '-n', 'other')).toBe(1);
      expect(await who('pods', 'web', '--kubeconfig', config)).toBe(2);
      expect(complaints).toEqual([
        'keelson: /apis/apps/v1/namespaces/other/deployments/web not found',
        `keelson: the server http://127.0.0.1:${port} has no resource "pods"`,
      ]);
    } finally {
      server.close();
      server.closeAllConnections();
    }
    complaints.length = 0;
    expect(await who('deploy', 'web', '--kubeconfig', config)).toBe(1);
    expect(complaints).toEqual([
      expect.stringMatching(
        /connection refused: check that the server http:\/\/127.0.0.1:\d+ runs, or name another kubeconfig with --kubeconfig$/,
      ),
    ]);
  });
});
