/** The kind SelfSubjectRulesReview: what the requesting user may do in a namespace. The answer has an empty spec. */
import { textAt } from '../../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { badRequest } from '../../../apimachinery/status/status-catalogue.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { Authorizer, UserRules } from '../../../server/authorizer.ts';
import type { WriteAnswer } from '../../../server/resource/resource-store.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion, reviewResource } from '../../shared/built-in.ts';
import { reviewAnswer } from '../../shared/review-answer.ts';
import { AUTHORIZATION_GROUP } from './access-review.ts';

const UNKNOWN_RULES: UserRules = { resourceRules: [], nonResourceRules: [], incomplete: true, error: '' };

export function selfSubjectRulesReviewResource(authorizer: Authorizer): KubeResource {
  const version = builtInVersion({
    group: AUTHORIZATION_GROUP,
    version: 'v1',
    kind: 'SelfSubjectRulesReview',
    stored: false,
  });
  const definition = reviewResource(version, 'Cluster', (context, review, request) => {
    const namespace = textAt(review, 'spec', 'namespace');
    if (namespace === '') throw new StatusError(badRequest('no namespace on request'));
    return andThen(request.validate(review), (): MaybePromise<WriteAnswer> => {
      const rules = authorizer.rulesFor?.(context.request.user, namespace) ?? UNKNOWN_RULES;
      return andThen(rules, (known) => reviewAnswer(version, { metadata: {}, spec: {}, status: statusOf(known) }));
    });
  });
  return { definition };
}

function statusOf(rules: UserRules): JsonObject {
  return {
    resourceRules: rules.resourceRules.map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs: [...verbs],
      ...list('apiGroups', apiGroups),
      ...list('resources', resources),
      ...list('resourceNames', resourceNames),
    })),
    nonResourceRules: rules.nonResourceRules.map(({ verbs, nonResourceURLs }) => ({
      verbs: [...verbs],
      ...list('nonResourceURLs', nonResourceURLs),
    })),
    incomplete: rules.incomplete,
    ...(rules.error === '' ? undefined : { evaluationError: rules.error }),
  };
}

function list(name: string, values: readonly string[]): JsonObject | undefined {
  return values.length === 0 ? undefined : { [name]: [...values] };
}
