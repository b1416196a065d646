/** Requests that the server makes to its own stores: bootstrap objects, checks of tokens. Invariant: they are the server's own user, who may do anything. */
import { NO_PARAMS } from '../../apimachinery/meta/query.ts';
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import { MASTERS_GROUP } from '../authorization.ts';
import { IN_PROCESS, type Incoming } from '../http/exchange.ts';
import { ServerRequest } from '../http/request.ts';
import type { RequestInfo } from '../http/request-info.ts';
import type { ResourceContext } from '../resource/resource-store.ts';
import type { VersionDefinition } from '../resource/version-definition.ts';

/** Who the server is when it acts by itself. */
export const SERVER_USER: UserInfo = { name: 'system:apiserver', uid: '', groups: [MASTERS_GROUP], extra: {} };

const INCOMING: Incoming = {
  method: '',
  target: '',
  connection: IN_PROCESS,
  header: () => undefined,
  headerValues: () => [],
  headerNames: () => [],
  body: () => ({ outcome: 'aborted' }),
  onClose: () => undefined,
};

const INFO: RequestInfo = {
  isResourceRequest: false,
  path: '',
  verb: '',
  apiPrefix: '',
  apiGroup: '',
  apiVersion: '',
  namespace: '',
  resource: '',
  subresource: '',
  name: '',
  parts: [],
  fieldSelector: '',
  labelSelector: '',
  params: NO_PARAMS,
};

/** A request of the server itself; `namespace` and `name` as in ResourceContext. Its warnings go nowhere. */
export function internalContext(version: VersionDefinition, namespace: string, name: string): ResourceContext {
  const request = new ServerRequest(INCOMING, INFO, 0);
  request.user = SERVER_USER;
  return { request, version, namespace, name };
}
