import { describe, expect, it } from 'vitest';
import { between, listOf, objectOf, TEXT, version, versionOf } from './fields.fixtures.ts';

describe('required fields', () => {
  const MOVE = '{move: .spec.cron, to: .spec.schedule}';
  const next = version('b', { schedule: TEXT }, 'schedule');

  it('may come from a required field', () => {
    expect(between(MOVE, version('a', { cron: TEXT }, 'cron'), next)).toEqual([]);
    expect(between(MOVE, version('a', { cron: { type: 'string', default: 'x' } }), next)).toEqual([]);
  });

  it('may not come from an optional field without a default', () => {
    const old = version('a', { cron: TEXT });
    const message =
      '0.fields.0: .spec.schedule is required in b, but .spec.cron may be absent in a: add {default: .spec.schedule, value: ...}';
    expect(between(MOVE, old, next)).toEqual([message]);
    expect(between(MOVE, version('a', { cron: { type: 'string', nullable: true } }, 'cron'), next)).toEqual([message]);
    expect(between(`${MOVE}, {default: .spec.schedule, value: x}`, old, next)).toEqual([]);
    const withDefault = version('b', { schedule: { type: 'string', default: 'x' } }, 'schedule');
    expect(between(MOVE, old, withDefault)).toEqual([]);
  });

  it('may not come from nowhere, nor from an expression that may set nothing', () => {
    const old = version('a', { other: TEXT });
    expect(between('', old, next)).toEqual([
      '0: .spec.schedule is required in b, but nothing in a becomes this field: add {default: .spec.schedule, value: ...}',
    ]);
    const set = (expression: string): readonly string[] =>
      between(`{set: .spec.schedule, expression: "${expression}"}`, old, next);
    expect(set('self.spec.?other')).toEqual([expect.stringContaining('but the expression may set nothing')]);
    expect(set('self.spec.?other.orValue(string(1))')).toEqual([]);
  });

  it('are looked for in objects that a rule makes', () => {
    const old = version('a', { x: TEXT, y: TEXT });
    const into = version('b', { o: objectOf({ x: TEXT, y: TEXT }, 'x') });
    const both = '{move: .spec.x, to: .spec.o.x}, {move: .spec.y, to: .spec.o.y}';
    expect(between('{move: .spec.x, to: .spec.o.x}', old, into)).toEqual([]);
    expect(between(both, old, into)).toEqual([expect.stringContaining('.spec.x may be absent in a')]);
    const always = version('a', { x: TEXT, y: TEXT }, 'x');
    expect(between(both, always, into, '{default: .spec.x, value: z}')).toEqual([]);
    const kept = version('a', { o: objectOf({ x: TEXT }, 'x') });
    expect(between('{default: .spec.o.y, value: z}', kept, into, '{remove: .spec.o.y}')).toEqual([
      expect.stringContaining('.spec.o.x is required in b, but .spec.o.x may be absent in a'),
    ]);
  });

  it('are looked for in items and at the root', () => {
    const [a, b] = [
      version('a', { l: listOf(objectOf({ x: TEXT })) }),
      version('b', { l: listOf(objectOf({ x: TEXT }, 'x')) }),
    ];
    expect(between('', a, b)).toEqual([expect.stringContaining('.spec.l[*].x is required in b')]);
    expect(between('{default: ".spec.l[*].x", value: z}', a, b)).toEqual([]);
    const loose = versionOf('a', objectOf({ spec: objectOf({ x: TEXT }) }));
    expect(between('', loose, version('b', { x: TEXT }))).toEqual([
      expect.stringContaining('.spec is required in b, but .spec may be absent in a'),
    ]);
  });
});
