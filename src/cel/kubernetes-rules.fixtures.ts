/**
 * Runs rules like those of a custom resource and formats their results like `testdata/kubernetes-rules.json`. Types,
 * values and sizes of `self` follow the schema as in kube-apiserver, as far as the table needs it.
 */
import { parseDuration } from '../apimachinery/scalars/duration.ts';
import { decodeBase64 } from '../base/base64.ts';
import type { JsonObject, JsonValue } from '../base/json-value.ts';
import { formatType } from './check/format-type.ts';
import { formatBound } from './cost/cost-range.ts';
import { estimateCost } from './cost/estimate.ts';
import { createEnvironment } from './create-environment.ts';
import type { CheckedExpression, Environment, Program, SizeHints } from './environment.ts';
import { KUBERNETES_LIBRARIES } from './libraries/kubernetes.ts';
import { LiteralObject } from './runtime/constructors.ts';
import { NativeList, NativeMap } from './runtime/native-values.ts';
import { parseTimestamp } from './runtime/timestamps.ts';
import { showValue } from './show-value.fixtures.ts';
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
  type ObjectType,
  STRING,
  TIMESTAMP,
} from './types.ts';
import { CelDouble, CelDuration, CelError, type Value } from './values.ts';

export interface RuleSchema {
  readonly type?: string;
  readonly format?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly enum?: readonly JsonValue[];
  readonly default?: JsonValue;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, RuleSchema>>;
  readonly items?: RuleSchema;
  readonly additionalProperties?: RuleSchema;
  readonly 'x-kubernetes-int-or-string'?: boolean;
}

export interface RuleCase {
  /** The schema of `self`; none if the rule has no variable. */
  readonly schema?: string;
  readonly rule: string;
  /** A key of `values`. */
  readonly self?: string;
  readonly oldSelf?: string;
  readonly expect: RuleOutcome;
}

/** The results of kube-apiserver's engine for a rule: issues, estimate, value and cost. */
export interface RuleOutcome {
  readonly issues?: readonly string[];
  readonly type?: string;
  /** The reason why the rule does not compile to a program. */
  readonly program?: string;
  readonly value?: string;
  readonly error?: string;
  readonly cost?: number;
  readonly min?: string;
  readonly max?: string;
}

export interface RuleTable {
  readonly schemas: Readonly<Record<string, RuleSchema>>;
  /** The values of `self` and `oldSelf`. */
  readonly values: Readonly<Record<string, JsonValue>>;
  readonly cases: readonly RuleCase[];
}

/** The CEL view of a schema. */
interface Declared {
  readonly type: CelType;
  readonly maxElements: number;
  readonly minSize: number;
  readonly fields?: ReadonlyMap<string, Declared>;
  readonly items?: Declared;
}

const REQUEST_MAX = 3 * 1024 * 1024;
const KEY: Declared = { type: STRING, maxElements: 0, minSize: 2 };

function declare(schema: RuleSchema, name: string): Declared {
  if (schema['x-kubernetes-int-or-string'])
    return {
      type: DYN,
      maxElements: schema.maxLength === undefined ? REQUEST_MAX - 2 : schema.maxLength * 4,
      minSize: 1,
    };
  switch (schema.type) {
    case 'boolean':
      return { type: BOOL, maxElements: 0, minSize: 4 };
    case 'integer':
      return { type: INT, maxElements: 0, minSize: 1 };
    case 'number':
      return { type: DOUBLE, maxElements: 0, minSize: 1 };
    case 'string':
      return declareString(schema);
    case 'array': {
      const items = declare(schema.items as RuleSchema, `${name}.@idx`);
      const maxElements = schema.maxItems ?? Math.floor((REQUEST_MAX - 2) / (items.minSize + 1));
      return { type: listOf(items.type), maxElements, minSize: 2, items };
    }
    default:
      return schema.additionalProperties === undefined
        ? declareObject(schema, name)
        : declareMap(schema, schema.additionalProperties, name);
  }
}

function declareString(schema: RuleSchema): Declared {
  const unbounded = REQUEST_MAX - 2;
  switch (schema.format) {
    case 'byte':
      return { type: BYTES, maxElements: schema.maxLength ?? unbounded, minSize: 2 };
    case 'duration':
      return { type: DURATION, maxElements: 32, minSize: 3 };
    case 'date':
      return { type: TIMESTAMP, maxElements: 12, minSize: 12 };
    case 'date-time':
      return { type: TIMESTAMP, maxElements: 32, minSize: 21 };
  }
  const lengths = (schema.enum ?? []).map((value) => (value as string).length);
  const fromEnum = lengths.length === 0 ? unbounded : Math.max(...lengths);
  return { type: STRING, maxElements: schema.maxLength === undefined ? fromEnum : schema.maxLength * 4, minSize: 2 };
}

function declareMap(schema: RuleSchema, values: RuleSchema, name: string): Declared {
  const items = declare(values, `${name}.@elem`);
  const maxElements = schema.maxProperties ?? Math.floor((REQUEST_MAX - 2) / (items.minSize + 6));
  return { type: mapOf(STRING, items.type), maxElements, minSize: 2, items };
}

