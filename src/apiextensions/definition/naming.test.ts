import { describe, expect, test } from 'vitest';
import { type Crd, readCrd } from '../crd.ts';
import { crd } from './definition.fixtures.ts';
import { hasItsNames, namingConditions } from './naming.ts';

const NAMES = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };

function named(spec: object, accepted: object = {}, status: object = {}): Crd {
  return readCrd(crd({ spec: { names: { ...NAMES, ...spec } }, status: { acceptedNames: accepted, ...status } }));
}

const OTHER = named(
  {},
  { plural: 'others', singular: 'other', shortNames: ['o'], kind: 'Other', listKind: 'OtherList' },
);

describe('the names of a definition', () => {
  test('are accepted if they are free, and the definition is then installing', () => {
    const { acceptedNames, namesAccepted, established } = namingConditions(named({ shortNames: ['t'] }), [OTHER]);
    expect(acceptedNames).toEqual({ ...NAMES, shortNames: ['t'], categories: [] });
    expect(namesAccepted).toEqual({
      type: 'NamesAccepted',
      status: 'True',
      reason: 'NoConflicts',
      message: 'no conflicts found',
    });
    expect(established).toMatchObject({ status: 'False', reason: 'Installing' });
  });

  test.each([
    ['plural', { plural: 'others' }, 'PluralConflict', '"others" is already in use'],
    ['a singular that is a short name', { singular: 'o' }, 'SingularConflict', '"o" is already in use'],
    [
      'short names',
      { shortNames: ['o', 'x', 'other'] },
      'ShortNamesConflict',
      '["o" is already in use, "other" is already in use]',
    ],
    ['kind', { kind: 'OtherList' }, 'KindConflict', '"OtherList" is already in use'],
    ['list kind', { listKind: 'Other' }, 'ListKindConflict', '"Other" is already in use'],
  ])('are not accepted if one is taken: %s', (_, change, reason, message) => {
    const { namesAccepted, established } = namingConditions(named(change), [OTHER]);
    expect(namesAccepted).toMatchObject({ status: 'False', reason, message });
    expect(established).toMatchObject({
      status: 'False',
      reason: 'NotAccepted',
      message: 'not all names are accepted',
    });
  });

  test('that are free are accepted even if others are taken; the condition reports the last conflict', () => {
    const { acceptedNames, namesAccepted } = namingConditions(named({ plural: 'others', kind: 'Other' }), [OTHER]);
    expect(acceptedNames).toMatchObject({ plural: '', singular: 'thing', kind: '', listKind: 'ThingList' });
    expect(namesAccepted.reason).toBe('KindConflict');
  });

  test('that it already has are not conflicts', () => {
    const own = named({}, NAMES);
    expect(hasItsNames(own)).toBe(true);
    expect(namingConditions(own, [own]).namesAccepted.status).toBe('True');
  });

  test('do not conflict with those of other groups', () => {
    const foreign = { group: 'other.com', acceptedNames: OTHER.acceptedNames };
    expect(namingConditions(named({ plural: 'others' }), [foreign]).namesAccepted.status).toBe('True');
  });

  test('do not change that it is established', () => {
    const conditions = [{ type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'm' }];
    const { established } = namingConditions(named({ shortNames: ['o'] }, NAMES, { conditions }), [OTHER]);
    expect(established).toEqual({ type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'm' });
  });
});
