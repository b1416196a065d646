/**
 * The declarations of cel-go's checker tests, which `@bufbuild/cel-spec` does not contain, and the cases that are not
 * run.
 */
import type { Variable } from './environment.ts';
import type { FunctionDeclaration } from './library.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  type ObjectType,
  opaqueType,
  optionalOf,
  paramType,
  STRING,
  UINT,
} from './types.ts';

export interface CaseSetup {
  readonly variables?: Readonly<Record<string, CelType>>;
  readonly functions?: readonly FunctionDeclaration[];
  readonly container?: string;
  readonly optionals?: boolean;
}

function objectType(name: string, fields: () => Readonly<Record<string, CelType>>): ObjectType {
  return { kind: 'object', name, field: (field) => fields()[field], fieldNames: () => Object.keys(fields()) };
}

const PROTO3 = 'google.expr.proto3.test';
const PROTO2 = 'google.expr.proto2.test';
const NESTED_TYPES = objectType(`${PROTO3}.NestedTestAllTypes`, () => ({}));
const NESTED = objectType(`${PROTO3}.TestAllTypes.NestedMessage`, () => ({ bb: INT }));
const ALL_TYPES3 = objectType(`${PROTO3}.TestAllTypes`, () => ({
  single_int32: INT,
  single_int64: INT,
  single_value: DYN,
  single_struct: mapOf(STRING, DYN),
  single_nested_message: NESTED,
  repeated_int32: listOf(INT),
  repeated_int64: listOf(INT),
  repeated_nested_message: listOf(NESTED),
  map_string_string: mapOf(STRING, STRING),
  map_int64_nested_type: mapOf(INT, NESTED_TYPES),
}));
const NESTED2 = objectType(`${PROTO2}.TestAllTypes.NestedMessage`, () => ({}));
const GROUP2 = objectType(`${PROTO2}.TestAllTypes.NestedGroup`, () => ({ nested_id: INT }));
const ALL_TYPES2 = objectType(`${PROTO2}.TestAllTypes`, () => ({
  single_int32: INT,
  single_int64: INT,
  repeated_int32: listOf(INT),
  repeated_nested_message: listOf(NESTED2),
  map_string_string: mapOf(STRING, STRING),
  nestedgroup: GROUP2,
}));

export const SPEC_TYPES: readonly ObjectType[] = [ALL_TYPES3, ALL_TYPES2];

const T = paramType('T');
const MY_FUNCTIONS: readonly FunctionDeclaration[] = [
  { name: 'fg_s', overloads: [{ id: 'fg_s_0', params: [], result: STRING }] },
  { name: 'fi_s_s', overloads: [{ id: 'fi_s_s_0', member: true, params: [STRING], result: STRING }] },
  {
    name: 'myfun',
    overloads: [
      { id: 'myfun_instance', member: true, params: [INT, BOOL, UINT], result: INT },
      { id: 'myfun_static', params: [INT, BOOL, UINT], result: INT },
    ],
  },
  { name: 'size', overloads: [{ id: 'size_message', params: [ALL_TYPES3], result: INT }] },
  { name: 'base64.encode', overloads: [{ id: 'base64_encode_string', params: [STRING], result: STRING }] },
  { name: 'set', overloads: [{ id: 'set_list', params: [listOf(T)], result: opaqueType('set', T) }] },
];

const WITH_X: CaseSetup = { variables: { x: ALL_TYPES3 } };
const WITH_LIST: CaseSetup = { variables: { x: listOf(ALL_TYPES3), y: listOf(INT) } };
const WITH_MAP: CaseSetup = { variables: { x: mapOf(STRING, ALL_TYPES3) } };
const WITH_BASICS: CaseSetup = {
  variables: { is: STRING, ii: INT, iu: UINT, iz: BOOL, ib: BYTES, id: DOUBLE, ix: NULL },
  functions: MY_FUNCTIONS,
};
const WITH_FUNCTIONS: CaseSetup = { functions: MY_FUNCTIONS };
const IN_PROTO3: CaseSetup = { container: PROTO3 };

