/** The kinds that both the generated facts and the oracle's scheme have. */
import type { StructView } from '../../src/apimachinery/type-view.ts';
import { kinds } from '../../src/kinds/facts/all.ts';
import { kindView } from '../../src/kinds/views.ts';

const NOT_IN_SCHEME = new Set(['apidiscovery.k8s.io', 'apiextensions.k8s.io', 'apiregistration.k8s.io', 'meta.k8s.io']);

/** By `group/version/Kind`, as the oracle names them. */
export function generatedViews(): Map<string, StructView> {
  const views = new Map<string, StructView>();
  for (const [group, version, packageId, names] of kinds) {
    if (NOT_IN_SCHEME.has(group) || packageId === 'meta-v1') continue;
    for (const kind of names.split(' ')) views.set(`${group}/${version}/${kind}`, kindView(group, version, kind));
  }
  return views;
}
