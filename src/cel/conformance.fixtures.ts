/**
 * The conformance cases of the CEL specification, converted to the types of this engine. Cases that use a protobuf
 * message are left out here and counted.
 */
import {
  getConformanceSuite,
  type IncrementalTest,
  type IncrementalTestSuite,
} from '@bufbuild/cel-spec/testdata/tests.js';
import type { Variable } from './environment.ts';
import type { FunctionDeclaration, Library } from './library.ts';
import { intOf } from './runtime/integers.ts';
import { NativeList, NativeMap } from './runtime/native-values.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  opaqueType,
  paramType,
  STRING,
  TIMESTAMP,
  typeOf,
  UINT,
} from './types.ts';
import { CelDouble, CelDuration, CelTimestamp, CelTypeValue, CelUint, type Value } from './values.ts';

type SimpleTest = IncrementalTest['original'];
type ProtoValue = Extract<SimpleTest['resultMatcher'], { case: 'value' }>['value'];
type ProtoType = NonNullable<Extract<SimpleTest['resultMatcher'], { case: 'typedResult' }>['value']['deducedType']>;

export interface ConformanceCase {
  /** `section/name`. */
  readonly name: string;
  readonly source: string;
  readonly container: string;
  readonly variables: readonly Variable[];
  readonly bindings: ReadonlyMap<string, Value>;
  /** The expected value or type; neither if an error is expected. */
  readonly value: Value | undefined;
  readonly type: CelType | undefined;
  readonly error: boolean;
  /** True if the case only checks the type. */
  readonly checkOnly: boolean;
  /** True if the case is evaluated without the type checker. */
  readonly unchecked: boolean;
  /** The functions that the case declares. They have no implementation. */
  readonly functions: Library;
}

export interface ConformanceFile {
  readonly name: string;
  readonly cases: readonly ConformanceCase[];
  /** The number of cases that are left out because they use protobuf messages. */
  readonly leftOut: number;
}

/** Matches messages and enums of protobuf, including wrappers and JSON values. Timestamp and Duration are CEL types. */
const PROTOBUF =
  /TestAllTypes|TestRequired|GlobalEnum|NestedEnum|google\.protobuf\.(?!Timestamp|Duration)|"case":"(?:messageType|wrapper)"|cel\.expr\.conformance\.proto/;

export function conformanceFile(name: string): ConformanceFile {
  const file = getConformanceSuite().suites.find((suite) => suite.name === name);
  if (file === undefined) throw new Error(`the specification has no file ${name}`);
  const all = [...casesOf(file, '')];
  const ours = all.filter(({ test }) => !needsProtobuf(test.original));
  return {
    name,
    cases: ours.map(({ test, path }) => toCase(test.original, path)),
    leftOut: all.length - ours.length,
  };
}

export function conformanceFileNames(): readonly string[] {
  return getConformanceSuite().suites.map((suite) => suite.name);
}

function* casesOf(suite: IncrementalTestSuite, path: string): Generator<{ test: IncrementalTest; path: string }> {
  for (const test of suite.tests) yield { test, path: `${path}${test.name}` };
  for (const inner of suite.suites) yield* casesOf(inner, `${path}${inner.name}/`);
}

function needsProtobuf(test: SimpleTest): boolean {
  const text = JSON.stringify(test, (key, value: unknown) => {
    if (key === '$typeName' || key === 'description') return undefined;
    return typeof value === 'bigint' ? String(value) : value;
  });
  return PROTOBUF.test(text);
}

function toCase(test: SimpleTest, name: string): ConformanceCase {
  const matcher = test.resultMatcher;
  const typed = matcher.case === 'typedResult' ? matcher.value : undefined;
  const proto = matcher.case === 'value' ? matcher.value : typed?.result;
  const expectsTrue = matcher.case === undefined && !test.checkOnly;
  return {
    name,
    source: test.expr,
    container: test.container,
    variables: test.typeEnv.flatMap(toVariable),
    bindings: new Map(Object.entries(test.bindings).flatMap(toBinding)),
    value: expectsTrue ? true : proto === undefined ? undefined : toValue(proto),
    type: typed?.deducedType === undefined ? undefined : toType(typed.deducedType),
    error: matcher.case === 'evalError',
    checkOnly: test.checkOnly,
    unchecked: test.disableCheck,
    functions: { name: 'declared', functions: test.typeEnv.flatMap(toFunction) },
  };
}

