/**
 * The chain of admission plugins: the names that exist, their order, and the ones that are enabled. The first refusal
 * ends the chain. A plugin that does not inspect a resource is never called for it.
 */
import { quote } from '../apimachinery/go-format.ts';
import { formatGroupResource, type GroupVersionResource } from '../apimachinery/meta/gvk.ts';
import { ConfigError } from '../base/errors.ts';
import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { Admission, AdmissionAttributes, AdmissionPlugin, Operation } from '../server/admission.ts';

/**
 * Every plugin of kube-apiserver, in its order, and whether it is enabled by default. Plugins with other names run
 * before `LAST`.
 */
export const PLUGIN_ORDER: readonly { readonly name: string; readonly on: boolean }[] = [
  { name: 'AlwaysAdmit', on: false },
  { name: 'NamespaceAutoProvision', on: false },
  { name: 'NamespaceLifecycle', on: true },
  { name: 'NamespaceExists', on: false },
  { name: 'LimitPodHardAntiAffinityTopology', on: false },
  { name: 'LimitRanger', on: true },
  { name: 'ServiceAccount', on: true },
  { name: 'NodeRestriction', on: false },
  { name: 'TaintNodesByCondition', on: true },
  { name: 'AlwaysPullImages', on: false },
  { name: 'ImagePolicyWebhook', on: false },
  { name: 'PodSecurity', on: true },
  { name: 'PodNodeSelector', on: false },
  { name: 'Priority', on: true },
  { name: 'DefaultTolerationSeconds', on: true },
  { name: 'PodTolerationRestriction', on: false },
  { name: 'EventRateLimit', on: false },
  { name: 'ExtendedResourceToleration', on: false },
  { name: 'DefaultStorageClass', on: true },
  { name: 'StorageObjectInUseProtection', on: true },
  { name: 'PodGroupProtection', on: true },
  { name: 'OwnerReferencesPermissionEnforcement', on: false },
  { name: 'PersistentVolumeClaimResize', on: true },
  { name: 'RuntimeClass', on: true },
  { name: 'CertificateApproval', on: true },
  { name: 'CertificateSigning', on: true },
  { name: 'ClusterTrustBundleAttest', on: true },
  { name: 'CertificateSubjectRestriction', on: true },
  { name: 'DefaultIngressClass', on: true },
  { name: 'DenyServiceExternalIPs', on: false },
  { name: 'PodTopologyLabels', on: true },
  { name: 'PodGroupWorkloadExists', on: true },
  { name: 'NodeDeclaredFeatureValidator', on: true },
  { name: 'JobValidation', on: true },
  { name: 'PodResizeValidator', on: true },
  { name: 'MutatingAdmissionPolicy', on: true },
  { name: 'MutatingAdmissionWebhook', on: true },
  { name: 'ValidatingAdmissionPolicy', on: true },
  { name: 'ValidatingAdmissionWebhook', on: true },
  { name: 'ResourceQuota', on: true },
  { name: 'AlwaysDeny', on: false },
];

/** Plugins that must see the final object: policies, webhooks and quotas. Plugins of an embedder run before them. */
const LAST = 'MutatingAdmissionPolicy';

export interface AdmissionSelection {
  /** `--enable-admission-plugins`: enabled besides those that are enabled by default. */
  readonly enable?: readonly string[];
  /** `--disable-admission-plugins`; wins for a name in both lists. */
  readonly disable?: readonly string[];
}

export type AdmissionStep = 'admit' | 'validate';

/** Records the duration of a step and whether it refused the request. */
export type AdmissionTally = (milliseconds: number, rejected: boolean) => void;

/** Measures the calls of plugins. */
export interface AdmissionObserver {
  /** Returns the time on a monotonic axis, in milliseconds. */
  now(): number;
  /**
   * Returns the tally of one step of a plugin. Called at the first request for each resource and operation, not per
   * request.
   */
  plugin(name: string, operation: Operation, step: AdmissionStep): AdmissionTally;
}

