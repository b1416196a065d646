import { describe, expect, it } from 'vitest';
import { GRPC, type GrpcChannel, GrpcError } from '../../base/grpc.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { isStorageError } from '../errors.ts';
import { EtcdClient, RANGE } from './etcd-client.ts';

/** A channel whose calls wait until it is closed. */
function silentChannel(endpoint: string): GrpcChannel {
  const closed = new GrpcError(GRPC.unavailable, 'the channel is closed', { progress: 'refused' });
  let close: (() => void) | undefined;
  const end = new Promise<never>((_, reject) => {
    close = () => reject(closed);
  });
  end.catch(() => undefined);
  return {
    endpoint,
    unary: () => end,
    duplex: () => ({ send: () => undefined, close: () => undefined }),
    close: () => close?.(),
  };
}

describe('the etcd client', () => {
  it('answers calls in flight and later ones with Closed when it is closed', async () => {
    const client = new EtcdClient({
      endpoints: ['127.0.0.1:1', '127.0.0.1:2'],
      clock: new VirtualClock(),
      openChannel: ({ endpoint }) => silentChannel(endpoint),
    });
    const inFlight = client.call(RANGE, new Uint8Array(0), { isRead: true }).catch((caught: unknown) => caught);
    client.close();
    expect(isStorageError(await inFlight, 'Closed')).toBe(true);
    const later = client.call(RANGE, new Uint8Array(0), { isRead: true }).catch((caught: unknown) => caught);
    expect(isStorageError(await later, 'Closed')).toBe(true);
  });
});
