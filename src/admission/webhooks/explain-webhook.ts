/** The explanation whether a webhook is called for a request. */
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { Authorizer } from '../../server/authorizer.ts';
import { explainMatch, type MatchExplanation } from '../matching/explain-match.ts';
import { viewedObjects } from '../matching/expression-input.ts';
import { exemptionOf, WebhookMatcher } from './match-webhook.ts';
import type { Webhook } from './webhook.ts';

export async function explainWebhook(
  webhook: Webhook,
  attributes: AdmissionAttributes,
  authorizer: Authorizer,
): Promise<MatchExplanation> {
  if (exemptionOf(attributes) !== undefined)
    return { matches: false, because: `webhooks are never called for the kind ${attributes.kind.kind}` };
  const explained = await explainMatch(webhook, attributes);
  if (!explained.matches || webhook.conditions.length === 0) return explained;
  const { view } = explained;
  const objects = await viewedObjects(attributes, view);
  const result = await new WebhookMatcher(attributes, { authorizer }, 'validating').conditions(webhook, view, objects);
  if ('error' in result) {
    if (!webhook.ignoresFailures) return explained;
    return { matches: false, because: `its match conditions fail and its failurePolicy is Ignore: ${result.error}` };
  }
  if (result.matches) return explained;
  return { matches: false, because: `its match condition ${JSON.stringify(result.condition)} is false` };
}
