/** Opens the audit log that the options describe. */
import type { Lifetime } from '../base/lifetime.ts';
import type { Logger } from '../base/logger.ts';
import type { AuditOptions } from '../server/filters/audit/audit.ts';
import { parseAuditPolicy } from '../server/filters/audit/audit-policy.ts';
import type { RequestInfo } from '../server/http/request-info.ts';
import type { CompletedOptions } from './complete-options.ts';

/** Returns undefined unless both a policy and a log are configured. Throws ConfigError for an invalid policy. */
export async function openAudit(
  { auditPolicy, options: { audit }, platform }: CompletedOptions,
  logger: Logger,
  lifetime: Lifetime,
): Promise<AuditOptions | undefined> {
  if (auditPolicy === undefined || audit.logPath === '') return undefined;
  const { policy, warnings } = parseAuditPolicy(auditPolicy.text, auditPolicy.path);
  for (const warning of warnings) logger.warn(warning);
  const log = await platform.openAuditLog({
    path: audit.logPath,
    maxSizeMb: audit.maxSizeMb,
    maxAgeDays: audit.maxAgeDays,
    maxBackups: audit.maxBackups,
    compress: audit.compress,
    clock: platform.clock,
    onProblem: (error) => logger.error('cannot rotate the audit log', error, { path: audit.logPath }),
  });
  lifetime.add('audit log', () => log.stop());
  return { policy, sink: log, withholdBodies: holdsToken };
}

/** Whether the bodies of a request or its response contain credentials: TokenRequests and TokenReviews. */
function holdsToken({ apiGroup, resource, subresource }: RequestInfo): boolean {
  return (
    (apiGroup === '' && resource === 'serviceaccounts' && subresource === 'token') ||
    (apiGroup === 'authentication.k8s.io' && resource === 'tokenreviews')
  );
}
