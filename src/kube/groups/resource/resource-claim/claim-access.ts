/**
 * Authorization of writes of ResourceClaims and their templates. Admin access to devices needs a label on the
 * namespace. An allocation or reservation needs permission for `resourceclaims/binding`, the status of a device needs
 * permission for `resourceclaims/driver` with the name of its driver.
 */
import { fieldAt, objectAt, objectsAt, textAt, textsAt } from '../../../../apimachinery/meta/object-fields.ts';
import type { UserInfo } from '../../../../apimachinery/meta/user-info.ts';
import { type FieldIssue, forbidden, internalError } from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { checkDns1123Subdomain } from '../../../../apimachinery/validation/name-syntax.ts';
import { equalJson, type JsonObject } from '../../../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../../../base/maybe-promise.ts';
import type { RequestAttributes } from '../../../../server/authorizer.ts';
import { forbiddenStatus } from '../../../../server/filters/authorization.ts';
import type { RegistryStore } from '../../../../server/registry/store.ts';
import { delegateStore } from '../../../../server/resource/delegate-store.ts';
import type { RequestContext } from '../../../../server/resource/request-context.ts';
import type { ResourceContext, ResourceStore } from '../../../../server/resource/resource-store.ts';
import type { KubeContext } from '../../../kube-context.ts';

const ADMIN_LABEL = 'resource.kubernetes.io/admin-access';
const REQUESTS = FieldPath.of('spec', 'devices', 'requests');
const STATUS = FieldPath.of('status');
const NODE_NAME = 'authentication.kubernetes.io/node-name';

type Context = Pick<KubeContext, 'lister' | 'authorizer'>;
type Issues = MaybePromise<readonly FieldIssue[]>;

/**
 * Results of the namespace check for new claims and templates with admin access. Reading the namespace is asynchronous
 * and strategies are synchronous, so a store in front of the registry reads it before the create, and `validate` reads
 * the result by the request's context. `requestsOf` gets the object in the version of the request. Issues have the path
 * of a v1beta1 claim, as in kube-apiserver.
 */
export class AdminAccessChecks {
  readonly #found = new WeakMap<RequestContext, readonly FieldIssue[]>();
  readonly #requestsOf: (object: JsonObject) => readonly JsonObject[];

  constructor(requestsOf: (object: JsonObject) => readonly JsonObject[]) {
    this.#requestsOf = requestsOf;
  }

  /** Returns a store whose `create` first checks the namespace of an object with admin access. */
  wrap(store: RegistryStore, kube: Context): ResourceStore {
    return delegateStore(store, {
      create: (context, object, request) => {
        const at = this.#requestsOf(object).findIndex(
          (one) => fieldAt(objectAt(one, 'exactly') ?? one, 'adminAccess') === true,
        );
        if (at < 0) return store.create(context, object, request);
        const path = REQUESTS.index(at).child('adminAccess');
        return andThen(checkAdminNamespace(kube, context.namespace, path), (issues) => {
          this.#found.set(context.request, issues);
          return store.create(context, object, request);
        });
      },
    });
  }

  /** Returns the issues of the namespace check of this request. */
  issues(request: RequestContext): readonly FieldIssue[] {
    return this.#found.get(request) ?? [];
  }
}

function checkAdminNamespace(kube: Context, namespace: string, path: FieldPath): Issues {
  const lister = kube.lister('namespaces');
  return andThen(lister.fresh(), () => {
    const found = lister.get('', namespace);
    if (found === undefined)
      return [
        internalError(path, `could not retrieve namespace to verify admin access: namespaces "${namespace}" not found`),
      ];
    if (textAt(found, 'metadata', 'labels', ADMIN_LABEL) === 'true') return [];
    const text = `admin access to devices requires the \`${ADMIN_LABEL}: true\` label on the containing namespace`;
    return [forbidden(path, text)];
  });
}

/** Returns the issues of an update of the status: admin access, then the allocation, then the devices. */
export function checkClaimStatus(kube: Context, claim: JsonObject, old: JsonObject, context: ResourceContext): Issues {
  return andThen(checkAdminResults(kube, claim, old, context.namespace), (admin) =>
    andThen(checkBinding(kube, claim, old, context), (binding) =>
      andThen(checkDrivers(kube, claim, old, context), (drivers) => [...admin, ...binding, ...drivers]),
    ),
  );
}

function adminResult(claim: JsonObject): number {
  const results = objectsAt(claim, 'status', 'allocation', 'devices', 'results');
  return results.findIndex((result) => fieldAt(result, 'adminAccess') === true);
}

/** Results that already have admin access are not checked again. */
function checkAdminResults(kube: Context, claim: JsonObject, old: JsonObject, namespace: string): Issues {
  const at = adminResult(claim);
  if (at < 0 || adminResult(old) >= 0) return [];
  const path = STATUS.child('allocation', 'devices', 'results').index(at).child('adminAccess');
  return checkAdminNamespace(kube, namespace, path);
}

