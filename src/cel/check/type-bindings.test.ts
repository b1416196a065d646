import { describe, expect, test } from 'vitest';
import {
  BOOL,
  DURATION,
  DYN,
  ERROR,
  INT,
  listOf,
  mapOf,
  NULL,
  type ObjectType,
  opaqueType,
  optionalOf,
  STRING,
  typeOf,
  UINT,
} from '../types.ts';
import { formatType } from './format-type.ts';
import { Bindings } from './type-bindings.ts';
import { equalTypes, mostGeneral } from './type-relations.ts';

function objectType(name: string): ObjectType {
  return { kind: 'object', name, field: () => undefined, fieldNames: () => [] };
}

describe('assignment', () => {
  test.each([
    [INT, INT, true],
    [INT, UINT, false],
    [INT, DYN, true],
    [DYN, INT, true],
    [ERROR, INT, true],
    [NULL, NULL, true],
    [NULL, INT, false],
    [NULL, listOf(INT), false],
    [NULL, DURATION, true],
    [DURATION, NULL, true],
    [objectType('A'), NULL, true],
    [objectType('A'), objectType('A'), true],
    [objectType('A'), objectType('B'), false],
    [listOf(INT), listOf(DYN), true],
    [listOf(DYN), listOf(INT), true],
    [listOf(INT), listOf(STRING), false],
    [mapOf(STRING, INT), mapOf(STRING, STRING), false],
    [opaqueType('A'), opaqueType('B'), false],
    [optionalOf(INT), optionalOf(STRING), false],
    [typeOf(INT), typeOf(STRING), true],
    [typeOf(INT), INT, false],
  ])('of %j to %j', (from, to, holds) => {
    expect(new Bindings().assign(from, to)).toBe(holds);
  });
});

describe('type parameters', () => {
  test('are bound to the assigned types, also through other parameters', () => {
    const bindings = new Bindings();
    const [first, second] = [bindings.fresh(), bindings.fresh()];
    expect(bindings.assign(first, second)).toBe(true);
    expect(bindings.assign(listOf(INT), listOf(first))).toBe(true);
    expect(formatType(bindings.resolve(mapOf(first, second)))).toBe('map(int, int)');
    expect(bindings.assign(STRING, second)).toBe(false);
  });

  test('become more general, never more specific', () => {
    const bindings = new Bindings();
    const variable = bindings.fresh();
    expect(bindings.assign(INT, variable)).toBe(true);
    expect(bindings.assign(DYN, variable)).toBe(true);
    expect(bindings.assign(STRING, variable)).toBe(true);
    expect(bindings.resolve(variable)).toBe(DYN);
  });

  test('are unchanged if a later part does not match', () => {
    const bindings = new Bindings();
    const [bound, free] = [bindings.fresh(), bindings.fresh()];
    expect(bindings.assign(INT, bound)).toBe(true);
    expect(bindings.assignAll([DYN, STRING, BOOL], [bound, free, INT])).toBe(false);
    expect(bindings.resolve(bound)).toBe(INT);
    expect(bindings.resolve(free)).toBe(free);
    expect(bindings.settle(listOf(free))).toEqual(listOf(DYN));
  });

  test('are never bound to a type that contains them', () => {
    const bindings = new Bindings();
    const variable = bindings.fresh();
    expect(bindings.assign(listOf(variable), variable)).toBe(false);
    expect(bindings.assign(variable, variable)).toBe(true);
    expect(bindings.resolve(variable)).toBe(variable);
  });
});

describe('relations', () => {
  test('types are equal by structure', () => {
    expect(equalTypes(mapOf(STRING, listOf(INT)), mapOf(STRING, listOf(INT)))).toBe(true);
    expect(equalTypes(listOf(INT), listOf(DYN))).toBe(false);
    expect(equalTypes(objectType('A'), objectType('A'))).toBe(true);
    expect(equalTypes(opaqueType('A'), opaqueType('A', INT))).toBe(false);
  });

  test('the more general type has fewer constraints', () => {
    expect(mostGeneral(listOf(INT), listOf(DYN))).toEqual(listOf(DYN));
    expect(mostGeneral(DYN, INT)).toBe(DYN);
    expect(mostGeneral(INT, DYN)).toBe(DYN);
    expect(mostGeneral(mapOf(STRING, INT), mapOf(DYN, INT))).toEqual(mapOf(DYN, INT));
  });

  test('types are formatted like in messages of cel-go', () => {
    expect(formatType(mapOf(STRING, optionalOf(listOf(NULL))))).toBe('map(string, optional_type(list(null)))');
    expect(formatType(ERROR)).toBe('!error!');
  });
});