export interface AdmissionChain extends Admission {
  /** The plugins that run, in order. */
  readonly plugins: readonly string[];
}

/**
 * Makes the chain. Plugins that kube-apiserver does not have are enabled unless they are disabled by name. Throws
 * ConfigError for two plugins of one name, for a selected name that neither kube-apiserver nor `plugins` has, and for
 * an enabled name that `plugins` does not have.
 */
export function createAdmission(
  plugins: readonly AdmissionPlugin[],
  selection: AdmissionSelection = {},
  observer?: AdmissionObserver,
): AdmissionChain {
  const { enable = [], disable = [] } = selection;
  const built = byName(plugins);
  const order = orderWith(plugins);
  checkNames('enable-admission-plugins', enable, order);
  checkNames('disable-admission-plugins', disable, order);
  checkBuilt(enable, disable, built);
  const running = order
    .filter((plugin) => isOn(plugin, selection))
    .map(({ name }) => built.get(name))
    .filter((plugin) => plugin !== undefined);
  const handled = new Map<Operation, ByResource>();
  for (const operation of ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const) {
    const inspecting = running.filter((plugin) => plugin.handles(operation));
    handled.set(operation, new ByResource(inspecting, operation, observer));
  }
  return {
    plugins: running.map((plugin) => plugin.name),
    handles: (operation) => (handled.get(operation)?.size ?? 0) > 0,
    admit: (attributes) => {
      const steps = handled.get(attributes.operation)?.admit(attributes.resource) ?? [];
      const first = runFrom(steps, 0, attributes);
      return isPromise(first) ? first.then(() => runAgain(steps, attributes)) : runAgain(steps, attributes);
    },
    validate: (attributes) =>
      runFrom(handled.get(attributes.operation)?.validate(attributes.resource) ?? [], 0, attributes),
  };
}

/** Reports whether a plugin of kube-apiserver is enabled. False for an unknown name. */
export function isPluginEnabled(name: string, selection: AdmissionSelection): boolean {
  const plugin = PLUGIN_ORDER.find((one) => one.name === name);
  return plugin !== undefined && isOn(plugin, selection);
}

function isOn({ name, on }: OrderedPlugin, { enable = [], disable = [] }: AdmissionSelection): boolean {
  return !disable.includes(name) && (on || enable.includes(name));
}

type OrderedPlugin = (typeof PLUGIN_ORDER)[number];

function byName(plugins: readonly AdmissionPlugin[]): ReadonlyMap<string, AdmissionPlugin> {
  const built = new Map<string, AdmissionPlugin>();
  for (const plugin of plugins) {
    if (built.has(plugin.name)) throw new ConfigError(`two admission plugins have the name ${quote(plugin.name)}`);
    built.set(plugin.name, plugin);
  }
  return built;
}

/** Returns PLUGIN_ORDER with the plugins that it does not name before `LAST`. */
function orderWith(plugins: readonly AdmissionPlugin[]): readonly OrderedPlugin[] {
  const known = new Set(PLUGIN_ORDER.map(({ name }) => name));
  const added = plugins.filter(({ name }) => !known.has(name)).map(({ name }) => ({ name, on: true }));
  const at = PLUGIN_ORDER.findIndex(({ name }) => name === LAST);
  return [...PLUGIN_ORDER.slice(0, at), ...added, ...PLUGIN_ORDER.slice(at)];
}

function checkNames(flag: string, names: readonly string[], order: readonly OrderedPlugin[]): void {
  const known = order.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new ConfigError(`--${flag}: plugin ${quote(unknown)} is unknown; known are ${[...known].sort().join(', ')}`);
}

/** Sentences for plugins that are not always built. */
const NOT_BUILT: Readonly<Record<string, string>> = {
  EventRateLimit: 'needs limits in --admission-control-config-file',
  ImagePolicyWebhook: 'is not supported: use ValidatingAdmissionWebhook to check images',
};

