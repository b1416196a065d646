import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import { AUTO_UPDATE_ANNOTATION, type DefaultFlow, defaultPriorityLevels } from './default-flows.ts';
import { isObsolete, reviseFlow } from './revise-flow.ts';

const LEVELS = defaultPriorityLevels();

function level(name: string): DefaultFlow {
  return LEVELS.find((one) => one.name === name) as DefaultFlow;
}

function stored(name: string, spec: JsonObject, generation: number, follows?: string): JsonObject {
  const annotations: JsonObject = follows === undefined ? {} : { [AUTO_UPDATE_ANNOTATION]: follows };
  return { metadata: { name, generation, annotations }, spec };
}

describe('reviseFlow', () => {
  const system = level('system');
  const other = { type: 'Limited', limited: { nominalConcurrencyShares: 1 } };

  it.each([
    ['what is right', stored('system', system.spec, 1, 'true'), system, undefined],
    ['an old spec that follows', stored('system', other, 3, 'true'), system, ['true', system.spec]],
    ['a spec that does not follow', stored('system', other, 3, 'false'), system, undefined],
    ['a spec that somebody changed without a word', stored('system', other, 2), system, ['false', other]],
    ['an old spec that nobody touched', stored('system', other, 1), system, ['true', system.spec]],
    [
      'a mandatory spec, whatever is said',
      stored('catch-all', other, 2, 'false'),
      level('catch-all'),
      ['true', level('catch-all').spec],
    ],
    [
      'the shares of the exempt level',
      stored('exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 7, lendablePercent: 3 } }, 2, 'true'),
      level('exempt'),
      undefined,
    ],
  ])('decides about %s', (_name, object, flow, expected) => {
    const revised = reviseFlow(object, flow);
    const annotations = (revised?.['metadata'] as JsonObject | undefined)?.['annotations'] as JsonObject | undefined;
    expect(revised && [annotations?.[AUTO_UPDATE_ANNOTATION], revised['spec']]).toEqual(expected);
  });

  it('reports as obsolete only objects with auto-update that are not a default', () => {
    expect(isObsolete(stored('old', other, 1, 'true'), LEVELS)).toBe(true);
    expect(isObsolete(stored('mine', other, 1), LEVELS)).toBe(false);
    expect(isObsolete(stored('system', other, 1, 'true'), LEVELS)).toBe(false);
  });
});
