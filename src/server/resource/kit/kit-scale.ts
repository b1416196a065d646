/**
 * The subresource `scale` of a declared resource. Invariant: requests in other versions read and change the object in
 * the hub version, because the paths are those of the hub.
 */
import { META_TYPE_VIEWS } from '../../../apimachinery/facts/meta-type-views.ts';
import type { ReplicasPaths } from '../../../apimachinery/managed-fields/scale-handler.ts';
import { ConfigError } from '../../../base/errors.ts';
import { withWriteCheck } from '../checked-writes.ts';
import { jsonPathTable, SCALE_COLUMNS } from '../json-path-columns.ts';
import type { SubresourceDefinition } from '../resource-definition.ts';
import type { ResourceContext } from '../resource-store.ts';
import { scaleAtPaths } from '../scale-paths.ts';
import { scaleSubresource } from '../scale-subresource.ts';
import { typedVersion } from '../typed-version.ts';
import type { KitHooks } from './kit-hooks.ts';
import type { ScalePaths } from './resource-options.ts';

/** Throws ConfigError for paths that are not below spec or status. */
export function kitScale(paths: ScalePaths, kind: string, hooks: KitHooks): SubresourceDefinition {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = paths;
  checkPath(kind, 'specReplicasPath', specReplicasPath, ['.spec.']);
  checkPath(kind, 'statusReplicasPath', statusReplicasPath, ['.status.']);
  if (labelSelectorPath !== '') checkPath(kind, 'labelSelectorPath', labelSelectorPath, ['.spec.', '.status.']);
  const { hub } = hooks.conversion;
  const replicas: ReplicasPaths = new Map([[hub.apiVersion, specReplicasPath.slice(1).split('.')]]);
  const declared = { specReplicasPath, statusReplicasPath, labelSelectorPath };
  const scale = scaleSubresource({
    version: typedVersion({
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      view: () => META_TYPE_VIEWS.view('io.k8s.api.autoscaling.v1.Scale'),
      stored: false,
      strategicMerge: false,
      table: () => jsonPathTable(SCALE_COLUMNS),
    }),
    replicasPaths: () => replicas,
    ...scaleAtPaths(() => declared),
  });
  const inHub = (context: ResourceContext): ResourceContext => ({ ...context, version: hub });
  return {
    ...scale,
    store: (parent, host) => {
      const checked = hooks.checksWrites ? withWriteCheck(parent, hooks.check) : parent;
      const { get, update } = scale.store(checked, host);
      return {
        ...(get && { get: (context, options) => get(inHub(context), options) }),
        ...(update && { update: (context, change, request) => update(inHub(context), change, request) }),
      };
    },
  };
}

function checkPath(kind: string, option: string, path: string, roots: readonly string[]): void {
  if (roots.some((root) => path.startsWith(root)) && /^(\.[A-Za-z_][\w-]*)+$/.test(path)) return;
  throw new ConfigError(
    `scale.${option} of ${kind}: ${JSON.stringify(path)} must be a path below ${roots.join(' or ')}`,
  );
}
