/**
 * The loop of aggregated ClusterRoles: gives each aggregated role the rules of the ClusterRoles that its selectors
 * match, by server-side apply as the manager `clusterrole-aggregation-controller`.
 */
import { aggregateRules } from '../apimachinery/rbac/aggregate-rules.ts';
import { StatusError } from '../apimachinery/status/status.ts';
import { unknown } from '../apimachinery/status/status-catalogue.ts';
import { ClusterRole } from '../kinds/api/rbac/v1.ts';
import { KeyedLoop } from './keyed-loop.ts';
import type { LoopDefinition } from './loop.ts';

const MANAGER = 'clusterrole-aggregation-controller';

export const clusterRoleAggregationLoop: LoopDefinition = {
  name: 'clusterrole-aggregation-controller',
  serviceAccount: 'clusterrole-aggregation-controller',
  start: (context) => {
    const roles = context.informers.informer(ClusterRole);
    const api = context.client.api(ClusterRole);
    const loop = new KeyedLoop(context);
    // A change of any role may concern any aggregated role. Aggregated roles are few.
    loop.follow(roles, () =>
      roles.store
        .list()
        .filter(({ aggregationRule }) => aggregationRule !== undefined)
        .map(({ metadata }) => metadata.name),
    );
    return loop.start(context, {
      failure: 'cannot aggregate a ClusterRole, retrying',
      sync: async (name) => {
        const role = roles.store.get(name);
        if (role === undefined) return;
        const aggregation = aggregateRules(role, roles.store.list());
        if (aggregation.outcome === 'bad-selector') throw new StatusError(unknown(aggregation.message));
        if (aggregation.outcome === 'unchanged') return;
        await api.apply({ metadata: { name }, rules: aggregation.rules }, { fieldManager: MANAGER, force: true });
      },
    });
  },
};
