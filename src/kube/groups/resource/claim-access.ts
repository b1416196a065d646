/**
 * What the writer of a claim must be allowed to do. Invariant: administrators' access to devices is for namespaces that say so; an allocation is written by who may bind
 * claims, the status of a device by who may speak for its driver. Names and texts are the reference's.
 */
import { fieldAt, objectAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import type { UserInfo } from '../../../apimachinery/meta/user-info.ts';
import { type FieldIssue, forbidden, internalError } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { checkDns1123Subdomain } from '../../../apimachinery/validation/name-syntax.ts';
import { BugError } from '../../../base/errors.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { RequestAttributes } from '../../../server/authorization.ts';
import { forbiddenStatus } from '../../../server/filters/authorization.ts';
import { delegateStore } from '../../../server/resource/delegate-store.ts';
import type { RequestContext } from '../../../server/resource/request-context.ts';
import type { ResourceContext, ResourceStore } from '../../../server/resource/resource-store.ts';
import type { KubeContext } from '../../kube-context.ts';

const ADMIN_LABEL = 'resource.kubernetes.io/admin-access';
const REQUESTS = FieldPath.of('spec', 'devices', 'requests');
const STATUS = FieldPath.of('status');
const NODE_NAME = 'authentication.kubernetes.io/node-name';

type World = Pick<KubeContext, 'lister' | 'authorizer'>;
type Found = MaybePromise<readonly FieldIssue[]>;

/**
 * Requests for administrators' access in claims and templates that are created. The namespace is read before the store is asked, so that validation, which cannot wait, tells
 * of it with all else. Requests stand in the request's version, and the path is that of a claim in v1beta1, as in the reference.
 */
export class AdminRequests {
  readonly #found = new WeakMap<RequestContext, readonly FieldIssue[]>();
  readonly #requestsOf: (object: JsonObject) => readonly JsonObject[];

  constructor(requestsOf: (object: JsonObject) => readonly JsonObject[]) {
    this.#requestsOf = requestsOf;
  }

  /** The store, with a look at the namespace before each create that needs it. */
  front(store: ResourceStore, world: World): ResourceStore {
    const { create } = store;
    if (create === undefined) throw new BugError('nobody creates claims');
    return delegateStore(store, {
      create: (context, object, request) => {
        const at = this.#requestsOf(object).findIndex(
          (one) => fieldAt(objectAt(one, 'exactly') ?? one, 'adminAccess') === true,
        );
        if (at < 0) return create.call(store, context, object, request);
        const path = REQUESTS.index(at).child('adminAccess');
        return andThen(checkAdminNamespace(world, context.namespace, path), (issues) => {
          this.#found.set(context.request, issues);
          return create.call(store, context, object, request);
        });
      },
    });
  }

  /** What was found of this request. */
  issues({ request }: ResourceContext): readonly FieldIssue[] {
    return this.#found.get(request) ?? [];
  }
}

function checkAdminNamespace(world: World, namespace: string, path: FieldPath): Found {
  const lister = world.lister('namespaces');
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

/** Of a new status. */
export function checkClaimStatus(world: World, claim: JsonObject, old: JsonObject, context: ResourceContext): Found {
  return andThen(checkAdminResults(world, claim, old, context.namespace), (admin) =>
    andThen(checkBinding(world, claim, old, context), (binding) =>
      andThen(checkDrivers(world, claim, old, context), (drivers) => [...admin, ...binding, ...drivers]),
    ),
  );
}

function adminResult(claim: JsonObject): number {
  const results = objectsAt(claim, 'status', 'allocation', 'devices', 'results');
  return results.findIndex((result) => fieldAt(result, 'adminAccess') === true);
}

/** Once granted it stays granted. */
function checkAdminResults(world: World, claim: JsonObject, old: JsonObject, namespace: string): Found {
  const at = adminResult(claim);
  if (at < 0 || adminResult(old) >= 0) return [];
  const path = STATUS.child('allocation', 'devices', 'results').index(at).child('adminAccess');
  return checkAdminNamespace(world, namespace, path);
}

function checkBinding(world: World, claim: JsonObject, old: JsonObject, context: ResourceContext): Found {
  const isSame = (name: string): boolean =>
    equalJson(fieldAt(claim, 'status', name) ?? null, fieldAt(old, 'status', name) ?? null);
  if (isSame('allocation') && isSame('reservedFor')) return [];
  const asked = { ...baseAttributes(context), subresource: 'binding', namespace: '', name: '' };
  return andThen(refusal(world, asked), (because) => {
    if (because === undefined) return [];
    const text = `changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${asked.verb}" permission: ${because}`;
    return [forbidden(STATUS.child('allocation'), text)];
  });
}

function checkDrivers(world: World, claim: JsonObject, old: JsonObject, context: ResourceContext): Found {
  if (objectAt(claim, 'status', 'allocation') === undefined) return [];
  const base = baseAttributes(context);
  const isOnNode = speaksForNode(base.user, allocatedNode(claim));
  const verbs = [...(isOnNode ? [`associated-node:${base.verb}`] : []), `arbitrary-node:${base.verb}`];
  const check = (rest: readonly string[], found: readonly FieldIssue[]): Found => {
    const [driver, ...more] = rest;
    if (driver === undefined) return found;
    return andThen(refusalOfAll(world, verbs, { ...base, subresource: 'driver', name: driver }), (because) => {
      if (because === undefined) return check(more, found);
      const text = `changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission: ${because}`;
      return check(more, [...found, forbidden(STATUS.child('devices'), text)]);
    });
  };
  return check(changedDrivers(claim, old), []);
}

/** The drivers whose devices have another status than before, sorted. */
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

/** The one node that an allocation names; '' if it names none or several. */
function allocatedNode(claim: JsonObject): string {
  const [term, ...more] = objectsAt(claim, 'status', 'allocation', 'nodeSelector', 'nodeSelectorTerms');
  if (term === undefined || more.length > 0 || objectsAt(term, 'matchExpressions').length > 0) return '';
  const [field, ...others] = objectsAt(term, 'matchFields');
  if (field === undefined || others.length > 0) return '';
  if (textAt(field, 'key') !== 'metadata.name' || textAt(field, 'operator') !== 'In') return '';
  const values = textsAt(field, 'values');
  return values.length === 1 ? (values[0] ?? '') : '';
}

/** A ServiceAccount whose token is bound to a pod on that node. */
function speaksForNode(user: UserInfo, node: string): boolean {
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

/** Why a request is refused; undefined if it is allowed. */
function refusal(world: World, asked: RequestAttributes): MaybePromise<string | undefined> {
  return andThen(world.authorizer().authorize(asked), ({ decision, reason, error }) => {
    if (decision === 'allow') return undefined;
    const why = error !== '' && reason !== '' ? `${error}: ${reason}` : error || reason;
    return forbiddenStatus(asked, why).message ?? '';
  });
}

/** As `refusal`, of a request that one of several verbs allows: the first reason. */
function refusalOfAll(
  world: World,
  verbs: readonly string[],
  asked: RequestAttributes,
): MaybePromise<string | undefined> {
  const [verb, ...more] = verbs;
  if (verb === undefined) return undefined;
  return andThen(refusal(world, { ...asked, verb }), (because) => {
    if (because === undefined || more.length === 0) return because;
    return andThen(refusalOfAll(world, more, asked), (other) => (other === undefined ? undefined : because));
  });
}
