/** The output of `keelson version` and of `--version`. */
import { nodeBuildInfo, readPackageVersion } from '../node/platform.ts';
import { type VersionInfo, versionInfo } from '../server/version-info.ts';

export function versionLine(): string {
  return `keelson ${readPackageVersion()} (node ${process.versions.node})`;
}

/** Returns the output of `kube-apiserver --version`. */
export function kubernetesVersionLine(): string {
  return `Kubernetes ${ownVersion().gitVersion}`;
}

/** Returns the output of `--version=raw`: the fields of `/version` as Go prints the struct. */
export function rawVersionLine(): string {
  const fields = Object.entries(ownVersion()).map(
    ([name, value]) => `${name.charAt(0).toUpperCase()}${name.slice(1)}:${JSON.stringify(value)}`,
  );
  return `version.Info{${fields.join(', ')}}`;
}

function ownVersion(): VersionInfo {
  return versionInfo(nodeBuildInfo(readPackageVersion()));
}
