import { describe, expect, it } from 'vitest';
import { goPointer, goValue } from './go-value.ts';
import { type PackageShapes, structShape } from './package-shapes.ts';

const base: PackageShapes<'Item'> = { id: 'base', roots: ['Item'], uses: [], structs: '\nItem Count:0' };

const shapes: PackageShapes<'All' | 'Empty' | 'Names' | 'Node' | 'Template' | 'OrBool' | 'OrList' | 'Bad'> = {
  id: 'test',
  roots: ['All', 'Empty', 'Names', 'Node', 'Template', 'OrBool', 'OrList', 'Bad'],
  uses: [base],
  structs: `
All Name Flag:false Amount:"0" Raw:null Map:{ Selector:* Struct:Inner Pointer:*base:Item List:[base:Item ByKey:{Inner
Bad Missing:*Nowhere
Empty
Inner Flag:false
Names FSType TTY HTTPGet A Endpoints=endpointsName XListType=x-kubernetes-list-type:*
Node Name Children:[Node
OrBool | Allows:false Schema:*Inner
OrList | Schema:*Inner Schemas:[Inner
Template <metadata Spec:Inner`,
};

describe('the reader of shapes', () => {
  it('derives JSON names from Go names', () => {
    const names = structShape(shapes, 'Names').fields.map(({ goName, jsonName }) => [goName, jsonName]);
    expect(names).toEqual([
      ['FSType', 'fsType'],
      ['TTY', 'tty'],
      ['HTTPGet', 'httpGet'],
      ['A', 'a'],
      ['Endpoints', 'endpointsName'],
      ['XListType', 'x-kubernetes-list-type'],
    ]);
  });

  it('reads zero values and types', () => {
    const fields = structShape(shapes, 'All').fields.map(({ type, zero, struct }) => [
      type,
      zero,
      struct !== undefined,
    ]);
    expect(fields).toEqual([
      ['value', '', false],
      ['value', false, false],
      ['value', '0', false],
      ['value', null, false],
      ['map', null, false],
      ['pointer', null, false],
      ['value', null, true],
      ['pointer', null, true],
      ['list', null, true],
      ['map', null, true],
    ]);
  });

  it('parses a struct once', () => {
    expect(structShape(shapes, 'Node')).toBe(structShape(shapes, 'Node'));
    expect(structShape(shapes, 'Node').fields[1]?.struct?.()).toBe(structShape(shapes, 'Node'));
  });

  it('fails for a struct that is not there', () => {
    expect(() => structShape(shapes, 'Other')).toThrow('the package test has no shape of Other');
    expect(() => goValue(shapes, 'Bad', { missing: {} })).toThrow('the package test has no shape of Nowhere');
  });
});

describe('a Go value', () => {
  it('has every field by its Go name, zero values included', () => {
    expect(JSON.stringify(goValue(shapes, 'All', {}))).toBe(
      '{"Name":"","Flag":false,"Amount":"0","Raw":null,"Map":null,"Selector":null,"Struct":{"Flag":false},"Pointer":null,"List":null,"ByKey":null}',
    );
    expect(goValue(shapes, 'Empty', { any: 1 })).toEqual({});
  });

  it('has nested structs, sorted maps, and values of other types as they are', () => {
    const value = {
      other: 1,
      byKey: { y: {}, x: { flag: true } },
      list: [{ count: 3 }, null],
      pointer: {},
      struct: { flag: true },
      selector: { z: 1, a: 1 },
      map: { b: 1, a: 2 },
      raw: [1],
      amount: '5',
      flag: null,
      name: 'n',
    };
    expect(JSON.stringify(goValue(shapes, 'All', value))).toBe(
      '{"Name":"n","Flag":false,"Amount":"5","Raw":[1],"Map":{"a":2,"b":1},"Selector":{"z":1,"a":1},"Struct":{"Flag":true},"Pointer":{"Count":0},"List":[{"Count":3},{"Count":0}],"ByKey":{"x":{"Flag":true},"y":{"Flag":false}}}',
    );
  });

  it('keeps empty lists and maps', () => {
    expect(goValue(shapes, 'All', { list: [], map: {}, byKey: {} })).toMatchObject({ List: [], Map: {}, ByKey: {} });
  });

  it('follows recursive structs', () => {
    expect(goValue(shapes, 'Node', { name: 'a', children: [{ name: 'b' }] })).toEqual({
      Name: 'a',
      Children: [{ Name: 'b', Children: null }],
    });
  });

  it('has the fields of embedded metadata in their place', () => {
    const template = { spec: { flag: true }, metadata: { name: 'n', labels: { a: 'b' } } };
    expect(JSON.stringify(goValue(shapes, 'Template', template))).toBe(
      '{"name":"n","labels":{"a":"b"},"Spec":{"Flag":true}}',
    );
    expect(goValue(shapes, 'Template', {})).toEqual({ Spec: { Flag: false } });
  });

  it('has the member of a union that its JSON value selects', () => {
    expect(goValue(shapes, 'OrBool', true)).toEqual({ Allows: true, Schema: null });
    expect(goValue(shapes, 'OrBool', false)).toEqual({ Allows: false, Schema: null });
    expect(goValue(shapes, 'OrBool', { flag: true })).toEqual({ Allows: true, Schema: { Flag: true } });
    expect(goValue(shapes, 'OrList', {})).toEqual({ Schema: { Flag: false }, Schemas: null });
    expect(goValue(shapes, 'OrList', [{ flag: true }])).toEqual({ Schema: null, Schemas: [{ Flag: true }] });
  });

  it('is null for an absent pointer', () => {
    expect(goPointer(shapes, 'Empty', undefined)).toBeNull();
    expect(goPointer(shapes, 'Empty', null)).toBeNull();
    expect(goPointer(base, 'Item', { count: 1 })).toEqual({ Count: 1 });
  });
});
