/**
 * The kind ComponentStatus: the health of the control plane's components. It is not stored; each request checks anew. A
 * scheduler and a controller manager are not among them. The storage is called `etcd-0`, the name that clients expect;
 * those of `--etcd-servers-overrides` follow.
 */
import { textAt } from '../../../apimachinery/meta/object-fields.ts';
import { matchesFields } from '../../../apimachinery/selectors/field-selector.ts';
import { matchesLabels } from '../../../apimachinery/selectors/label-selector.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { notFound } from '../../../apimachinery/status/status-catalogue.ts';
import { toError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { writeJsonBytes } from '../../../base/json-write.ts';
import { column, NAME, tableOf } from '../../../server/resource/columns.ts';
import type { RegistryHost } from '../../../server/resource/registry-host.ts';
import type { ResourceStore } from '../../../server/resource/resource-store.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion, unstoredResource } from '../../shared/built-in.ts';

const componentStatusTable: () => TableDefinition = tableOf(
  NAME,
  column('Status', 'Healthy or Unhealthy.', (object) => {
    const condition = healthOf(object);
    if (condition === undefined) return 'Unknown';
    return textAt(condition, 'status') === 'True' ? 'Healthy' : 'Unhealthy';
  }),
  column('Message', 'What the part said.', (object) => textAt(healthOf(object) ?? {}, 'message')),
  column('Error', 'Why it could not be asked.', (object) => textAt(healthOf(object) ?? {}, 'error')),
);

function healthOf(object: JsonObject): JsonObject | undefined {
  const conditions = object['conditions'];
  const found = Array.isArray(conditions)
    ? conditions.find((one) => (one as JsonObject)['type'] === 'Healthy')
    : undefined;
  return found as JsonObject | undefined;
}

type Check = () => Promise<JsonObject>;

const ABSENT: Check = async () => ({ status: 'False', message: 'not a part of this control plane' });

function storageCheck(storage: RegistryHost['storage']): Check {
  return async () => {
    try {
      await storage.revision();
      return { status: 'True', message: 'ok' };
    } catch (caught) {
      return { status: 'False', message: toError(caught).message };
    }
  };
}

function componentsOf({ storage, otherStorages = [] }: RegistryHost): ReadonlyMap<string, Check> {
  const storages = [storage, ...otherStorages].map((each, i) => [`etcd-${i}`, storageCheck(each)] as const);
  return new Map<string, Check>([['controller-manager', ABSENT], ['scheduler', ABSENT], ...storages]);
}

export const COMPONENT_STATUS: KubeResource = {
  definition: unstoredResource({
    plural: 'componentstatuses',
    shortNames: ['cs'],
    scope: 'Cluster',
    version: builtInVersion({
      group: '',
      version: 'v1',
      kind: 'ComponentStatus',
      table: componentStatusTable,
      stored: false,
    }),
    store: componentStatusStore,
  }),
};

function componentStatusStore(host: RegistryHost): ResourceStore {
  const components = componentsOf(host);
  const ask = async (name: string, check: Check): Promise<JsonObject> => ({
    kind: 'ComponentStatus',
    apiVersion: 'v1',
    metadata: { name },
    conditions: [{ type: 'Healthy', ...(await check()) }],
  });
  return {
    get: async ({ name }) => {
      const check = components.get(name);
      if (check === undefined) throw new StatusError(notFound({ group: '', resource: 'componentstatus' }, name));
      return writeJsonBytes(await ask(name, check));
    },
    list: async (_context, { labelSelector, fieldSelector }) => {
      const chosen = [...components].filter(
        ([name]) =>
          matchesLabels(labelSelector, () => undefined) &&
          matchesFields(fieldSelector, (field) => (field === 'metadata.name' ? name : '')),
      );
      const objects = await Promise.all(chosen.map(([name, check]) => ask(name, check)));
      return {
        resourceVersion: '',
        continueToken: '',
        remaining: undefined,
        items: objects.map((object) => writeJsonBytes(object)),
      };
    },
  };
}
