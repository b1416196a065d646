/**
 * The `/version` document. Invariant: the field names, and the version that clients branch on, are the reference's; everything about the build is ours, and
 * the build metadata of `gitVersion` (`+keelson.0.1.0`, which no comparison of versions looks at) says who answers.
 */
import { writeJsonBytes } from '../base/json-write.ts';
import type { Answer } from './http/exchange.ts';

/** The release of the reference whose behaviour this server follows. */
export const REFERENCE_VERSION = { major: 1, minor: 36, patch: 3 } as const;

/** What the process knows about itself; whoever starts the server asks the platform. */
export interface BuildInfo {
  /** Our own version: `0.1.0`. */
  readonly version: string;
  /** Empty if the build does not know. */
  readonly commit?: string;
  readonly treeState?: 'clean' | 'dirty';
  /** RFC 3339. Default: the epoch, which is what the reference prints when a build does not say. */
  readonly date?: string;
  /** What runs us, where the reference names its Go: `node v22.1.0`. */
  readonly runtime: string;
  /** `linux/amd64`: the reference's names of systems and processors. */
  readonly platform: string;
}

/** Fields in the order in which the reference prints them. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly emulationMajor: string;
  readonly emulationMinor: string;
  readonly minCompatibilityMajor: string;
  readonly minCompatibilityMinor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

export function versionInfo(build: BuildInfo): VersionInfo {
  const { major, minor, patch } = REFERENCE_VERSION;
  return {
    major: String(major),
    minor: String(minor),
    emulationMajor: String(major),
    emulationMinor: String(minor),
    minCompatibilityMajor: String(major),
    minCompatibilityMinor: String(minor - 1),
    gitVersion: `v${major}.${minor}.${patch}+keelson.${buildIdentifier(build.version)}`,
    gitCommit: build.commit ?? '',
    gitTreeState: build.treeState ?? '',
    buildDate: build.date ?? '1970-01-01T00:00:00Z',
    goVersion: build.runtime,
    compiler: 'v8',
    platform: build.platform,
  };
}

/** Made once: the document never changes while a server runs. Printed with two spaces and no newline at the end, as the reference does. */
export function versionAnswer(info: VersionInfo): Answer {
  return {
    kind: 'bytes',
    status: 200,
    headers: { 'cache-control': 'no-cache, private', 'content-type': 'application/json' },
    body: writeJsonBytes({ ...info }, { indent: 2 }),
  };
}

/** Build metadata allows letters, digits, hyphens and dots only: a `+` of our own version would make a second one. */
function buildIdentifier(version: string): string {
  return version.replace(/[^0-9A-Za-z.-]/g, '-');
}
