/** The kind SelfSubjectReview: the user that the server authenticated the request as. */
import { formatTime, instantFromMillis } from '../../../apimachinery/scalars/time.ts';
import type { Clock } from '../../../base/clock.ts';
import { andThen } from '../../../base/maybe-promise.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion, reviewResource } from '../../shared/built-in.ts';
import { reviewAnswer } from '../../shared/review-answer.ts';
import { AUTHENTICATION_GROUP } from './token-review.ts';
import { userFields } from './user-fields.ts';

export function selfSubjectReviewResource(clock: Pick<Clock, 'now'>): KubeResource {
  const version = builtInVersion({
    group: AUTHENTICATION_GROUP,
    version: 'v1',
    kind: 'SelfSubjectReview',
    stored: false,
  });
  const definition = reviewResource(version, 'Cluster', (context, review, request) =>
    andThen(request.validate(review), () =>
      reviewAnswer(version, {
        metadata: { creationTimestamp: formatTime(instantFromMillis(clock.now())) },
        status: { userInfo: userFields(context.request.user) },
      }),
    ),
  );
  return { definition };
}
