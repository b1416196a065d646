/**
 * The `default` ServiceAccount of each namespace, which the plugin ServiceAccount requires of every pod. The server
 * creates it together with the namespace, also without control loops, so that pods can be created at once; and at its
 * start where it is missing. The loop serviceaccount-controller restores one that was deleted. If a
 * kube-controller-manager runs, too, whichever is first creates the account.
 */
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import { isAlreadyExists } from '../../apimachinery/status/status.ts';
import { toError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Logger } from '../../base/logger.ts';
import type { OwnWriter } from '../../server/own/own-writer.ts';
import type { EnsuredObject } from '../ensurer/ensured-object.ts';

export const DEFAULT_ACCOUNT = 'default';
/** The field manager of kube-controller-manager's controller. */
const MANAGER = 'kube-controller-manager';

export interface DefaultAccounts {
  /**
   * Called after a namespace was stored and before the request is answered, so that the account exists when the client
   * knows of the namespace. Never rejects: the namespace exists, so a failure is logged, and the next start creates the
   * account.
   */
  create(namespace: string): Promise<void>;
}

export interface DefaultAccountsOptions {
  readonly writer: () => OwnWriter;
  readonly logger: Logger;
}

export function createDefaultAccounts({ writer, logger }: DefaultAccountsOptions): DefaultAccounts {
  return {
    create: async (namespace) => {
      try {
        await writer().create(accountOf(namespace), { fieldManager: MANAGER });
      } catch (caught) {
        if (!isAlreadyExists(caught))
          logger.error('cannot create the default ServiceAccount; the next start tries again', toError(caught), {
            namespace,
          });
      }
    },
  };
}

/** Returns the accounts to ensure: those of the given names, and of every namespace that is not being deleted. */
export function ensuredDefaultAccounts(
  names: readonly string[],
  namespaces: readonly JsonObject[],
): readonly EnsuredObject[] {
  const active = namespaces.filter((namespace) => textAt(namespace, 'metadata', 'deletionTimestamp') === '');
  const all = new Set([...names, ...active.map((namespace) => textAt(namespace, 'metadata', 'name'))]);
  return [...all].map((namespace) => ({
    plural: 'serviceaccounts',
    object: accountOf(namespace),
    strategy: 'create',
    fieldManager: MANAGER,
  }));
}

function accountOf(namespace: string): JsonObject {
  return { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: DEFAULT_ACCOUNT, namespace } };
}
