/**
 * The authorization filter.
 *
 * Invariants: no later filter or endpoint runs for a request that no authorizer allowed. An allowed request proceeds
 * even if an authorizer reported an error.
 */
import { quote } from '../../apimachinery/go-format.ts';
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import type { Status } from '../../apimachinery/status/status.ts';
import { forbidden } from '../../apimachinery/status/status-catalogue.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Counter } from '../../base/metrics/metric-registry.ts';
import type { AuthorizationResult, Authorizer, RequestAttributes } from '../authorizer.ts';
import type { Answer } from '../http/exchange.ts';
import { escapeMarkup, plainInternalError, statusAnswerUnsniffed } from '../http/plain-answers.ts';
import type { RequestInfo } from '../http/request-info.ts';
import type { RequestFilter, RequestHandler, ServerRequest } from '../http/server-request.ts';
import type { ServerMetrics } from '../metrics/server-metrics.ts';

const DECISION = 'authorization.k8s.io/decision';
const REASON = 'authorization.k8s.io/reason';

/** Returns the attributes that authorizers decide on. */
export function attributesOf(user: UserInfo, info: RequestInfo): RequestAttributes {
  return {
    user,
    verb: info.verb,
    namespace: info.namespace,
    apiGroup: info.apiGroup,
    apiVersion: info.apiVersion,
    resource: info.resource,
    subresource: info.subresource,
    name: info.name,
    path: info.path,
    isResourceRequest: info.isResourceRequest,
  };
}

/** Returns the 403 Status with the reference's message. `reason` may be ''. */
export function forbiddenStatus(attributes: RequestAttributes, reason: string): Status {
  const message = escapeMarkup(describeRefusal(attributes));
  const resource = { group: attributes.apiGroup, resource: attributes.resource };
  return forbidden(resource, attributes.name, reason === '' ? message : `${message}: ${reason}`);
}

function describeRefusal(attributes: RequestAttributes): string {
  const { user, verb, subresource, namespace } = attributes;
  const who = `User ${quote(user.name)} cannot ${verb}`;
  if (!attributes.isResourceRequest) return `${who} path ${quote(attributes.path)}`;
  const resource = subresource === '' ? attributes.resource : `${attributes.resource}/${subresource}`;
  const what = `${who} resource ${quote(resource)} in API group ${quote(attributes.apiGroup)}`;
  return namespace === '' ? `${what} at the cluster scope` : `${what} in the namespace ${quote(namespace)}`;
}

interface Attempts {
  readonly allowed: Counter;
  readonly denied: Counter;
  readonly noOpinion: Counter;
  readonly error: Counter;
}

export function withAuthorization(authorizer: Authorizer, metrics: ServerMetrics | undefined): RequestFilter {
  const attempts: Attempts | undefined = metrics && {
    allowed: metrics.authorizationAttempts.labels('allowed'),
    denied: metrics.authorizationAttempts.labels('denied'),
    noOpinion: metrics.authorizationAttempts.labels('no-opinion'),
    error: metrics.authorizationAttempts.labels('error'),
  };
  return (next) => (request) => {
    const attributes = attributesOf(request.user, request.info);
    const result = authorizer.authorize(attributes);
    return isPromise(result)
      ? result.then((settled) => decide(next, request, attributes, settled, attempts))
      : decide(next, request, attributes, result, attempts);
  };
}

function decide(
  next: RequestHandler,
  request: ServerRequest,
  attributes: RequestAttributes,
  result: AuthorizationResult,
  attempts: Attempts | undefined,
): MaybePromise<Answer> {
  if (result.decision === 'allow') {
    attempts?.allowed.add();
    if (request.audit !== undefined) {
      request.audit.annotate(DECISION, 'allow');
      request.audit.annotate(REASON, result.reason);
    }
    return next(request);
  }
  if (result.error !== '') {
    attempts?.error.add();
    request.audit?.annotate(REASON, 'internal error');
    return plainInternalError(request.incoming.target, result.error);
  }
  if (result.decision === 'deny') attempts?.denied.add();
  else attempts?.noOpinion.add();
  request.audit?.annotate(DECISION, 'forbid');
  request.audit?.annotate(REASON, result.reason);
  return statusAnswerUnsniffed(request, forbiddenStatus(attributes, result.reason));
}
