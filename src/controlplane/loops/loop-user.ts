/** The users and user agents of the loops' requests, as in kube-controller-manager. */
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import { REFERENCE_VERSION } from '../../server/version-info.ts';

/**
 * Returns the user of a ServiceAccount in kube-system; MANAGER_USER without a name. The ServiceAccount need not exist,
 * because the user needs no token.
 */
export function loopUser(serviceAccount: string | undefined): UserInfo {
  if (serviceAccount === undefined) return MANAGER_USER;
  return {
    name: `system:serviceaccount:kube-system:${serviceAccount}`,
    uid: '',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
    extra: {},
  };
}

/** The user of the shared informers and of the token loop. Its bootstrap role may list and watch everything. */
export const MANAGER_USER: UserInfo = {
  name: 'system:kube-controller-manager',
  uid: '',
  groups: ['system:authenticated'],
  extra: {},
};

/** Returns the user agent of a loop. The text before the slash becomes the manager in managedFields. */
export function loopUserAgent(serviceAccount: string): string {
  const { major, minor, patch } = REFERENCE_VERSION;
  return `kube-controller-manager/v${major}.${minor}.${patch} keelson/${serviceAccount}`;
}
