/**
 * `--runtime-config`: which versions of the built-in kinds are served. Invariant: keys and errors are the reference's; what is not said is on for stable versions and off
 * for beta and alpha ones. A version that is off is neither routed nor published; what is stored is not touched by it.
 */
import { formatGroupVersion, type GroupVersion } from '../apimachinery/meta/gvk.ts';
import { ConfigError } from '../base/errors.ts';
import type { ResourceDefinition } from '../server/resource/resource-definition.ts';
import type { VersionDefinition } from '../server/resource/version-definition.ts';
import { deprecationWarning } from './deprecated-versions.ts';

export interface RuntimeConfig {
  serves(version: GroupVersion, plural: string): boolean;
}

/** Every group-version that the key of an entry may name: those that the reference knows the types of, served or not. */
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

/** From the widest to the narrowest; a later one wins. */
const SETS: readonly (readonly [key: string, versions: RegExp])[] = [
  ['api/all', /^/],
  ['api/ga', /^v\d+$/],
  ['api/beta', /^v\d+beta\d+$/],
  ['api/alpha', /^v\d+alpha\d+$/],
];
const STABLE = /^v\d+$/;

/**
 * What the reference serves only behind a feature gate that is off by default. There are no such gates here: these are served if an entry names their version or
 * themselves, and `api/...` does not reach them.
 */
const GATED: ReadonlySet<string> = new Set([
  'certificates.k8s.io/clustertrustbundles',
  'certificates.k8s.io/podcertificaterequests',
  'scheduling.k8s.io/podgroups',
  'scheduling.k8s.io/workloads',
  'storagemigration.k8s.io/storageversionmigrations',
]);

const TRUE = new Set(['', '1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

/** Entries of the form `key=value`, a later one in the place of an earlier one with its key. Throws ConfigError for what the reference does not start with. */
export function parseRuntimeConfig(entries: readonly string[]): RuntimeConfig {
  const said = new Map<string, string>();
  for (const entry of entries) {
    const [key = '', ...rest] = entry.split('=');
    if (entry !== '') said.set(key.trim(), rest.join('=').trim());
  }
  if (said.get('api/all') === 'false' && said.size === 1)
    throw problem('invalid runtime-config with only api/all=false');
  const sets = SETS.flatMap(([key, versions]) => {
    const value = said.get(key);
    if (value === undefined) return [];
    said.delete(key);
    if (value !== 'true' && value !== 'false') throw problem(`invalid value ${key}=${value}`);
    return [{ versions, on: value === 'true' }];
  });
  const explicit = readExplicit(said);
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

/** Entries that name a version or a resource. */
function readExplicit(said: ReadonlyMap<string, string>): ReadonlyMap<string, boolean> {
  const parsed = [...said].map(([key, value]) => {
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

/** The definition with the versions that are on, and what they warn about; without any it is stored and not served. The storage version stays what it is. */
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
  return { ...definition, versions, storageVersion: sameKind ?? storageVersion };
}
