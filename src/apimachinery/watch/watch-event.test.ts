import { describe, expect, it } from 'vitest';
import {
  createBookmark,
  decodeWatchEvent,
  isInitialEventsEnd,
  resourceVersionOf,
  type WatchEvent,
} from './watch-event.ts';

const kind = { apiVersion: 'v1', kind: 'Pod' };

describe('watch events', () => {
  it('decodes every type', () => {
    for (const type of ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'] as const) {
      const event: WatchEvent = { type, object: { metadata: { resourceVersion: '7' } } };
      expect(decodeWatchEvent({ type, object: { metadata: { resourceVersion: '7' } } })).toEqual({ ok: true, event });
    }
  });

  it.each([
    [null, 'a watch event must be an object'],
    [[], 'a watch event must be an object'],
    [{}, 'a watch event needs a type'],
    [{ type: 3, object: {} }, 'a watch event needs a type'],
    [{ type: 'added', object: {} }, 'unknown watch event type "added"'],
    [{ type: 'x'.repeat(1000), object: {} }, `unknown watch event type "${'x'.repeat(64)}…"`],
    [{ type: 'ADDED' }, 'the object of a ADDED event must be an object'],
    [{ type: 'ERROR', object: 'no' }, 'the object of a ERROR event must be an object'],
  ])('refuses %j', (value, message) => {
    expect(decodeWatchEvent(value)).toEqual({ ok: false, error: { message } });
  });

  it('reads only own fields', () => {
    expect(decodeWatchEvent(Object.create({ type: 'ADDED', object: {} })).ok).toBe(false);
  });

  it('marks and recognises the end of the initial events', () => {
    const end = createBookmark(kind, '12', { initialEventsEnd: true });
    expect(end.object).toEqual({
      ...kind,
      metadata: { resourceVersion: '12', annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
    expect(isInitialEventsEnd(end)).toBe(true);
    expect(isInitialEventsEnd(createBookmark(kind, '12'))).toBe(false);
    expect(isInitialEventsEnd({ type: 'ADDED', object: end.object })).toBe(false);
    expect(isInitialEventsEnd({ type: 'BOOKMARK', object: {} })).toBe(false);
    const wrong = { metadata: { annotations: { 'k8s.io/initial-events-end': 'yes' } } };
    expect(isInitialEventsEnd({ type: 'BOOKMARK', object: wrong })).toBe(false);
  });

  it('finds the resourceVersion of an object, or an empty one', () => {
    expect(resourceVersionOf({ metadata: { resourceVersion: '3' } })).toBe('3');
    for (const object of [null, 3, {}, { metadata: null }, { metadata: { resourceVersion: 3 } }]) {
      expect(resourceVersionOf(object)).toBe('');
    }
  });
});
