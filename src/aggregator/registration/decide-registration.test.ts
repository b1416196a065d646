import { describe, expect, it } from 'vitest';
import { type Automanaged, decideRegistration } from './decide-registration.ts';

type Stored = 'none' | 'user' | 'onstart new' | 'onstart old' | 'always';

function decide(stored: Stored, desired: Automanaged | undefined, synced: boolean): string {
  const managed = stored === 'user' ? undefined : stored === 'always' ? 'true' : 'onstart';
  const current =
    stored === 'none' ? undefined : ({ managed, atStart: stored !== 'onstart new', matches: false } as const);
  return decideRegistration({ desired, current, synced });
}

describe('decideRegistration', () => {
  it.each<[Stored, string, string, string]>([
    // stored, then: not desired, desired on start, desired always
    ['none', 'none', 'create', 'create'],
    ['user', 'none', 'none', 'none'],
    ['onstart new', 'none', 'none', 'none'],
    ['onstart old', 'delete', 'update', 'update'],
    ['always', 'delete', 'update', 'update'],
  ])('%s, at the start', (stored, ...expected) => {
    expect([undefined, 'onstart' as const, 'true' as const].map((desired) => decide(stored, desired, false))).toEqual(
      expected,
    );
  });

  it.each<[Stored, string, string, string]>([
    ['none', 'none', 'none', 'create'],
    ['user', 'none', 'none', 'none'],
    ['onstart new', 'none', 'none', 'none'],
    ['onstart old', 'none', 'none', 'none'],
    ['always', 'delete', 'none', 'update'],
  ])('%s, later', (stored, ...expected) => {
    expect([undefined, 'onstart' as const, 'true' as const].map((desired) => decide(stored, desired, true))).toEqual(
      expected,
    );
  });

  it('leaves a spec that is as desired', () => {
    const current = { managed: 'true', atStart: true, matches: true } as const;
    expect(decideRegistration({ desired: 'true', current, synced: true })).toBe('none');
  });
});