function checkBuilt(
  enable: readonly string[],
  disable: readonly string[],
  built: ReadonlyMap<string, AdmissionPlugin>,
): void {
  const missing = enable.find((name) => !built.has(name) && !disable.includes(name));
  if (missing === undefined) return;
  const why = NOT_BUILT[missing] ?? 'is not part of this server';
  throw new ConfigError(`--enable-admission-plugins: the plugin ${quote(missing)} ${why}`);
}

/** One step of one plugin, measured if there is an observer. */
type PluginStep = (attributes: AdmissionAttributes) => MaybePromise<void>;

/** The steps of one operation by resource. Endpoints use one object per resource, so a resource is looked up once. */
class ByResource {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #operation: Operation;
  readonly #observer: AdmissionObserver | undefined;
  readonly #admitting = new WeakMap<GroupVersionResource, readonly PluginStep[]>();
  readonly #validating = new WeakMap<GroupVersionResource, readonly PluginStep[]>();

  constructor(plugins: readonly AdmissionPlugin[], operation: Operation, observer: AdmissionObserver | undefined) {
    this.#plugins = plugins;
    this.#operation = operation;
    this.#observer = observer;
  }

  get size(): number {
    return this.#plugins.length;
  }

  admit(resource: GroupVersionResource): readonly PluginStep[] {
    return this.#stepsOf(this.#admitting, resource, 'admit');
  }

  validate(resource: GroupVersionResource): readonly PluginStep[] {
    return this.#stepsOf(this.#validating, resource, 'validate');
  }

  #stepsOf(
    known: WeakMap<GroupVersionResource, readonly PluginStep[]>,
    resource: GroupVersionResource,
    step: AdmissionStep,
  ): readonly PluginStep[] {
    let steps = known.get(resource);
    if (steps === undefined) {
      const name = formatGroupResource(resource);
      steps = this.#plugins
        .filter(({ resources }) => resources === undefined || resources.includes(name))
        .flatMap((plugin) => this.#stepOf(plugin, step));
      known.set(resource, steps);
    }
    return steps;
  }

  #stepOf(plugin: AdmissionPlugin, step: AdmissionStep): readonly PluginStep[] {
    const run = plugin[step]?.bind(plugin);
    if (run === undefined) return [];
    const observer = this.#observer;
    if (observer === undefined) return [run];
    const tally = observer.plugin(plugin.name, this.#operation, step);
    return [(attributes) => measured(run, attributes, observer, tally)];
  }
}

/** Runs the steps in order. Makes no promise as long as the plugins answer synchronously. */
function runFrom(steps: readonly PluginStep[], at: number, attributes: AdmissionAttributes): MaybePromise<void> {
  for (let i = at; i < steps.length; i++) {
    const answer = (steps[i] as PluginStep)(attributes);
    if (isPromise(answer)) return answer.then(() => runFrom(steps, i + 1, attributes));
  }
  return undefined;
}

/** Runs the steps once more if a plugin of the first run wants it. */
function runAgain(steps: readonly PluginStep[], attributes: AdmissionAttributes): MaybePromise<void> {
  if (attributes.reinvocation !== 'wanted') return undefined;
  attributes.reinvocation = 'running';
  return runFrom(steps, 0, attributes);
}

function measured(
  run: PluginStep,
  attributes: AdmissionAttributes,
  observer: AdmissionObserver,
  tally: AdmissionTally,
): MaybePromise<void> {
  const start = observer.now();
  try {
    const answer = run(attributes);
    if (!isPromise(answer)) {
      tally(observer.now() - start, false);
      return undefined;
    }
    return answer.then(
      () => tally(observer.now() - start, false),
      (error: unknown) => {
        tally(observer.now() - start, true);
        throw error;
      },
    );
  } catch (error) {
    tally(observer.now() - start, true);
    throw error;
  }
}
