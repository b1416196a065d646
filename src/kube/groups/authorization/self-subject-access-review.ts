/** The kind SelfSubjectAccessReview: whether the requesting user may do something. */
import type { Authorizer } from '../../../server/authorizer.ts';
import type { KubeResource } from '../../kube-context.ts';
import { accessReviewResource } from './access-review.ts';

export function selfSubjectAccessReviewResource(authorizer: Authorizer): KubeResource {
  return accessReviewResource('SelfSubjectAccessReview', authorizer);
}
