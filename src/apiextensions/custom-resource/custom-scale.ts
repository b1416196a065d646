/**
 * The `scale` subresource of custom resources, with replicas and selector at the paths that the definition declares.
 */
import { BugError } from '../../base/errors.ts';
import { kindView } from '../../kinds/views.ts';
import { jsonPathTable, SCALE_COLUMNS } from '../../server/resource/json-path-columns.ts';
import type { SubresourceDefinition } from '../../server/resource/resource-definition.ts';
import type { ResourceContext } from '../../server/resource/resource-store.ts';
import { scaleAtPaths } from '../../server/resource/scale-paths.ts';
import { scaleSubresource } from '../../server/resource/scale-subresource.ts';
import { typedVersion } from '../../server/resource/typed-version.ts';
import type { VersionDefinition } from '../../server/resource/version-definition.ts';
import type { CrdScale } from '../crd.ts';
import { CustomVersion } from './custom-version.ts';

export const CUSTOM_SCALE: SubresourceDefinition = scaleSubresource({
  version: typedVersion({
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
    view: () => kindView('autoscaling', 'v1', 'Scale'),
    stored: false,
    strategicMerge: false,
    table: () => jsonPathTable(SCALE_COLUMNS),
  }),
  replicasPaths: ({ version }) => customVersion(version).replicasPaths(),
  ...scaleAtPaths(pathsOf),
});

function customVersion(version: VersionDefinition): CustomVersion {
  if (version instanceof CustomVersion) return version;
  throw new BugError(`${version.kind} is not a custom resource`);
}

function pathsOf({ version }: ResourceContext): CrdScale {
  const { scale } = customVersion(version).declared;
  if (scale === undefined) throw new BugError(`version ${version.version} of a custom resource has no scale`);
  return scale;
}
