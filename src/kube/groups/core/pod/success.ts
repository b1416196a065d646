/** The Status that answers a create of a Binding or an Eviction, which are not stored. */
import { EMPTY_BYTES } from '../../../../base/bytes.ts';
import type { WriteAnswer } from '../../../../server/resource/resource-store.ts';

export const SUCCESS: WriteAnswer = {
  bytes: EMPTY_BYTES,
  created: true,
  status: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
};
