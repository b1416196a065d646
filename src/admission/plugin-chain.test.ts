import { describe, expect, test } from 'vitest';
import { StatusError } from '../apimachinery/status/status.ts';
import { forbidden } from '../apimachinery/status/status-catalogue.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../server/admission.ts';
import { createAdmission, PLUGIN_ORDER } from './plugin-chain.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const INGRESSES = { group: 'networking.k8s.io', version: 'v1', resource: 'ingresses' };
const attributes = { operation: 'CREATE', resource: CONFIG_MAPS } as AdmissionAttributes;

/** A plugin that logs its calls. With `late` it answers asynchronously. */
function plugin(name: string, log: string[], late = false): AdmissionPlugin {
  const note = (step: string) => (): Promise<void> | undefined => {
    log.push(`${name} ${step}`);
    return late ? Promise.resolve() : undefined;
  };
  return {
    name,
    handles: (operation) => operation === 'CREATE',
    admit: note('admits'),
    validate: note('validates'),
  };
}

describe('the chain of admission plugins', () => {
  test('runs plugins in the order of PLUGIN_ORDER', async () => {
    const log: string[] = [];
    const chain = createAdmission([plugin('ResourceQuota', log), plugin('NamespaceLifecycle', log, true)]);
    await chain.admit(attributes);
    await chain.validate(attributes);
    expect(chain.plugins).toEqual(['NamespaceLifecycle', 'ResourceQuota']);
    expect(log).toEqual([
      'NamespaceLifecycle admits',
      'ResourceQuota admits',
      'NamespaceLifecycle validates',
      'ResourceQuota validates',
    ]);
  });

  test('is synchronous if its plugins are', () => {
    const chain = createAdmission([plugin('LimitRanger', []), plugin('ResourceQuota', [])]);
    expect(chain.admit(attributes)).toBeUndefined();
  });

  test('runs default and enabled plugins, except disabled ones', () => {
    const all = ['NamespaceLifecycle', 'NamespaceExists', 'AlwaysDeny', 'LimitRanger'].map((name) => plugin(name, []));
    const chain = createAdmission(all, {
      enable: ['NamespaceExists', 'AlwaysDeny'],
      disable: ['LimitRanger', 'AlwaysDeny'],
    });
    expect(chain.plugins).toEqual(['NamespaceLifecycle', 'NamespaceExists']);
  });

  test('refuses enabled plugins that are not built', () => {
    expect(() => createAdmission([], { enable: ['ImagePolicyWebhook'] })).toThrow(
      '--enable-admission-plugins: the plugin "ImagePolicyWebhook" is not supported: use ValidatingAdmissionWebhook to check images',
    );
    expect(() => createAdmission([], { enable: ['EventRateLimit'] })).toThrow(
      'the plugin "EventRateLimit" needs limits in --admission-control-config-file',
    );
    expect(createAdmission([], { enable: ['AlwaysDeny'], disable: ['AlwaysDeny'] }).plugins).toEqual([]);
  });

  test('refuses an unknown name with a list of the known names', () => {
    expect(() => createAdmission([], { enable: ['Nonsense'] })).toThrow(
      /^--enable-admission-plugins: plugin "Nonsense" is unknown; known are AlwaysAdmit, AlwaysDeny, /,
    );
    expect(() => createAdmission([], { disable: ['Nonsense'] })).toThrow(/^--disable-admission-plugins/);
  });

  test('runs plugins of an embedder before policies and webhooks, unless they are disabled', () => {
    const all = ['ResourceQuota', 'CostCenter', 'NamespaceLifecycle'].map((name) => plugin(name, []));
    expect(createAdmission(all).plugins).toEqual(['NamespaceLifecycle', 'CostCenter', 'ResourceQuota']);
    expect(createAdmission(all, { disable: ['CostCenter'] }).plugins).toEqual(['NamespaceLifecycle', 'ResourceQuota']);
  });

  test('refuses two plugins with the same name', () => {
    expect(() => createAdmission([plugin('CostCenter', []), plugin('CostCenter', [])])).toThrow(
      'two admission plugins have the name "CostCenter"',
    );
  });

  test('skips plugins that do not handle the operation', () => {
    const log: string[] = [];
    const chain = createAdmission([plugin('ResourceQuota', log)]);
    expect(chain.handles('DELETE')).toBe(false);
    chain.admit({ ...attributes, operation: 'DELETE' } as AdmissionAttributes);
    expect(log).toEqual([]);
  });

  test('calls a plugin only for the resources that it declares', () => {
    const log: string[] = [];
    const chain = createAdmission([
      { ...plugin('DefaultIngressClass', log), resources: ['ingresses.networking.k8s.io'] },
      { ...plugin('ResourceQuota', log), resources: ['pods', 'configmaps'] },
    ]);
    chain.admit(attributes);
    chain.validate({ ...attributes, resource: INGRESSES } as AdmissionAttributes);
    expect(log).toEqual(['ResourceQuota admits', 'DefaultIngressClass validates']);
  });

  test('ends with the first refusal and reports it to the observer', async () => {
    const log: string[] = [];
    const refusal = new StatusError(forbidden({ group: '', resource: 'x' }, 'y', 'because'));
    const refuses: AdmissionPlugin = {
      name: 'LimitRanger',
      handles: () => true,
      admit: () => Promise.reject(refusal),
    };
    const seen: string[] = [];
    let time = 0;
    const chain = createAdmission(
      [plugin('NamespaceLifecycle', log), refuses, plugin('ResourceQuota', log)],
      {},
      {
        now: () => time++,
        plugin: (name, operation, step) => (milliseconds, rejected) =>
          void seen.push([name, operation, step, milliseconds, rejected].join(' ')),
      },
    );
    await expect(chain.admit(attributes)).rejects.toBe(refusal);
    expect(log).toEqual(['NamespaceLifecycle admits']);
    expect(seen).toEqual(['NamespaceLifecycle CREATE admit 1 false', 'LimitRanger CREATE admit 1 true']);
  });

  test('lists each plugin once', () => {
    expect(new Set(PLUGIN_ORDER.map(({ name }) => name)).size).toBe(PLUGIN_ORDER.length);
  });
});
