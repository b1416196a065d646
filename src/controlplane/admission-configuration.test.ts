import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Lifetime } from '../base/lifetime.ts';
import { SILENT } from '../base/logger.ts';
import { type AdmissionFiles, readAdmissionFiles } from './admission-configuration.ts';
import { nodePlatform } from './node/node-platform.ts';
import { type PartialOptions, type ServerOptions, serverOptions } from './options.ts';
import { createWebhookCredentials } from './webhook-credentials.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-admission-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

function read(plugins: string, more: PartialOptions<ServerOptions> = {}): Promise<AdmissionFiles> {
  const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n';
  const admissionConfigFile = write('admission.yaml', `${head}plugins:\n${plugins}`);
  return readAdmissionFiles(serverOptions({ admissionConfigFile, ...more }), nodePlatform);
}

const POD_SECURITY =
  '{apiVersion: pod-security.admission.config.k8s.io/v1, kind: PodSecurityConfiguration, defaults: {enforce: baseline}}';

describe('--admission-control-config-file', () => {
  it('has configurations inline or in files beside it', async () => {
    const inline = await read(`- {name: PodSecurity, configuration: ${POD_SECURITY}}`);
    expect(inline.podSecurity?.defaults.enforce.level).toBe('baseline');
    mkdirSync(join(folder, 'more'));
    write('more/ps.yaml', POD_SECURITY.replace('baseline', 'restricted'));
    const beside = await read('- {name: PodSecurity, path: more/ps.yaml}\n- {name: LimitRanger}');
    expect(beside.podSecurity?.defaults.enforce.level).toBe('restricted');
    expect(beside.warnings).toEqual([]);
  });

  it('has the limits of Events', async () => {
    const configuration =
      '{apiVersion: eventratelimit.admission.k8s.io/v1alpha1, kind: Configuration, limits: [{type: Server, qps: 1, burst: 2}]}';
    const entry = `- {name: EventRateLimit, configuration: ${configuration}}`;
    expect((await read(entry, { enableAdmission: ['EventRateLimit'] })).eventLimits).toHaveLength(1);
    expect((await read(entry)).eventLimits).toBeUndefined();
  });

  it('ignores plugins that do not exist, with a warning, and configurations of disabled ones', async () => {
    const { warnings } = await read('- {name: Nope}\n- {name: PodSecurity, path: nothing}', {
      disableAdmission: ['PodSecurity'],
    });
    expect(warnings).toEqual([
      `--admission-control-config-file: ${folder}/admission.yaml: there is no admission plugin "Nope"; its entry is ignored`,
    ]);
  });

  it.each([
    ['- {name: PodSecurity, foo: 1}', 'strict decoding error: unknown field "plugins[0].foo"'],
    [
      '- {name: PodSecurity, path: gone.yaml}',
      'the admission plugin PodSecurity: the file FOLDER/gone.yaml does not exist',
    ],
    [
      `- {name: PodSecurity, configuration: ${POD_SECURITY.replace('baseline', 'x')}}`,
      'FOLDER/admission.yaml: the admission plugin PodSecurity: defaults.enforce: Invalid value: "x": must be one of privileged, baseline, restricted',
    ],
    [
      `- {name: ValidatingAdmissionWebhook, configuration: ${POD_SECURITY}}`,
      'no kind "PodSecurityConfiguration" is registered for version "pod-security.admission.config.k8s.io/v1"',
    ],
    [
      '- {name: MutatingAdmissionWebhook, configuration: {apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, kubeConfigFile: x}}',
      'kubeConfigFile: Invalid value: "x": must be an absolute file path',
    ],
    [
      '- {name: ValidatingAdmissionPolicy, configuration: {apiVersion: apiserver.config.k8s.io/v1, kind: ValidatingAdmissionPolicyConfiguration, staticManifestsDir: /x}}',
      'staticManifestsDir: Forbidden: needs --feature-gates=ManifestBasedAdmissionControlConfig=true',
    ],
    [
      '- {name: ResourceQuota, configuration: {apiVersion: apiserver.config.k8s.io/v1, kind: ResourceQuotaConfiguration, limitedResources: [{}]}}',
      'the admission plugin ResourceQuota: limitedResources[0].resource: Required value',
    ],
    ['- {name: ResourceQuota, configuration: {}}', "the admission plugin ResourceQuota: Object 'Kind' is missing"],
  ])('refuses %s', async (plugins, message) => {
    await expect(read(plugins)).rejects.toThrow(message.replaceAll('FOLDER', folder));
  });

  it('has node selectors, tolerations and limited resources', async () => {
    const enabled = { enableAdmission: ['PodNodeSelector', 'PodTolerationRestriction'] };
    const tolerations =
      '{apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1, kind: Configuration, default: [{key: a, operator: Exists}]}';
    const quota =
      '{apiVersion: resourcequota.admission.k8s.io/v1beta1, kind: Configuration, limitedResources: [{resource: secrets, matchContains: [secrets]}]}';
    write('selectors.yaml', 'podNodeSelectorPluginConfig: {clusterDefaultNodeSelector: "a=b,c=d", ns: ""}');
    const files = await read(
      `- {name: PodNodeSelector, path: selectors.yaml}\n- {name: PodTolerationRestriction, configuration: ${tolerations}}\n- {name: ResourceQuota, configuration: ${quota}}`,
      enabled,
    );
    expect([...(files.nodeSelectors ?? [])]).toEqual([
      ['clusterDefaultNodeSelector', { a: 'b', c: 'd' }],
      ['ns', {}],
    ]);
    expect(files.podTolerations).toEqual({ defaults: [{ key: 'a', operator: 'Exists' }], allowed: [] });
    expect(files.limitedResources).toEqual([{ resource: 'secrets', contains: ['secrets'], scopes: [] }]);
    const bad = tolerations.replace('Exists', 'Sometimes');
    await expect(read(`- {name: PodTolerationRestriction, configuration: ${bad}}`, enabled)).rejects.toThrow(
      'the admission plugin PodTolerationRestriction: default[0].operator: Unsupported value: "Sometimes"',
    );
    for (const [text, problem] of [
      ['{podNodeSelectorPluginConfig: {x: "a"}}', 'podNodeSelectorPluginConfig.x: invalid selector: [a]'],
      ['{podNodeSelectorPluginConfig: {x: 1}}', 'podNodeSelectorPluginConfig.x must be a string'],
      ['{other: {}}', 'the configuration must be an object with the field podNodeSelectorPluginConfig'],
    ])
      await expect(read(`- {name: PodNodeSelector, configuration: ${text}}`, enabled)).rejects.toThrow(problem);
  });

  it('reads manifest files if the feature gate is on', async () => {
    const entry = (plugin: string, kind: string, path: string): string =>
      `- {name: ${plugin}, configuration: {apiVersion: apiserver.config.k8s.io/v1, kind: ${kind}, staticManifestsDir: ${path}}}`;
    const policies = entry('MutatingAdmissionPolicy', 'MutatingAdmissionPolicyConfiguration', folder);
    const gate = { admissionManifests: true };
    write('ignored.txt', '-');
    // The folder also has admission.yaml, which is not a manifest.
    await expect(read(policies, gate)).rejects.toThrow(
      `the admission plugin MutatingAdmissionPolicy: staticManifestsDir: ${folder}/admission.yaml: cannot use kind "AdmissionConfiguration"`,
    );
    mkdirSync(join(folder, 'manifests'));
    const { manifests } = await read(policies.replace(folder, `${folder}/manifests`), gate);
    expect(manifests.map(({ plugin }) => plugin)).toEqual(['MutatingAdmissionPolicy']);
    const webhooks = entry('ValidatingAdmissionWebhook', 'WebhookAdmissionConfiguration', '/nothing/here');
    await expect(read(webhooks, gate)).rejects.toThrow('staticManifestsDir: cannot read the folder /nothing/here');
    await expect(read(webhooks.replace('/nothing', 'nothing'), gate)).rejects.toThrow('must be an absolute file path');
  });

  it('names the credentials for webhooks by their hosts', async () => {
    write('token', 'from-file\n');
    const kubeconfig = write(
      'kubeconfig',
      `users:
- {name: "*.example.com", user: {token: wild}}
- {name: "a.ns.svc:8443", user: {username: u, password: p}}
- {name: "files:9", user: {tokenFile: token}}
- {name: other, user: {token: current}}
contexts: [{name: c, context: {user: other}}]
current-context: c
`,
    );
    const configuration = `{apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, kubeConfigFile: ${kubeconfig}}`;
    const files = await read(`- {name: ValidatingAdmissionWebhook, configuration: ${configuration}}`);
    expect(files.mutatingWebhooks).toBeUndefined();
    if (files.validatingWebhooks === undefined) expect.unreachable();
    const lifetime = new Lifetime('test');
    const parts = { platform: nodePlatform, logger: SILENT, lifetime };
    const credentials = createWebhookCredentials(files.validatingWebhooks, parts);
    const headers = async (target: string) => (await credentials(target))?.headers['authorization'];
    expect(await headers('x.example.com:443')).toBe('Bearer wild');
    expect(await headers('a.ns.svc:8443')).toBe(`Basic ${btoa('u:p')}`);
    expect(await headers('files:9')).toBe('Bearer from-file');
    expect(await headers('x.example.com:8443')).toBe('Bearer current');
    await lifetime.stop();
  });

  it('refuses a kubeconfig that is missing or malformed', async () => {
    const entry = (path: string): string =>
      `- {name: ValidatingAdmissionWebhook, configuration: {apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, kubeConfigFile: ${path}}}`;
    await expect(read(entry('/nothing/here'))).rejects.toThrow('the file /nothing/here does not exist');
    await expect(read(entry(write('bad', 'a: [')))).rejects.toThrow('cannot parse the kubeconfig');
  });
});
