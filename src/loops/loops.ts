/** The table of loops, in the order in which they start. */
import { certificateApprovingLoop } from './certificates/approving.ts';
import { certificateCleaningLoop } from './certificates/cleaning.ts';
import { certificateSigningLoop } from './certificates/signing.ts';
import { clusterRoleAggregationLoop } from './cluster-role-aggregation.ts';
import { garbageCollector } from './garbage-collector/garbage-collector.ts';
import type { LoopDefinition } from './loop.ts';
import { namespaceLoop } from './namespace/namespace-loop.ts';
import { policyStatusLoop } from './policy-status.ts';
import { resourceQuotaLoop } from './resource-quota/resource-quota-loop.ts';
import { serviceAccountLoop } from './service-accounts/default-accounts.ts';
import { legacyTokenCleanerLoop } from './service-accounts/legacy-token-cleaner.ts';
import { rootCaLoop } from './service-accounts/root-ca.ts';
import { tokenSecretLoop } from './service-accounts/token-secrets.ts';
import { serviceCidrLoop } from './service-cidrs.ts';
import { ttlAfterFinishedLoop } from './ttl-after-finished.ts';
import { attributesClassProtectionLoop } from './volumes/attributes-class-protection.ts';
import { claimProtectionLoop } from './volumes/claim-protection.ts';
import { volumeProtectionLoop } from './volumes/volume-protection.ts';

export const LOOPS: readonly LoopDefinition[] = [
  garbageCollector,
  namespaceLoop,
  serviceAccountLoop,
  rootCaLoop,
  tokenSecretLoop,
  legacyTokenCleanerLoop,
  clusterRoleAggregationLoop,
  resourceQuotaLoop,
  claimProtectionLoop,
  volumeProtectionLoop,
  attributesClassProtectionLoop,
  ttlAfterFinishedLoop,
  serviceCidrLoop,
  certificateApprovingLoop,
  certificateSigningLoop,
  certificateCleaningLoop,
  policyStatusLoop,
];
