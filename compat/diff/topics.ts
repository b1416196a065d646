/** All topics, in the order of the report. A new file of cases is added only here. */
import type { Topic } from './request.ts';
import { apply } from './topics/apply.ts';
import { customApply } from './topics/apply-custom.ts';
import { certificateRequests } from './topics/certificate-requests.ts';
import { claimStatus } from './topics/claim-status.ts';
import { configmaps } from './topics/configmaps.ts';
import { connects } from './topics/connects.ts';
import { corners } from './topics/corners.ts';
import { customObjects } from './topics/custom-objects.ts';
import { customReads } from './topics/custom-reads.ts';
import { customRules } from './topics/custom-rules.ts';
import { customSchemas } from './topics/custom-schemas.ts';
import { customSubresources } from './topics/custom-subresources.ts';
import { definitionRules } from './topics/definition-rules.ts';
import { definitionSchemas } from './topics/definition-schemas.ts';
import { definitionUpdates } from './topics/definition-updates.ts';
import { definitions } from './topics/definitions.ts';
import { deletes } from './topics/deletes.ts';
import { discovery } from './topics/discovery.ts';
import { endings } from './topics/endings.ts';
import { errors } from './topics/errors.ts';
import { events } from './topics/events.ts';
import { forms } from './topics/forms.ts';
import { health } from './topics/health.ts';
import { identity } from './topics/identity.ts';
import { kinds } from './topics/kinds.ts';
import { leases } from './topics/leases.ts';
import { lists } from './topics/lists.ts';
import { metadata } from './topics/metadata.ts';
import { namespaces } from './topics/namespaces.ts';
import { openapi } from './topics/openapi.ts';
import { options } from './topics/options.ts';
import { patches } from './topics/patches.ts';
import { escalation, rbac } from './topics/rbac.ts';
import { reviews } from './topics/reviews.ts';
import { secrets } from './topics/secrets.ts';
import { serviceAccounts } from './topics/service-accounts.ts';
import { watches } from './topics/watches.ts';

export const TOPICS: readonly Topic[] = [
  discovery,
  openapi,
  health,
  namespaces,
  configmaps,
  secrets,
  serviceAccounts,
  events,
  leases,
  rbac,
  escalation,
  reviews,
  definitions,
  definitionSchemas,
  definitionRules,
  definitionUpdates,
  customObjects,
  customReads,
  customSubresources,
  customSchemas,
  customRules,
  lists,
  watches,
  patches,
  apply,
  customApply,
  options,
  deletes,
  endings,
  metadata,
  corners,
  forms,
  errors,
  identity,
  connects,
  claimStatus,
  certificateRequests,
  kinds,
];
