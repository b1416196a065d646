/** The writes that bring the stored RBAC objects up to the bootstrap policy. */
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Logger } from '../../base/logger.ts';
import type { Lister } from '../../server/own/lister.ts';
import type { ObjectEnsurer } from '../ensurer/object-ensurer.ts';
import { bootstrapPolicy } from '../rbac/bootstrap/bootstrap-policy.ts';
import { type PolicyStep, planPolicy } from '../rbac/bootstrap/plan-policy.ts';

export interface PolicyWritesOptions {
  /** Their state must be current. */
  readonly listers: Readonly<Record<'roles' | 'rolebindings' | 'clusterroles' | 'clusterrolebindings', Lister>>;
  readonly ensurer: ObjectEnsurer;
  readonly logger: Logger;
}

type Plural = keyof PolicyWritesOptions['listers'];

const PLURALS: Readonly<Record<string, Plural>> = {
  Role: 'roles',
  RoleBinding: 'rolebindings',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
};

/** Plans the writes. Logs a warning for each protected object that lacks permissions. */
export function policyWrites({ listers, ensurer, logger }: PolicyWritesOptions): readonly (() => Promise<void>)[] {
  const plan = planPolicy(bootstrapPolicy(), {
    clusterRole: (name) => listers.clusterroles.get('', name),
    clusterRoleBinding: (name) => listers.clusterrolebindings.get('', name),
    role: (namespace, name) => listers.roles.get(namespace, name),
    roleBinding: (namespace, name) => listers.rolebindings.get(namespace, name),
  });
  for (const { object, missingRules, missingSubjects } of plan.skipped)
    logger.warn('a bootstrap RBAC object lacks permissions; its annotation autoupdate=false keeps it unchanged', {
      kind: object.kind,
      name: object.metadata?.name,
      missingRules: missingRules.length,
      missingSubjects: missingSubjects.length,
    });
  return plan.writes.map((step) => {
    const plural = PLURALS[step.object.kind ?? ''] as Plural;
    return () => runStep(plural, step, listers[plural], ensurer);
  });
}

async function runStep(
  plural: Plural,
  { operation, object }: PolicyStep,
  lister: Lister,
  ensurer: ObjectEnsurer,
): Promise<void> {
  const wanted = object as JsonObject;
  if (operation === 'update') return ensurer.replace(plural, wanted);
  if (operation === 'recreate') {
    const stored = lister.get(textAt(wanted, 'metadata', 'namespace'), textAt(wanted, 'metadata', 'name'));
    await ensurer.remove(plural, wanted, stored === undefined ? undefined : textAt(stored, 'metadata', 'uid'));
  }
  return ensurer.create(plural, wanted);
}
