import { describe, expect, it } from 'vitest';
import { EventCorrelator, type RecordedEvent } from './event-correlator.ts';

const MINUTE = 60_000;

function event(more: Partial<RecordedEvent> = {}): RecordedEvent {
  return {
    subject: ['v1', 'Pod', 'default', 'web', 'uid', ''],
    type: 'Normal',
    reason: 'Pulled',
    message: 'pulled the image',
    at: 0,
    name: 'web.1',
    ...more,
  };
}

describe('repeated events', () => {
  it('are one Event with the name and the time of the first, and a count', () => {
    const correlator = new EventCorrelator();
    expect(correlator.correlate(event())).toMatchObject({ count: 1, name: 'web.1', firstAt: 0, lastAt: 0 });
    expect(correlator.correlate(event({ at: 5, name: 'web.2' }))).toMatchObject({
      count: 2,
      name: 'web.1',
      firstAt: 0,
      lastAt: 5,
    });
  });

  it.each<Partial<RecordedEvent>>([
    { message: 'other' },
    { reason: 'Other' },
    { type: 'Warning' },
    { subject: ['v1', 'Pod', 'default', 'web', 'other uid', ''] },
    { subject: ['v1', 'Pod', 'default', 'web', 'uid', 'spec.containers{web}'] },
  ])('are others with %j', (other) => {
    const correlator = new EventCorrelator();
    correlator.correlate(event());
    expect(correlator.correlate(event(other))).toMatchObject({ count: 1 });
  });

  it('go on from what the server has stored', () => {
    const correlator = new EventCorrelator();
    const { key } = correlator.correlate(event()) ?? { key: '' };
    correlator.stored(key, { name: 'web.9', count: 4 });
    expect(correlator.correlate(event())).toMatchObject({ count: 5, name: 'web.9' });
  });
});

describe('similar events', () => {
  it('are combined from the tenth message on', () => {
    const correlator = new EventCorrelator();
    const written = Array.from({ length: 12 }, (_, i) =>
      correlator.correlate(event({ message: `message ${i}`, name: `web.${i}`, at: i })),
    );
    expect(written.slice(0, 9).map((each) => [each?.message, each?.count])).toEqual(
      Array.from({ length: 9 }, (_, i) => [`message ${i}`, 1]),
    );
    expect(written.slice(9).map((each) => [each?.message, each?.name, each?.count])).toEqual([
      ['(combined from similar events): message 9', 'web.9', 1],
      ['(combined from similar events): message 10', 'web.9', 2],
      ['(combined from similar events): message 11', 'web.9', 3],
    ]);
  });

  it('are not combined if none has come for more than ten minutes', () => {
    const correlator = new EventCorrelator();
    for (let i = 0; i < 9; i++) correlator.correlate(event({ message: `${i}`, at: 0 }));
    expect(correlator.correlate(event({ message: '9', at: 10 * MINUTE + 1 }))).toMatchObject({ message: '9' });
    const again = new EventCorrelator();
    for (let i = 0; i < 9; i++) again.correlate(event({ message: `${i}`, at: 0 }));
    expect(again.correlate(event({ message: '9', at: 10 * MINUTE }))?.message).toContain('combined');
  });
});

describe('the events of one source about one object', () => {
  it('are limited to 25 at once and one per five minutes, and are counted beyond', () => {
    const correlator = new EventCorrelator();
    const written = Array.from({ length: 30 }, () => correlator.correlate(event()));
    expect(written.filter((each) => each !== undefined)).toHaveLength(25);
    expect(correlator.correlate(event({ at: 5 * MINUTE - 1 }))).toBeUndefined();
    expect(correlator.correlate(event({ at: 5 * MINUTE }))).toMatchObject({ count: 32 });
    expect(correlator.correlate(event({ at: 5 * MINUTE }))).toBeUndefined();
  });

  it('are limited per type, and not by those of other objects', () => {
    const correlator = new EventCorrelator();
    for (let i = 0; i < 30; i++) correlator.correlate(event());
    expect(correlator.correlate(event({ type: 'Warning' }))).toMatchObject({ count: 1 });
    expect(correlator.correlate(event({ subject: ['v1', 'Pod', 'default', 'db', 'uid', ''] }))).toMatchObject({
      count: 1,
    });
  });
});
