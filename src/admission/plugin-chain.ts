/**
 * The chain of admission plugins: which there are, in which order they run, which are on. Invariant: plugins run in the order of PLUGIN_ORDER, every `admit` before
 * any `validate`; the first refusal ends the chain. A plugin that does not look at a resource is not asked about it, so what it does costs that resource nothing.
 */
import { quote } from '../apimachinery/go-format.ts';
import { formatGroupResource, type GroupVersionResource } from '../apimachinery/meta/gvk.ts';
import { ConfigError } from '../base/errors.ts';
import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { Admission, AdmissionAttributes, AdmissionPlugin, Operation } from '../server/admission.ts';

/** Every plugin of the reference, in its order, and whether it is on by default. A plugin that is not built here is accepted and does nothing. */
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

export interface AdmissionSelection {
  /** `--enable-admission-plugins`: on besides those that are on by default. */
  readonly enable?: readonly string[];
  /** `--disable-admission-plugins`; of a name in both lists, this one counts. */
  readonly disable?: readonly string[];
}

/** Told about each call of a plugin, in milliseconds of `now`. */
export interface AdmissionObserver {
  now(): number;
  observe(
    plugin: string,
    operation: Operation,
    step: 'admit' | 'validate',
    milliseconds: number,
    rejected: boolean,
  ): void;
}

export interface AdmissionChain extends Admission {
  /** The plugins that run, in order. */
  readonly plugins: readonly string[];
  /** One sentence for each plugin that was enabled by name and is not built. */
  readonly warnings: readonly string[];
}

/** Throws ConfigError for a name that the reference does not know either. */
export function createAdmission(
  plugins: readonly AdmissionPlugin[],
  selection: AdmissionSelection = {},
  observer?: AdmissionObserver,
): AdmissionChain {
  const { enable = [], disable = [] } = selection;
  checkNames('enable-admission-plugins', enable);
  checkNames('disable-admission-plugins', disable);
  const built = new Map(plugins.map((plugin) => [plugin.name, plugin]));
  const isOn = ({ name, on }: (typeof PLUGIN_ORDER)[number]): boolean =>
    !disable.includes(name) && (on || enable.includes(name));
  const running = PLUGIN_ORDER.filter(isOn)
    .map(({ name }) => built.get(name))
    .filter((plugin) => plugin !== undefined);
  const handled = new Map<Operation, ByResource>();
  for (const operation of ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const)
    handled.set(operation, new ByResource(running.filter((plugin) => plugin.handles(operation))));
  const run = (attributes: AdmissionAttributes, step: 'admit' | 'validate'): MaybePromise<void> =>
    runFrom(handled.get(attributes.operation)?.[step](attributes.resource) ?? [], 0, attributes, step, observer);
  return {
    plugins: running.map((plugin) => plugin.name),
    warnings: enable
      .filter((name) => !built.has(name) && !disable.includes(name))
      .map((name) => `admission plugin ${quote(name)} is not built yet; it is accepted and does nothing`),
    handles: (operation) => (handled.get(operation)?.plugins ?? []).length > 0,
    admit: (attributes) => run(attributes, 'admit'),
    validate: (attributes) => run(attributes, 'validate'),
  };
}

/** Who is asked about a resource, found once for each: endpoints name a resource by the same object in every request. */
class ByResource {
  readonly plugins: readonly AdmissionPlugin[];
  readonly #admitting = new WeakMap<GroupVersionResource, readonly AdmissionPlugin[]>();
  readonly #validating = new WeakMap<GroupVersionResource, readonly AdmissionPlugin[]>();

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.plugins = plugins;
  }

  admit(resource: GroupVersionResource): readonly AdmissionPlugin[] {
    return this.#asked(this.#admitting, resource, 'admit');
  }

  validate(resource: GroupVersionResource): readonly AdmissionPlugin[] {
    return this.#asked(this.#validating, resource, 'validate');
  }

  #asked(
    known: WeakMap<GroupVersionResource, readonly AdmissionPlugin[]>,
    resource: GroupVersionResource,
    step: 'admit' | 'validate',
  ): readonly AdmissionPlugin[] {
    let asked = known.get(resource);
    if (asked === undefined) {
      const name = formatGroupResource(resource);
      asked = this.plugins.filter(
        (plugin) => plugin[step] !== undefined && (plugin.resources === undefined || plugin.resources.includes(name)),
      );
      known.set(resource, asked);
    }
    return asked;
  }
}

function checkNames(flag: string, names: readonly string[]): void {
  const known = PLUGIN_ORDER.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new ConfigError(`--${flag}: plugin ${quote(unknown)} is unknown; known are ${[...known].sort().join(', ')}`);
}

/** Goes on without a promise as long as plugins answer at once. */
function runFrom(
  plugins: readonly AdmissionPlugin[],
  at: number,
  attributes: AdmissionAttributes,
  step: 'admit' | 'validate',
  observer: AdmissionObserver | undefined,
): MaybePromise<void> {
  for (let i = at; i < plugins.length; i++) {
    const plugin = plugins[i] as AdmissionPlugin;
    if (plugin[step] === undefined) continue;
    const answer = observer === undefined ? plugin[step](attributes) : observed(plugin, attributes, step, observer);
    if (isPromise(answer)) return answer.then(() => runFrom(plugins, i + 1, attributes, step, observer));
  }
  return undefined;
}

function observed(
  plugin: AdmissionPlugin,
  attributes: AdmissionAttributes,
  step: 'admit' | 'validate',
  observer: AdmissionObserver,
): MaybePromise<void> {
  const start = observer.now();
  const tell = (rejected: boolean): void =>
    observer.observe(plugin.name, attributes.operation, step, observer.now() - start, rejected);
  try {
    const answer = plugin[step]?.(attributes);
    if (!isPromise(answer)) {
      tell(false);
      return undefined;
    }
    return answer.then(
      () => tell(false),
      (error: unknown) => {
        tell(true);
        throw error;
      },
    );
  } catch (error) {
    tell(true);
    throw error;
  }
}
