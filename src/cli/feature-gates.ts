/**
 * The values of `--feature-gates`: `[COMPONENT:]NAME=BOOL`, separated by commas. Two gates have an effect here:
 * ManifestBasedAdmissionControlConfig, and AllAlpha, which includes it. Every other feature is on or off as in the
 * release of kube-apiserver that this server follows.
 */
import { FlagValues } from './flag-values.ts';

const MANIFESTS = 'ManifestBasedAdmissionControlConfig';
/** Sets every alpha feature without an entry in the flag. */
const ALL_ALPHA = 'AllAlpha';
/** The component prefix of kube-apiserver's gates. A gate without a prefix is one of kube-apiserver, too. */
const COMPONENT = 'kube:';

/** Reports whether admission may read manifest files. Throws ConfigError for a malformed entry. */
export function isManifestGateOn(values: FlagValues): boolean {
  const gates = parseGates(values);
  return gates.get(MANIFESTS) ?? gates.get(ALL_ALPHA) ?? false;
}

/** Returns the names of the given gates that have no effect here. */
export function unusedGates(values: FlagValues): readonly string[] {
  return [...parseGates(values).keys()].filter((name) => name !== MANIFESTS && name !== ALL_ALPHA);
}

/**
 * Returns the value of each gate. The last entry of a gate counts. Gates with an effect are keyed without their
 * component, all others as given.
 */
function parseGates(values: FlagValues): ReadonlyMap<string, boolean> {
  const gates = new Map<string, boolean>();
  for (const entry of values.list()) {
    const [given = '', value, ...more] = entry.trim().split('=');
    if (given === '' || value === undefined || more.length > 0)
      throw new FlagValues(values.name, [entry]).refuse('is not NAME=true or NAME=false');
    const own = given.startsWith(COMPONENT) ? given.slice(COMPONENT.length) : given;
    gates.set(own === MANIFESTS || own === ALL_ALPHA ? own : given, new FlagValues(values.name, [value]).bool());
  }
  return gates;
}