function checkBinding(kube: Context, claim: JsonObject, old: JsonObject, context: ResourceContext): Issues {
  const isSame = (name: string): boolean =>
    equalJson(fieldAt(claim, 'status', name) ?? null, fieldAt(old, 'status', name) ?? null);
  if (isSame('allocation') && isSame('reservedFor')) return [];
  const asked = { ...baseAttributes(context), subresource: 'binding', namespace: '', name: '' };
  return andThen(refusal(kube, asked), (because) => {
    if (because === undefined) return [];
    const text = `changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${asked.verb}" permission: ${because}`;
    return [forbidden(STATUS.child('allocation'), text)];
  });
}

function checkDrivers(kube: Context, claim: JsonObject, old: JsonObject, context: ResourceContext): Issues {
  if (objectAt(claim, 'status', 'allocation') === undefined) return [];
  const base = baseAttributes(context);
  const isAssociated = isOnNode(base.user, allocatedNode(claim));
  const verbs = [...(isAssociated ? [`associated-node:${base.verb}`] : []), `arbitrary-node:${base.verb}`];
  const check = (rest: readonly string[], found: readonly FieldIssue[]): Issues => {
    const [driver, ...more] = rest;
    if (driver === undefined) return found;
    return andThen(refusalOfAll(kube, verbs, { ...base, subresource: 'driver', name: driver }), (because) => {
      if (because === undefined) return check(more, found);
      const text = `changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission: ${because}`;
      return check(more, [...found, forbidden(STATUS.child('devices'), text)]);
    });
  };
  return check(changedDrivers(claim, old), []);
}

/** Returns the drivers of devices whose status changed, sorted. */
function changedDrivers(claim: JsonObject, old: JsonObject): readonly string[] {
  const keyOf = (device: JsonObject): string =>
    JSON.stringify(['driver', 'pool', 'device', 'shareID'].map((name) => textAt(device, name)));
  const left = new Map(objectsAt(old, 'status', 'devices').map((device) => [keyOf(device), device]));
  const drivers = new Set<string>();
  for (const device of objectsAt(claim, 'status', 'devices')) {
    const stored = left.get(keyOf(device));
    left.delete(keyOf(device));
    if (stored === undefined || !equalJson(stored, device)) drivers.add(textAt(device, 'driver'));
  }
  for (const device of left.values()) drivers.add(textAt(device, 'driver'));
  return [...drivers].sort();
}

/** Returns the node of an allocation; '' unless its node selector names exactly one node. */
function allocatedNode(claim: JsonObject): string {
  const [term, ...more] = objectsAt(claim, 'status', 'allocation', 'nodeSelector', 'nodeSelectorTerms');
  if (term === undefined || more.length > 0 || objectsAt(term, 'matchExpressions').length > 0) return '';
  const [field, ...others] = objectsAt(term, 'matchFields');
  if (field === undefined || others.length > 0) return '';
  if (textAt(field, 'key') !== 'metadata.name' || textAt(field, 'operator') !== 'In') return '';
  const values = textsAt(field, 'values');
  return values.length === 1 ? (values[0] ?? '') : '';
}

/** Reports whether the user is a ServiceAccount whose token is bound to a pod on that node. */
function isOnNode(user: UserInfo, node: string): boolean {
  if (node === '' || !user.name.startsWith('system:serviceaccount:')) return false;
  const nodes = user.extra[NODE_NAME] ?? [];
  return nodes.length === 1 && nodes[0] === node && checkDns1123Subdomain(node).length === 0;
}

function baseAttributes({ request, version, namespace, name }: ResourceContext): RequestAttributes {
  return {
    user: request.user,
    verb: request.verb,
    namespace,
    apiGroup: version.group,
    apiVersion: version.version,
    resource: 'resourceclaims',
    subresource: 'status',
    name,
    path: '',
    isResourceRequest: true,
  };
}

/** Returns the message for a request that is not allowed, or undefined. */
function refusal(kube: Context, asked: RequestAttributes): MaybePromise<string | undefined> {
  return andThen(kube.authorizer.authorize(asked), ({ decision, reason, error }) => {
    if (decision === 'allow') return undefined;
    const why = error !== '' && reason !== '' ? `${error}: ${reason}` : error || reason;
    return forbiddenStatus(asked, why).message ?? '';
  });
}

/** As `refusal`, for a request that any of the verbs allows. The message is that of the first verb. */
function refusalOfAll(
  kube: Context,
  verbs: readonly string[],
  asked: RequestAttributes,
): MaybePromise<string | undefined> {
  const [verb, ...more] = verbs;
  if (verb === undefined) return undefined;
  return andThen(refusal(kube, { ...asked, verb }), (because) => {
    if (because === undefined || more.length === 0) return because;
    return andThen(refusalOfAll(kube, more, asked), (other) => (other === undefined ? undefined : because));
  });
}
