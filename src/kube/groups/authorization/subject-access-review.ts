/** The kind SubjectAccessReview: whether a user may do something. */
import type { Authorizer } from '../../../server/authorizer.ts';
import type { KubeResource } from '../../kube-context.ts';
import { accessReviewResource } from './access-review.ts';

export function subjectAccessReviewResource(authorizer: Authorizer): KubeResource {
  return accessReviewResource('SubjectAccessReview', authorizer);
}
