/**
 * The values of `--feature-gates`: `[COMPONENT:]NAME=BOOL`, separated by commas. Features of kube-apiserver have the
 * stage of their release here; only a gate with an effect of its own is read.
 */
import { FlagValues } from './flag-values.ts';

const MANIFESTS = 'ManifestBasedAdmissionControlConfig';
/** Sets every alpha feature that has no entry of its own. */
const ALL_ALPHA = 'AllAlpha';
/** The component of kube-apiserver, which is also the default. */
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

/** The last entry of a name counts. The component of gates with an effect is dropped. */
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
