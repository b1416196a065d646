import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../base/virtual-clock.ts';
import { startCertificateRenewal } from './certificate-renewal.ts';

interface Material {
  readonly cert: string;
}

const material = (cert: string): Material => ({ cert });
const fingerprint = ({ cert }: Material): string => cert;
const MINUTE = 60_000;

describe('the renewal of certificates', () => {
  it('applies only changes, at most one per interval', async () => {
    const clock = new VirtualClock();
    const applied: string[] = [];
    let cert = 'one';
    const renewal = startCertificateRenewal({
      clock,
      intervalMs: MINUTE,
      current: material('one'),
      reload: async () => material(cert),
      fingerprint,
      apply: ({ cert }) => void applied.push(cert),
      onError: (error) => {
        throw error;
      },
    });
    await clock.advance(3 * MINUTE);
    expect(applied).toEqual([]);
    cert = 'two';
    await clock.advance(3 * MINUTE);
    expect(applied).toEqual(['two']);
    await renewal.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('reports a failure, keeps the old certificates and tries again', async () => {
    const clock = new VirtualClock();
    const events: string[] = [];
    let refuse = true;
    const renewal = startCertificateRenewal({
      clock,
      intervalMs: MINUTE,
      current: material('one'),
      reload: async () => material('two'),
      fingerprint,
      apply: ({ cert }) => {
        if (refuse) throw new Error('not now');
        events.push(cert);
      },
      onError: (error) => void events.push(error.message),
    });
    await clock.advance(2 * MINUTE);
    refuse = false;
    await clock.advance(2 * MINUTE);
    expect(events).toEqual(['not now', 'not now', 'two']);
    await renewal.stop();
  });
});
