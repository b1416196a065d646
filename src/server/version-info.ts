/**
 * The `/version` document. The field names and the Kubernetes version are the reference's, because clients depend on
 * them; the other values describe this build. The build metadata of `gitVersion` (`+keelson.0.1.0`) identifies the
 * server: version comparisons ignore it.
 */
import { writeJsonBytes } from '../base/json-write.ts';
import type { Answer } from './http/exchange.ts';

/** The release of the reference whose behaviour this server follows. */
export const REFERENCE_VERSION = { major: 1, minor: 36, patch: 3 } as const;

/** Facts about the build and the process, which the platform provides. */
export interface BuildInfo {
  /** The version of Keelson: `0.1.0`. */
  readonly version: string;
  /** Absent if the build does not record it. */
  readonly commit?: string;
  readonly treeState?: 'clean' | 'dirty';
  /** RFC 3339. Default: 1970, which the reference prints for a build without a date. */
  readonly date?: string;
  /** The runtime, where the reference names its Go version: `node v22.1.0`. */
  readonly runtime: string;
  /** Operating system and processor in Go's names: `linux/amd64`. */
  readonly platform: string;
  /** Replaces `gitVersion`; see `reportedVersionProblem`. Default: the reference's version with our build metadata. */
  readonly reportedVersion?: string;
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

const SEMANTIC_VERSION =
  /^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/**
 * Says why the server cannot report this version: a semantic version of the reference's release is accepted, with any
 * pre-release and build metadata. Returns undefined if it can.
 */
export function reportedVersionProblem(text: string): string | undefined {
  const { major, minor, patch } = REFERENCE_VERSION;
  const release = `${major}.${minor}.${patch}`;
  const parts = SEMANTIC_VERSION.exec(text);
  const preRelease = parts?.[4] ?? '';
  if (parts === null || preRelease.split('.').some((part) => /^0\d+$/.test(part)))
    return `is not a semantic version such as v${release}-custom`;
  if (parts.slice(1, 4).join('.') !== release) return `must be a version of v${release}, such as v${release}-custom`;
  return undefined;
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
    gitVersion: build.reportedVersion ?? `v${major}.${minor}.${patch}+keelson.${buildIdentifier(build.version)}`,
    gitCommit: build.commit ?? '',
    gitTreeState: build.treeState ?? '',
    buildDate: build.date ?? '1970-01-01T00:00:00Z',
    goVersion: build.runtime,
    compiler: 'v8',
    platform: build.platform,
  };
}

/**
 * Returns the answer of `/version`. Its body is made once, because the document never changes. It is indented by two
 * spaces and has no newline at the end, as in the reference.
 */
export function versionAnswer(info: VersionInfo): Answer {
  return {
    kind: 'bytes',
    status: 200,
    headers: { 'cache-control': 'no-cache, private', 'content-type': 'application/json' },
    body: writeJsonBytes({ ...info }, { indent: 2 }),
  };
}

/**
 * Returns Keelson's version as build metadata, which may contain only letters, digits, hyphens and dots (semver.org,
 * item 10). In particular it must not contain a second `+`.
 */
function buildIdentifier(version: string): string {
  return version.replace(/[^0-9A-Za-z.-]/g, '-');
}
