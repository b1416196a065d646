/** The kind LocalSubjectAccessReview: whether a user may do something in the namespace of the request. */
import type { Authorizer } from '../../../server/authorizer.ts';
import type { KubeResource } from '../../kube-context.ts';
import { accessReviewResource } from './access-review.ts';

export function localSubjectAccessReviewResource(authorizer: Authorizer): KubeResource {
  return accessReviewResource('LocalSubjectAccessReview', authorizer);
}