function declareObject(schema: RuleSchema, name: string): Declared {
  const fields = new Map<string, Declared>();
  let minSize = 2;
  for (const [field, property] of Object.entries(schema.properties ?? {})) {
    const declared = declare(property, `${name}.${field}`);
    fields.set(field, declared);
    if (schema.required?.includes(field) && property.default === undefined)
      minSize += field.length + declared.minSize + 4;
  }
  const type: ObjectType = {
    kind: 'object',
    name,
    field: (field) => fields.get(field)?.type,
    fieldNames: () => fields.keys(),
  };
  return { type, maxElements: 0, minSize, fields };
}

function hintsOf(root: Declared | undefined): SizeHints {
  return {
    size(path) {
      let node: Declared | undefined = root;
      for (const name of path.slice(1)) {
        if (name === '@items' || name === '@values') node = node?.items;
        else if (name === '@keys') node = node?.type.kind === 'map' ? KEY : undefined;
        else node = node?.fields?.get(name);
        if (node === undefined) return undefined;
      }
      return node === undefined ? undefined : { min: 0, max: node.maxElements };
    },
  };
}

function toValue(json: JsonValue, schema: RuleSchema, declared: Declared): Value {
  if (json === null) return null;
  if (Array.isArray(json))
    return new NativeList(json.map((item) => toValue(item, schema.items as RuleSchema, declared.items as Declared)));
  if (typeof json === 'object') return objectOf(json, schema, declared);
  if (typeof json === 'string') return textOf(json, schema);
  return schema.type === 'number' ? new CelDouble(Number(json)) : json;
}

function objectOf(json: JsonObject, schema: RuleSchema, declared: Declared): Value {
  const entries = Object.entries(json);
  if (declared.type.kind === 'map') {
    const values = schema.additionalProperties as RuleSchema;
    return new NativeMap(
      entries.map(([key, value]) => [key, toValue(value as JsonValue, values, declared.items as Declared)]),
    );
  }
  const fields = entries.map(([name, value]): [string, Value] => {
    const field = declared.fields?.get(name) as Declared;
    return [name, toValue(value as JsonValue, schema.properties?.[name] as RuleSchema, field)];
  });
  return new LiteralObject(declared.type as ObjectType, new Map(fields));
}

function textOf(text: string, schema: RuleSchema): Value {
  switch (schema.format) {
    case 'byte':
      return decodeBase64(text) as Uint8Array;
    case 'duration': {
      const parsed = parseDuration(text);
      return new CelDuration(parsed.ok ? parsed.value : 0n);
    }
    case 'date':
      return parseTimestamp(`${text}T00:00:00Z`) as Value;
    case 'date-time':
      return parseTimestamp(text) as Value;
    default:
      return text;
  }
}

const BASE: Environment = createEnvironment({ libraries: KUBERNETES_LIBRARIES, variables: [] });

/** The line (from 1) and the column (from 0). */
function place(source: string, at: number): string {
  const before = [...source].slice(0, at).join('').split('\n');
  return `${before.length}:${[...(before.at(-1) as string)].length}`;
}

/** The environment of the rules of a schema. */
interface Scope {
  readonly environment: Environment;
  readonly hints: SizeHints;
  toValue(json: JsonValue): Value | undefined;
}

function scopeOf(schema: RuleSchema | undefined): Scope {
  if (schema === undefined) return { environment: BASE, hints: hintsOf(undefined), toValue: () => undefined };
  const declared = declare(schema, 'selfType');
  const variables = ['self', 'oldSelf'].map((name) => ({ name, type: declared.type }));
  return {
    environment: BASE.extend({ variables }),
    hints: hintsOf(declared),
    toValue: (json) => toValue(json, schema, declared),
  };
}

/** The results of a rule, in the format of the table. */
export function ruleRunner(table: RuleTable): (rule: Omit<RuleCase, 'expect'>) => RuleOutcome {
  const scopes = new Map<string | undefined, Scope>([[undefined, scopeOf(undefined)]]);
  for (const [name, schema] of Object.entries(table.schemas)) scopes.set(name, scopeOf(schema));
  return ({ schema, rule, self, oldSelf }) => {
    const { environment, hints, toValue } = scopes.get(schema) as Scope;
    const result = environment.check(rule);
    if (!result.ok) return { issues: result.issues.map(({ message, at }) => `${place(rule, at)}: ${message}`) };
    const { checked } = result;
    const { min, max } = estimateCost(checked, hints);
    const facts = { type: formatType(checked.type), min: formatBound(min), max: formatBound(max) };
    const program = makeProgram(environment, checked);
    if (typeof program === 'string') return { ...facts, program };
    const values = [self, oldSelf].map((name) =>
      name === undefined ? undefined : toValue(table.values[name] as JsonValue),
    );
    const outcome = program.run(values, { cost: COST_LIMIT });
    if ('error' in outcome) return { ...facts, cost: outcome.cost, error: outcome.error.message };
    return { ...facts, cost: outcome.cost, value: showValue(outcome.value) };
  };
}

const COST_LIMIT = 100_000_000;

function makeProgram(environment: Environment, checked: CheckedExpression): Program | string {
  try {
    return environment.program(checked);
  } catch (caught) {
    if (caught instanceof CelError) return caught.message;
    throw caught;
  }
}