function toVariable(declaration: SimpleTest['typeEnv'][number]): Variable[] {
  if (declaration.declKind.case !== 'ident' || declaration.declKind.value.type === undefined) return [];
  return [{ name: declaration.name, type: toType(declaration.declKind.value.type) }];
}

function toFunction(declaration: SimpleTest['typeEnv'][number]): FunctionDeclaration[] {
  if (declaration.declKind.case !== 'function') return [];
  const overloads = declaration.declKind.value.overloads.map((each) => ({
    id: each.overloadId,
    member: each.isInstanceFunction,
    params: each.params.map(toType),
    result: each.resultType === undefined ? DYN : toType(each.resultType),
  }));
  return [{ name: declaration.name, overloads }];
}

function toBinding([name, bound]: [string, SimpleTest['bindings'][string]]): [string, Value][] {
  return bound.kind.case === 'value' ? [[name, toValue(bound.kind.value)]] : [];
}

function toValue({ kind }: ProtoValue): Value {
  switch (kind.case) {
    case 'nullValue':
      return null;
    case 'boolValue':
    case 'stringValue':
    case 'bytesValue':
      return kind.value;
    case 'int64Value':
      return intOf(kind.value);
    case 'uint64Value':
      return new CelUint(kind.value);
    case 'doubleValue':
      return new CelDouble(kind.value);
    case 'listValue':
      return new NativeList(kind.value.values.map(toValue));
    case 'mapValue':
      return new NativeMap(
        kind.value.entries.map(({ key, value }) => {
          if (key === undefined || value === undefined) throw new Error('an entry without key or value');
          return [toValue(key), toValue(value)];
        }),
      );
    case 'typeValue':
      return new CelTypeValue(namedType(kind.value));
    case 'objectValue':
      return toTime(kind.value.typeUrl, kind.value.value);
  }
  throw new Error(`a value that cannot be converted: ${kind.case}`);
}

const TYPE_NAMES: ReadonlyMap<string, CelType> = new Map<string, CelType>([
  ['bool', BOOL],
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['string', STRING],
  ['bytes', BYTES],
  ['null_type', NULL],
  ['list', listOf(DYN)],
  ['map', mapOf(DYN, DYN)],
  ['type', typeOf(DYN)],
  ['google.protobuf.Timestamp', TIMESTAMP],
  ['google.protobuf.Duration', DURATION],
]);

function namedType(name: string): CelType {
  return TYPE_NAMES.get(name) ?? opaqueType(name, DYN);
}

/** A Timestamp or Duration in protobuf's wire format: seconds as field 1, nanoseconds as field 2. */
function toTime(url: string, wire: Uint8Array): Value {
  const fields = new Map<number, bigint>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = wire[at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
  };
  while (at < wire.length) fields.set(Number(varint() >> 3n), varint());
  const nanos = (fields.get(1) ?? 0n) * 1_000_000_000n + (fields.get(2) ?? 0n);
  if (url.endsWith('/google.protobuf.Timestamp')) return new CelTimestamp(nanos);
  if (url.endsWith('/google.protobuf.Duration')) return new CelDuration(nanos);
  throw new Error(`a value that cannot be converted: ${url}`);
}

const PRIMITIVES: readonly CelType[] = [DYN, BOOL, INT, UINT, DOUBLE, STRING, BYTES];
const WELL_KNOWN: readonly CelType[] = [DYN, DYN, TIMESTAMP, DURATION];

function toType({ typeKind }: ProtoType): CelType {
  switch (typeKind.case) {
    case 'dyn':
      return DYN;
    case 'null':
      return NULL;
    case 'primitive':
      return PRIMITIVES[typeKind.value] ?? DYN;
    case 'wellKnown':
      return WELL_KNOWN[typeKind.value] ?? DYN;
    case 'listType':
      return listOf(typeKind.value.elemType === undefined ? DYN : toType(typeKind.value.elemType));
    case 'mapType': {
      const { keyType, valueType } = typeKind.value;
      return mapOf(keyType === undefined ? DYN : toType(keyType), valueType === undefined ? DYN : toType(valueType));
    }
    case 'type':
      return typeOf(toType(typeKind.value));
    case 'abstractType':
      return opaqueType(typeKind.value.name, ...typeKind.value.parameterTypes.map(toType));
    case 'typeParam':
      return paramType(typeKind.value);
  }
  throw new Error(`a type that cannot be converted: ${typeKind.case}`);
}
