/** The answer to a create that stored something else than what was sent. Invariant: a Status without details, as the reference's. */
import { EMPTY_BYTES } from '../../../../base/bytes.ts';
import type { WriteAnswer } from '../../../../server/resource/resource-store.ts';

export const SUCCESS: WriteAnswer = {
  bytes: EMPTY_BYTES,
  created: true,
  status: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
};
