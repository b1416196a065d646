/** Authorization by the parent: one SubjectAccessReview per distinct question. Answers are cached. */
import { toError } from '../../base/errors.ts';
import { isPromise } from '../../base/maybe-promise.ts';
import {
  SubjectAccessReview,
  type SubjectAccessReviewSpec,
  type SubjectAccessReviewStatus,
} from '../../kinds/api/authorization/v1.ts';
import type { AuthorizationResult, Authorizer, RequestAttributes } from '../../server/authorizer.ts';
import { type ReviewSender, sendReview } from './send-review.ts';
import { SharedResults } from './shared-results.ts';

export interface AccessReviewOptions extends ReviewSender {
  /** How long an answer is cached; 0: never. kube-apiserver's library uses 10 s for both. */
  readonly allowedCacheMs: number;
  readonly deniedCacheMs: number;
  /** Called when a review cannot be sent to the parent. */
  readonly onFailure: (error: Error) => void;
}

/** The most cached answers, and the most characters of a question whose answer is cached, as in k8s.io/apiserver. */
const KEPT_ANSWERS = 8192;
const LONGEST_KEPT = 10_000;

interface Answer {
  readonly result: AuthorizationResult;
  readonly lifetimeMs: number;
}

/**
 * An authorizer that asks the parent. If the parent cannot be asked, it has no opinion, so the request is refused with
 * the error.
 */
export function accessReviewAuthorizer(options: AccessReviewOptions): Authorizer {
  const { clock, onFailure } = options;
  const answers = new SharedResults<Answer>({ clock, limit: KEPT_ANSWERS, lifetimeMs: ({ lifetimeMs }) => lifetimeMs });
  const failed = (caught: unknown): AuthorizationResult => {
    const error = toError(caught);
    onFailure(error);
    return { decision: 'no-opinion', reason: '', error: error.message };
  };
  return {
    authorize: (attributes) => {
      const spec = specOf(attributes);
      const key = JSON.stringify(spec);
      const answer = answers.get(key, () => review(options, spec, key.length < LONGEST_KEPT));
      return isPromise(answer) ? answer.then(({ result }) => result, failed) : answer.result;
    },
  };
}

async function review(options: AccessReviewOptions, spec: SubjectAccessReviewSpec, kept: boolean): Promise<Answer> {
  const { status } = await sendReview(options, SubjectAccessReview, { spec });
  const { allowedCacheMs, deniedCacheMs } = options;
  const lifetimeMs = status?.allowed === true ? allowedCacheMs : deniedCacheMs;
  return { result: resultOf(status), lifetimeMs: kept ? lifetimeMs : 0 };
}

function resultOf(status: SubjectAccessReviewStatus | undefined): AuthorizationResult {
  const { allowed = false, denied = false, reason = '' } = status ?? {};
  if (!denied) return { decision: allowed ? 'allow' : 'no-opinion', reason, error: '' };
  const error = allowed ? 'webhook subject access review returned both allow and deny response' : '';
  return { decision: 'deny', reason, error };
}

function specOf({ user, ...request }: RequestAttributes): SubjectAccessReviewSpec {
  const { name, uid, groups, extra } = user;
  const subject = {
    user: name,
    ...(uid !== '' && { uid }),
    groups: [...groups],
    ...(Object.keys(extra).length > 0 && { extra: mutable(extra) }),
  };
  if (!request.isResourceRequest)
    return { ...subject, nonResourceAttributes: { path: request.path, verb: request.verb } };
  return {
    ...subject,
    resourceAttributes: {
      verb: request.verb,
      group: request.apiGroup,
      version: request.apiVersion,
      resource: request.resource,
      ...(request.namespace !== '' && { namespace: request.namespace }),
      ...(request.subresource !== '' && { subresource: request.subresource }),
      ...(request.name !== '' && { name: request.name }),
    },
  };
}

function mutable(extra: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
}
