/** The audit log of an extension server. */
import type { AuditOptions } from '../../server/filters/audit/audit.ts';
import { parseAuditPolicy } from '../../server/filters/audit/audit-policy.ts';
import type { AuditFileOptions } from '../extension-server.ts';
import type { OpenContext } from './open-storage.ts';

/**
 * Opens the audit log; undefined without options. Throws ConfigError for an invalid policy or a log that cannot be
 * opened.
 */
export async function openAuditFile(
  options: AuditFileOptions | undefined,
  { clock, logger, lifetime }: OpenContext,
): Promise<AuditOptions | undefined> {
  if (options === undefined) return undefined;
  const { policy, warnings } = parseAuditPolicy(options.policy, 'audit.policy');
  for (const warning of warnings) logger.warn(warning);
  const { logPath, maxSizeMb = 100, maxAgeDays = 0, maxBackups = 0 } = options;
  const { openAuditLog } = await import('../../node/log/audit-log.ts');
  const log = await openAuditLog({
    path: logPath,
    maxSizeMb,
    maxAgeDays,
    maxBackups,
    compress: false,
    clock,
    onProblem: (error) => logger.error('cannot rotate the audit log', error, { path: logPath }),
  });
  lifetime.add('audit log', () => log.stop());
  return { policy, sink: log };
}
