/** Parts of the declarations that the kinds of resource.k8s.io share. */
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, NAME, tableOf } from '../../../server/resource/columns.ts';
import { strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import type { TableDefinition, VersionDefinition } from '../../../server/resource/version-definition.ts';
import { type BuiltInVersion, builtInVersion } from '../../shared/built-in.ts';

type Defaults = (object: JsonObject) => void;

/** The columns of kinds that show only name and age. */
export const nameTable: () => TableDefinition = tableOf(NAME, AGE);

export function deviceVersion(options: Omit<BuiltInVersion, 'group'>): VersionDefinition {
  return builtInVersion({ group: 'resource.k8s.io', ...options });
}

/** The kinds validate their metadata themselves and answer a delete with the object. */
export function deviceStrategy(own: Partial<Strategy>): Strategy {
  return strategyWithDefaults({ validatesMetadata: true, returnsDeletedObject: true, ...own });
}

/** The versions v1, v1beta2 and v1beta1. The types of v1beta1 differ from the others, so it has defaults of its own. */
export function deviceVersions(
  options: Omit<BuiltInVersion, 'group' | 'version' | 'setDefaults'>,
  set?: Defaults,
  setV1beta1?: Defaults,
): [VersionDefinition, ...VersionDefinition[]] {
  const own = set === undefined ? {} : { setDefaults: set };
  return [
    deviceVersion({ version: 'v1', ...options, ...own }),
    deviceVersion({ version: 'v1beta2', ...options, ...own }),
    deviceVersion({ version: 'v1beta1', ...options, ...(setV1beta1 === undefined ? {} : { setDefaults: setV1beta1 }) }),
  ];
}
