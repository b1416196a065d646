/** The record of the last use of a legacy token, as a label on its Secret. */
import { ensureObject } from '../../apimachinery/meta/object-fields.ts';
import { isConflict, isNotFound } from '../../apimachinery/status/status.ts';
import { toError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { LAST_USED_LABEL } from '../../pki/bound-objects.ts';
import type { OwnWriter } from '../../server/own/own-writer.ts';
import { ensureMeta } from '../../server/resource/strategy-fields.ts';
import type { LegacyUse } from './service-account-authenticator.ts';

/** Writes the label in the background. A failure is logged and does not fail the request that used the token. */
export function recordLegacyUse(secrets: OwnWriter, { namespace, name, uid, date }: LegacyUse, logger: Logger): void {
  const written = secrets.update(
    { namespace, name },
    (secret) => {
      ensureObject(ensureMeta(secret), 'labels')[LAST_USED_LABEL] = date;
    },
    { preconditions: { uid, resourceVersion: undefined } },
  );
  written.catch((error: unknown) => {
    if (isNotFound(error) || isConflict(error)) return;
    const fields = { namespace, name, reason: toError(error).message };
    logger.warn('cannot record the use of a legacy token on its Secret; its next use tries again', fields);
  });
}
