/** The outbound client of a read-only server, such as one that serves a backup. It connects to no other server. */
import { TransportError } from '../base/errors.ts';
import type { OutboundClient } from '../server/http/outbound.ts';

const REFUSAL = 'this server shows a backup and connects to no other server';

/** Every call rejects with a TransportError that is not retried. */
export function createRefusingClient(): OutboundClient {
  const refuse = async (): Promise<never> => {
    throw new TransportError(REFUSAL, { retryable: false });
  };
  return {
    server: () => {
      throw new TransportError(REFUSAL, { retryable: false });
    },
    post: refuse,
    request: refuse,
    upgrade: refuse,
    stop: async () => undefined,
  };
}
