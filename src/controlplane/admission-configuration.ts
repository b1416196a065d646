/**
 * Reads the configurations of admission plugins: the file of `--admission-control-config-file` and the files that it
 * names.
 */
import {
  decodePluginConfiguration,
  type PluginEntry,
  type PluginText,
  parseAdmissionConfiguration,
  pluginConfigError,
} from '../admission/configuration/admission-configuration.ts';
import {
  policyConfiguration,
  validateStaticManifests,
  validateWebhookConfiguration,
  WEBHOOK_CONFIGURATION,
} from '../admission/configuration/webhook-configuration.ts';
import type { ManifestPlugin } from '../admission/manifests/manifest-objects.ts';
import { isPluginEnabled, PLUGIN_ORDER } from '../admission/plugin-chain.ts';
import { quote } from '../apimachinery/go-format.ts';
import { textAt } from '../apimachinery/meta/object-fields.ts';
import { isConfigError } from '../base/errors.ts';
import type { JsonObject } from '../base/json-value.ts';
import { type KubeconfigUsers, readKubeconfigUsers } from '../client/kubeconfig.ts';
import {
  EVENT_RATE_LIMIT_CONFIGURATION,
  type EventLimit,
  eventLimitsOf,
  validateEventLimits,
} from '../kube/admission/event-rate-limit/configuration.ts';
import {
  decodeNodeSelectors,
  type NodeSelectors,
  TOLERATION_CONFIGURATION,
  type TolerationConfiguration,
  tolerationConfigurationOf,
  validateTolerationConfiguration,
} from '../kube/admission/pod/scheduling-configuration.ts';
import {
  POD_SECURITY_CONFIGURATION,
  type PodSecurityConfiguration,
  podSecurityConfigurationOf,
  validatePodSecurityConfiguration,
} from '../kube/admission/pod-security/configuration.ts';
import {
  type LimitedResource,
  limitedResourcesOf,
  QUOTA_CONFIGURATION,
  validateLimitedResources,
} from '../kube/admission/resource-quota/limited-resources.ts';
import { readFlagFile } from './flag-file.ts';
import type { ServerOptions } from './options.ts';
import type { Platform } from './platform.ts';
import { StaticManifests } from './static-manifests.ts';

export interface AdmissionFiles {
  readonly podSecurity: PodSecurityConfiguration | undefined;
  readonly eventLimits: readonly EventLimit[] | undefined;
  readonly nodeSelectors: NodeSelectors | undefined;
  readonly podTolerations: TolerationConfiguration | undefined;
  readonly limitedResources: readonly LimitedResource[] | undefined;
  /** The users of the kubeconfig files for webhooks. */
  readonly mutatingWebhooks: KubeconfigUsers | undefined;
  readonly validatingWebhooks: KubeconfigUsers | undefined;
  /** The manifest files of plugins, loaded. */
  readonly manifests: readonly StaticManifests[];
  /** One sentence for each entry that is valid but has no effect. */
  readonly warnings: readonly string[];
}

const MANIFEST_PLUGINS: readonly ManifestPlugin[] = [
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
];
const FLAG = '--admission-control-config-file';

/**
 * Reads the files. Entries of plugins that are not enabled are not read, as in kube-apiserver. Throws ConfigError for a
 * file that is missing or invalid.
 */
export async function readAdmissionFiles(options: ServerOptions, platform: Platform): Promise<AdmissionFiles> {
  const path = options.admissionConfigFile;
  const entries = path === '' ? [] : parseAdmissionConfiguration(await readFlagFile(platform, FLAG, path), path);
  const selection = { enable: options.enableAdmission, disable: options.disableAdmission };
  const reader = new PluginReader(entries, {
    path,
    platform,
    isEnabled: (name) => isPluginEnabled(name, selection),
    readsManifests: options.admissionManifests,
  });
  const manifests: StaticManifests[] = [];
  for (const plugin of MANIFEST_PLUGINS) {
    const found = await reader.manifests(plugin);
    if (found !== undefined) manifests.push(found);
  }
  return {
    manifests,
    podSecurity: await reader.podSecurity(),
    eventLimits: await reader.eventLimits(),
    nodeSelectors: await reader.nodeSelectors(),
    podTolerations: await reader.podTolerations(),
    limitedResources: await reader.limitedResources(),
    mutatingWebhooks: await reader.webhooks('MutatingAdmissionWebhook'),
    validatingWebhooks: await reader.webhooks('ValidatingAdmissionWebhook'),
    warnings: entries
      .filter(({ name }) => !PLUGIN_ORDER.some((plugin) => plugin.name === name))
      .map(({ name }) => `${FLAG}: ${path}: there is no admission plugin ${quote(name)}; its entry is ignored`),
  };
}

