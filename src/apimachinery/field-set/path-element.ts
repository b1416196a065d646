/**
 * One step of a path into an object, as structured-merge-diff's PathElement: the name of a field, the key of a list
 * item, the value of a set item, or an index. A field name is a plain string, so that names from objects and types are
 * elements without a copy.
 */
import { equalJson, type JsonValue } from '../../base/json-value.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import { compareValues, formatElementValue, type NumberForm } from './element-value.ts';

/** A string is the name of a field or the key of a map. */
export type PathElement = string | KeyElement | ValueElement | IndexElement;

/** From the root of the object. */
export type Path = readonly PathElement[];

const KEY = 0;
const VALUE = 1;
const INDEX = 2;

/**
 * The item of an associative list with the given key fields. Invariant: `names` is in byte order and `values` is
 * parallel to it.
 */
export class KeyElement {
  readonly rank: typeof KEY = KEY;
  readonly names: readonly string[];
  readonly values: readonly JsonValue[];

  /** Its text in FieldsV1, once it was written. */
  text: string | undefined;

  constructor(names: readonly string[], values: readonly JsonValue[]) {
    this.names = names;
    this.values = values;
    this.text = undefined;
  }
}

/** The item of a set. */
export class ValueElement {
  readonly rank: typeof VALUE = VALUE;
  readonly value: JsonValue;

  /** Its text in FieldsV1, once it was written. */
  text: string | undefined;

  constructor(value: JsonValue) {
    this.value = value;
    this.text = undefined;
  }
}

/**
 * The item of a list at a position. Apply does not make such elements. They occur in FieldsV1 that other writers made.
 */
export class IndexElement {
  readonly rank: typeof INDEX = INDEX;
  readonly index: number;

  /** Its text in FieldsV1, once it was written. */
  text: string | undefined;

  constructor(index: number) {
    this.index = index;
    this.text = undefined;
  }
}

/** The element of a list item with these key fields, in any order. */
export function keyElement(fields: Readonly<Record<string, JsonValue>>): KeyElement {
  const names = Object.keys(fields).sort(compareUtf8);
  return new KeyElement(
    names,
    names.map((name) => fields[name] as JsonValue),
  );
}

/** Field names precede keys, then come values and indexes; 0 means that the elements are equal. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  if (typeof a === 'string') return typeof b === 'string' ? compareUtf8(a, b) : -1;
  if (typeof b === 'string') return 1;
  if (a.rank !== b.rank) return a.rank - b.rank;
  switch (a.rank) {
    case KEY:
      return compareKeys(a, b as KeyElement);
    case VALUE:
      return compareValues(a.value, (b as ValueElement).value);
    case INDEX:
      return a.index - (b as IndexElement).index;
  }
}

function compareKeys(a: KeyElement, b: KeyElement): number {
  const length = Math.min(a.names.length, b.names.length);
  for (let i = 0; i < length; i++) {
    const [nameA, nameB] = [a.names[i] as string, b.names[i] as string];
    if (nameA !== nameB) return compareUtf8(nameA, nameB);
    const order = compareValues(a.values[i] as JsonValue, b.values[i] as JsonValue);
    if (order !== 0) return order;
  }
  return a.names.length - b.names.length;
}

export function equalElements(a: PathElement, b: PathElement): boolean {
  if (a === b) return true;
  if (typeof a === 'string' || typeof b === 'string' || a.rank !== b.rank) return false;
  switch (a.rank) {
    case KEY: {
      const { names, values } = b as KeyElement;
      return (
        a.names.length === names.length &&
        a.names.every((name, i) => name === names[i] && equalJson(a.values[i] as JsonValue, values[i] as JsonValue))
      );
    }
    case VALUE:
      return equalJson(a.value, (b as ValueElement).value);
    case INDEX:
      return a.index === (b as IndexElement).index;
  }
}

/** An element as paths show it: `.name`, `[name="a",port=80]`, `[="x"]`, `[3]`. */
export function formatElement(element: PathElement, numbers: NumberForm = 'exact'): string {
  if (typeof element === 'string') return `.${element}`;
  switch (element.rank) {
    case KEY: {
      const fields = element.names.map(
        (name, i) => `${name}=${formatElementValue(element.values[i] as JsonValue, numbers)}`,
      );
      return `[${fields.join(',')}]`;
    }
    case VALUE:
      return `[=${formatElementValue(element.value, numbers)}]`;
    case INDEX:
      return `[${element.index}]`;
  }
}

/** A path as conflicts show it: `.spec.containers[name="a"].image`. */
export function formatPath(path: Path, numbers: NumberForm = 'exact'): string {
  return path.map((element) => formatElement(element, numbers)).join('');
}
