/**
 * The flag `--runtime-config`, which selects the served versions of the built-in kinds. Keys and errors equal the
 * reference's. By default stable versions are enabled, and beta and alpha versions disabled.
 * Invariant: a disabled version is neither routed nor published. Stored objects do not change.
 */
import { formatGroupVersion, type GroupVersion } from '../apimachinery/meta/gvk.ts';
import { ConfigError } from '../base/errors.ts';
import type { ResourceDefinition } from '../server/resource/resource-definition.ts';
import type { VersionDefinition } from '../server/resource/version-definition.ts';
import { deprecationWarning } from './deprecated-versions.ts';

export interface RuntimeConfig {
  /** Returns true if the resource is served in this version. */
  serves(version: GroupVersion, plural: string): boolean;
}

/** The group-versions that an entry may name: all that are registered in the reference's scheme, served or not. */
const REGISTERED: Readonly<Record<string, string>> = {
  '': 'v1',
  'admission.k8s.io': 'v1 v1beta1',
  'admissionregistration.k8s.io': 'v1 v1beta1 v1alpha1',
  'apiextensions.k8s.io': 'v1 v1beta1',
  'apiregistration.k8s.io': 'v1 v1beta1',
  apps: 'v1 v1beta2 v1beta1',
  'authentication.k8s.io': 'v1 v1beta1 v1alpha1',
  'authorization.k8s.io': 'v1 v1beta1',
  autoscaling: 'v2 v1',
  batch: 'v1 v1beta1',
  'certificates.k8s.io': 'v1 v1beta1 v1alpha1',
  'coordination.k8s.io': 'v1 v1beta1 v1alpha2',
  'discovery.k8s.io': 'v1 v1beta1',
  'events.k8s.io': 'v1 v1beta1',
  extensions: 'v1beta1',
  'flowcontrol.apiserver.k8s.io': 'v1 v1beta3 v1beta2 v1beta1',
  'imagepolicy.k8s.io': 'v1alpha1',
  'internal.apiserver.k8s.io': 'v1alpha1',
  'networking.k8s.io': 'v1 v1beta1',
  'node.k8s.io': 'v1 v1beta1 v1alpha1',
  policy: 'v1 v1beta1',
  'rbac.authorization.k8s.io': 'v1 v1beta1 v1alpha1',
  'resource.k8s.io': 'v1 v1beta2 v1beta1 v1alpha3',
  'scheduling.k8s.io': 'v1 v1beta1 v1alpha2',
  'storage.k8s.io': 'v1 v1beta1 v1alpha1',
  'storagemigration.k8s.io': 'v1beta1',
};

/** Ordered from the widest to the narrowest. A later one takes precedence. */
const SETS: readonly (readonly [key: string, versions: RegExp])[] = [
  ['api/all', /^/],
  ['api/ga', /^v\d+$/],
  ['api/beta', /^v\d+beta\d+$/],
  ['api/alpha', /^v\d+alpha\d+$/],
];
const STABLE = /^v\d+$/;

/**
 * Resources behind a feature gate that is disabled by default in the reference. There are no such gates here: these are
 * served if an entry names the resource or its version. `api/...` entries do not enable them.
 */
const GATED: ReadonlySet<string> = new Set([
  'certificates.k8s.io/clustertrustbundles',
  'certificates.k8s.io/podcertificaterequests',
  'scheduling.k8s.io/podgroups',
  'scheduling.k8s.io/workloads',
  'storagemigration.k8s.io/storageversionmigrations',
]);

/**
 * Entries for the core group, whose name is empty: `v1`, `api/v1`, and either with anything after a slash. All of them
 * mean the version `/v1` as a whole, as in the reference: a resource behind it is not read.
 */
const CORE_ALIAS = /^(api\/)?v1(\/|$)/;
/** A deprecated entry without effect. */
const LEGACY = 'api/legacy';

const TRUE = new Set(['', '1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

/**
 * Parses entries `key=value`. Of two entries with the same key the later one counts. Throws ConfigError for an entry
 * that the reference refuses.
 */
export function parseRuntimeConfig(entries: readonly string[]): RuntimeConfig {
  const values = new Map<string, string>();
  for (const entry of entries) {
    const [name = '', ...rest] = entry.split('=');
    const key = name.trim();
    if (entry !== '' && key !== LEGACY) values.set(CORE_ALIAS.test(key) ? '/v1' : key, rest.join('=').trim());
  }
  if (values.get('api/all') === 'false' && values.size === 1)
    throw problem('invalid runtime-config with only api/all=false');
  const sets = SETS.flatMap(([key, versions]) => {
    const value = values.get(key);
    if (value === undefined) return [];
    values.delete(key);
    if (value !== 'true' && value !== 'false') throw problem(`invalid value ${key}=${value}`);
    return [{ versions, on: value === 'true' }];
  });
  const explicit = parseExplicit(values);
  return {
    serves: (version, plural) => {
      const groupVersion = slashed(version);
      const named = explicit.get(`${groupVersion}/${plural}`) ?? explicit.get(groupVersion);
      if (named !== undefined) return named;
      if (GATED.has(`${version.group}/${plural}`)) return false;
      return sets.findLast(({ versions }) => versions.test(version.version))?.on ?? STABLE.test(version.version);
    },
  };
}

/** Parses the entries that name a version or a resource. */
function parseExplicit(values: ReadonlyMap<string, string>): ReadonlyMap<string, boolean> {
  const parsed = [...values].map(([key, value]) => {
    const [group = '', version = '', resource, ...more] = key.split('/');
    if (!key.includes('/') || more.length > 0) throw problem(`runtime-config invalid key ${key}`);
    return { key, value, group, version, resource };
  });
  const unknown = parsed.filter(({ group }) => !Object.hasOwn(REGISTERED, group));
  if (unknown.length > 0) throw problem(`unknown api groups ${[...new Set(unknown.map(slashed))].sort().join(',')}`);
  const explicit = new Map<string, boolean>();
  for (const { key, value, group, version, resource } of parsed) {
    if (!(REGISTERED[group] as string).split(' ').includes(version))
      throw problem(`group version ${formatGroupVersion({ group, version })} that has not been registered`);
    if (!TRUE.has(value) && !FALSE.has(value))
      throw problem(`invalid value of ${key}: ${value}, err: strconv.ParseBool: parsing "${value}": invalid syntax`);
    if (resource !== undefined && resource !== resource.toLowerCase())
      throw problem(
        `invalid key ${key}: group/version/resource and resource is always lowercase plural, not "${resource}"`,
      );
    explicit.set(key, TRUE.has(value));
  }
  return explicit;
}

function slashed({ group, version }: GroupVersion): string {
  return `${group}/${version}`;
}

function problem(text: string): ConfigError {
  return new ConfigError(`--runtime-config: ${text}`);
}

/**
 * Returns the definition with its enabled versions and their deprecation warnings. A definition without versions is
 * stored and not served. The storage version does not change.
 */
export function servedDefinition(definition: ResourceDefinition, config: RuntimeConfig): ResourceDefinition {
  const versions = definition.versions.flatMap((version): VersionDefinition[] => {
    if (!config.serves(version, definition.plural)) return [];
    const warning = version.deprecationWarning || deprecationWarning(version);
    return [warning === version.deprecationWarning ? version : { ...version, deprecationWarning: warning }];
  });
  const { storageVersion } = definition;
  const sameKind = versions.find(
    ({ group, version }) => group === storageVersion?.group && version === storageVersion.version,
  );
  return { ...definition, versions, storedVersions: definition.versions, storageVersion: sameKind ?? storageVersion };
}