interface ReaderOptions {
  /** The file of the entries. */
  readonly path: string;
  readonly platform: Platform;
  isEnabled(plugin: string): boolean;
  /** The feature gate of `staticManifestsDir`. */
  readonly readsManifests: boolean;
}

class PluginReader {
  readonly #entries: readonly PluginEntry[];
  readonly #options: ReaderOptions;
  readonly #path: string;
  readonly #platform: Platform;

  constructor(entries: readonly PluginEntry[], options: ReaderOptions) {
    this.#entries = entries;
    this.#options = options;
    this.#path = options.path;
    this.#platform = options.platform;
  }

  /** Returns the configuration of the first entry of an enabled plugin; undefined if it has none. */
  async text(plugin: string): Promise<PluginText | undefined> {
    const entry = this.#options.isEnabled(plugin) ? this.#entries.find(({ name }) => name === plugin) : undefined;
    if (entry === undefined) return undefined;
    if (entry.text !== '') return { plugin, text: entry.text, path: this.#path };
    if (entry.path === '') return undefined;
    const path = this.#platform.pathBeside(this.#path, entry.path);
    return { plugin, text: await readFlagFile(this.#platform, `${FLAG}: the admission plugin ${plugin}`, path), path };
  }

  async podSecurity(): Promise<PodSecurityConfiguration | undefined> {
    const text = await this.text('PodSecurity');
    if (text === undefined) return undefined;
    return podSecurityConfigurationOf(
      decodePluginConfiguration(text, POD_SECURITY_CONFIGURATION, validatePodSecurityConfiguration),
    );
  }

  async eventLimits(): Promise<readonly EventLimit[] | undefined> {
    const text = await this.text('EventRateLimit');
    if (text === undefined) return undefined;
    return eventLimitsOf(decodePluginConfiguration(text, EVENT_RATE_LIMIT_CONFIGURATION, validateEventLimits));
  }

  async nodeSelectors(): Promise<NodeSelectors | undefined> {
    const text = await this.text('PodNodeSelector');
    if (text === undefined) return undefined;
    const decoded = decodeNodeSelectors(text.text);
    if (!decoded.ok) throw pluginConfigError(text.plugin, text.path, decoded.problem);
    return decoded.selectors;
  }

  async podTolerations(): Promise<TolerationConfiguration | undefined> {
    const text = await this.text('PodTolerationRestriction');
    if (text === undefined) return undefined;
    return tolerationConfigurationOf(
      decodePluginConfiguration(text, TOLERATION_CONFIGURATION, validateTolerationConfiguration),
    );
  }

  async limitedResources(): Promise<readonly LimitedResource[] | undefined> {
    const text = await this.text('ResourceQuota');
    if (text === undefined) return undefined;
    return limitedResourcesOf(decodePluginConfiguration(text, QUOTA_CONFIGURATION, validateLimitedResources));
  }

  /** Reads the manifest files of a plugin; undefined if it has none. */
  async manifests(plugin: ManifestPlugin): Promise<StaticManifests | undefined> {
    const text = await this.text(plugin);
    if (text === undefined) return undefined;
    const configuration = plugin.endsWith('Webhook')
      ? this.#webhookConfiguration(text)
      : decodePluginConfiguration(text, policyConfiguration(plugin), (decoded) =>
          validateStaticManifests(decoded, this.#options.readsManifests),
        );
    const folder = textAt(configuration, 'staticManifestsDir');
    if (folder === '') return undefined;
    const manifests = new StaticManifests(plugin, folder, this.#platform);
    const problem = await manifests.load();
    if (problem !== undefined) throw pluginConfigError(plugin, text.path, `staticManifestsDir: ${problem}`);
    return manifests;
  }

  #webhookConfiguration(text: PluginText): JsonObject {
    return decodePluginConfiguration(text, WEBHOOK_CONFIGURATION, (decoded) =>
      validateWebhookConfiguration(decoded, this.#options.readsManifests),
    );
  }

  async webhooks(plugin: string): Promise<KubeconfigUsers | undefined> {
    const text = await this.text(plugin);
    if (text === undefined) return undefined;
    const configuration = this.#webhookConfiguration(text);
    const file = textAt(configuration, 'kubeConfigFile');
    if (file === '') return undefined;
    const kubeconfig = await readFlagFile(this.#platform, `${FLAG}: the admission plugin ${plugin}`, file);
    try {
      return readKubeconfigUsers({ path: file, text: kubeconfig });
    } catch (caught) {
      throw isConfigError(caught) ? pluginConfigError(plugin, text.path, caught.message) : caught;
    }
  }
}
