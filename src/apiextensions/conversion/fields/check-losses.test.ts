import { describe, expect, it } from 'vitest';
import { BOOLEAN, INTEGER, listOf, objectOf, problems, TEXT, version } from './fields.fixtures.ts';

const V1BETA1 = version('v1beta1', { cron: TEXT, image: TEXT });
const V1 = version('v1', { schedule: TEXT, image: TEXT });
const RENAME = '[{from: v1beta1, to: v1, fields: [{move: .spec.cron, to: .spec.schedule}]}]';

describe('losses', () => {
  it('are reported, unless they are listed', () => {
    const old = version('v1beta1', { cron: TEXT, image: TEXT, legacy: objectOf({ a: INTEGER }) });
    expect(problems(RENAME, [old, V1])).toEqual([
      '0: .spec.legacy of v1beta1 does not survive the conversion to v1 and back: move it, convert it in both directions with set, or list it under lossy of the rules from v1beta1 to v1',
    ]);
    expect(problems(RENAME.replace('}]}]', '}], lossy: [.spec.legacy]}]'), [old, V1])).toEqual([]);
    expect(problems(RENAME.replace('}]}]', '}], lossy: [.spec.legacy.a]}]'), [old, V1])).toHaveLength(1);
  });

  it('of the other direction are listed there, without repeating the moves', () => {
    const next = version('v1', { schedule: TEXT, image: TEXT, suspend: BOOLEAN });
    expect(problems(RENAME, [V1BETA1, next])).toEqual([
      expect.stringContaining('.spec.suspend of v1 does not survive'),
    ]);
    const listed = `${RENAME.slice(0, -1)}, {from: v1, to: v1beta1, lossy: [.spec.suspend]}]`;
    expect(problems(listed, [V1BETA1, next])).toEqual([]);
  });

  it('include values that another field replaces', () => {
    const [a, b] = [version('a', { x: BOOLEAN, y: BOOLEAN }), version('b', { y: BOOLEAN })];
    expect(problems('[{from: a, to: b, fields: [{move: .spec.x, to: .spec.y}]}]', [a, b])).toEqual([
      expect.stringContaining('.spec.y of a does not survive'),
    ]);
  });

  it('are avoided by expressions that read the field in both directions', () => {
    const [a, b] = [version('a', { size: INTEGER }, 'size'), version('b', { replicas: INTEGER }, 'replicas')];
    const there = '{from: a, to: b, fields: [{set: .spec.replicas, expression: self.spec.size * 2}]}';
    const back = '{from: b, to: a, fields: [{set: .spec.size, expression: self.spec.replicas / 2}]}';
    expect(problems(`[${there}, ${back}]`, [a, b])).toEqual([]);
    expect(problems(`[${there}, ${back.replace('self.spec.replicas / 2', '"1"')}]`, [a, b])).toEqual([
      expect.stringContaining('.spec.size of a does not survive'),
      expect.stringContaining('.spec.replicas of b does not survive'),
    ]);
  });

  it('are avoided by expressions over lists and optionals', () => {
    const a = version('a', { ports: listOf(INTEGER), host: TEXT }, 'ports');
    const b = version('b', { endpoints: listOf(objectOf({ port: INTEGER }, 'port')), target: TEXT }, 'endpoints');
    const rules = `
- from: a
  to: b
  fields:
    - { set: .spec.endpoints, expression: "self.spec.ports.map(p, {'port': p})" }
    - { set: .spec.target, expression: "self.spec.?host.optMap(h, h + '.local')" }
- from: b
  to: a
  fields:
    - { set: .spec.ports, expression: "self.spec.endpoints.map(e, e.port)" }
    - { set: .spec.host, expression: "self.spec.?target" }`;
    expect(problems(rules, [a, b])).toEqual([]);
  });

  it('of fields that the schema does not list are named by their object', () => {
    const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const [a, b] = [version('a', { x: any }), version('b', { x: objectOf({ known: TEXT }) })];
    expect(problems('[{from: a, to: b}]', [a, b])[0]).toContain('an unlisted field of .spec.x of a does not survive');
  });
});