/** The declarations by source, without white space. */
const SETUPS: Readonly<Record<string, CaseSetup>> = {
  is: WITH_BASICS,
  ii: WITH_BASICS,
  iu: WITH_BASICS,
  iz: WITH_BASICS,
  id: WITH_BASICS,
  ix: WITH_BASICS,
  ib: WITH_BASICS,
  'fg_s()': WITH_BASICS,
  'is.fi_s_s()': WITH_BASICS,
  '1+ii': WITH_BASICS,
  'TestAllTypes{single_int32:1,single_int64:2}': IN_PROTO3,
  'TestAllTypes{single_int32:1u}': IN_PROTO3,
  'TestAllTypes{single_int32:1,undefined:2}': IN_PROTO3,
  'size(x)==x.size()': { variables: { x: listOf(INT) } },
  'x.single_value+1/x.single_struct.y==23': { ...WITH_X, optionals: true },
  "x.single_value[23]+x.single_struct['y']": { ...WITH_X, optionals: true },
  'x["claims"]["groups"][0].name=="dummy"&&x.claims["exp"]==y[1].time&&x.claims.structured=={\'key\':z}&&z==1.0': {
    variables: { x: mapOf(STRING, DYN), y: listOf(DYN), z: DYN },
    optionals: true,
  },
  'x+y': WITH_LIST,
  'x[1u]': WITH_LIST,
  '(x+x)[1].single_int32==size(x)': WITH_LIST,
  'x.repeated_int64[x.single_int32]==23': WITH_X,
  'size(x.map_int64_nested_type)==0': WITH_X,
  'x.all(y,y==true)': { variables: { x: BOOL } },
  'x.repeated_int64.map(x,double(x))': WITH_X,
  'x.repeated_int64.map(x,x>0,double(x))': WITH_X,
  'x[2].single_int32==23': WITH_MAP,
  'x["a"].single_int32==23': WITH_MAP,
  'x.single_nested_message.bb==43&&has(x.single_nested_message)': WITH_X,
  'x.single_nested_message.undefined==x.undefined&&has(x.single_int32)&&has(x.repeated_int32)': WITH_X,
  'x.single_nested_message!=null': WITH_X,
  'x.single_int64!=null': WITH_X,
  'x.repeated_int64.exists(y,y>10)&&y<5': WITH_X,
  'x.repeated_int64.all(e,e>0)&&x.repeated_int64.exists(e,e<0)&&x.repeated_int64.exists_one(e,e==0)': WITH_X,
  'x.all(e,0)': WITH_X,
  'lists.filter(x,x>1.5)': { variables: { lists: DYN } },
  'test.TestAllTypes': { container: 'google.expr.proto3' },
  x: { container: 'container', variables: { 'container.x': ALL_TYPES3 } },
  'myfun(1,true,3u)+1.myfun(false,3u).myfun(true,42u)': WITH_FUNCTIONS,
  'size(x)>4': { ...WITH_X, functions: MY_FUNCTIONS },
  'args.user["myextension"].customAttributes.filter(x,x.name=="hobbies")': {
    variables: { args: mapOf(STRING, DYN) },
    optionals: true,
  },
  'a.b+1==a[0]': { variables: { a: T }, optionals: true },
  '!has(pb2.single_int64)&&!has(pb2.repeated_int32)&&!has(pb2.map_string_string)&&!has(pb3.single_int64)&&!has(pb3.repeated_int32)&&!has(pb3.map_string_string)':
    { variables: { pb2: ALL_TYPES2, pb3: ALL_TYPES3 } },
  "base64.encode('hello')": WITH_FUNCTIONS,
  "encode('hello')": { ...WITH_FUNCTIONS, container: 'base64' },
  'set([1,2,3])': WITH_FUNCTIONS,
  'set([1,2])==set([2,1])': WITH_FUNCTIONS,
  'set([1,2])==x': { ...WITH_FUNCTIONS, variables: { x: opaqueType('set', T) } },
  'values.filter(i,i.content!="").map(i,i.content)': { variables: { values: listOf(mapOf(STRING, STRING)) } },
  'type(testAllTypes.nestedgroup.nested_id)==int': { variables: { testAllTypes: ALL_TYPES2 } },
  'a.b': { variables: { a: optionalOf(mapOf(STRING, STRING)) } },
  'a.dynamic': { variables: { a: optionalOf(DYN) } },
  'has(a.dynamic)': { variables: { a: optionalOf(DYN) } },
};

function compact(source: string): string {
  return source.replace(/\s+/g, '');
}

/** The cases that are not run. `expected` distinguishes cases with the same source. */
export function setupOf(source: string, expected: string): CaseSetup {
  if (source === 'TestAllTypes{}.repeated_nested_message') {
    return { container: expected.includes(PROTO2) ? PROTO2 : PROTO3 };
  }
  return SETUPS[compact(source)] ?? {};
}

export function variablesOf(setup: CaseSetup): readonly Variable[] {
  return Object.entries(setup.variables ?? {}).map(([name, type]) => ({ name, type }));
}

/** Patterns of sources (without white space) and expected results that are not run, with the reason. */
const EXCLUDED: readonly (readonly [source: RegExp, expected: RegExp, reason: string])[] = [
  [
    /existsOne\(\w+,\w+\)/,
    /./,
    'the macro of that name with one variable is in the parser of cel-go, not in its environments',
  ],
  [/./, /limit exceeded: (4|32)|max recursion depth exceeded/, 'the case sets a lower limit than an environment has'],
  [/./, /wrapper\(/, 'no variable of Kubernetes has a wrapper type'],
  [/google\.protobuf\.\w+\{/, /./, 'messages of google.protobuf cannot be made by name'],
  [/NestedEnum/, /./, 'there are no enums'],
  [/^x\.single_int32!=null$/, /Proto2Message/, 'an object type is always known'],
  [/^type\(type\)==type$/, /./, 'the type of types is written type(dyn)'],
  [/^1[<>]=?1\.0/, /no matching overload/, 'the case switches comparisons of different numbers off'],
  [/^null_int==null/, /./, 'no variable of Kubernetes has a wrapper type'],
  [/\{\?.*[.[]\?/, /unsupported syntax '\?'/, 'we tell of the optional selection in the value, too'],
];

/** The reason why a case is not run; undefined if it is run. */
export function exclusionOf(source: string, expected: string): string | undefined {
  return EXCLUDED.find(([pattern, outcome]) => pattern.test(compact(source)) && outcome.test(expected))?.[2];
}
