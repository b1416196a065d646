/**
 * A custom resource through its schema (pruned, defaulted, validated) compared with hand-written code for the same
 * kind.
 */

import type { JsonObject } from '../src/base/json-value.ts';
import { compileSchema } from '../src/schema/compile-schema.ts';
import { rulesOf } from '../src/schema/rules/rules-of.ts';
import { structuralOf } from '../src/schema/structural/structural-node.ts';
import { objectMetaView } from '../src/server/resource/schema/object-metadata-form.ts';
import { type BenchLine, compare } from './measure.ts';
import { customKind, smallDefinition, smallSpec } from './peer/crds/definitions.ts';

const BATCH = 200;

interface Definition {
  readonly spec: { readonly versions: readonly [{ readonly schema: { readonly openAPIV3Schema: JsonObject } }] };
}

/** Returns an object as the parser does, without the field that has a default. */
function makeObject(): JsonObject {
  return {
    apiVersion: 'bench.example.com/v1',
    kind: 'Bench0',
    metadata: { name: 'cart', namespace: 'default', labels: { app: 'bench' } },
    spec: smallSpec(),
  };
}

export function benchSchema(options: { rounds: number; ms: number }): BenchLine {
  const { spec } = smallDefinition(customKind('bench', 0)) as unknown as Definition;
  const structural = structuralOf(spec.versions[0].schema.openAPIV3Schema);
  const schema = compileSchema(structural, { objectMeta: objectMetaView(), rules: rulesOf(structural) });
  const through = (object: JsonObject): number => {
    const dropped = schema.prune(object).length;
    schema.coerceEmbedded(object);
    schema.setDefaults(object);
    return dropped + schema.validate(object).length;
  };
  const wrong = makeObject();
  Object.assign(wrong['spec'] as JsonObject, { port: 0, owner: '-', policy: 'Maybe', unknown: 1 });
  const right = makeObject();
  const found = [through(right), through(wrong), (right['spec'] as JsonObject)['replicas']];
  const [rightByHand, wrongByHand] = [makeObject(), makeObject()];
  Object.assign(wrongByHand['spec'] as JsonObject, { port: 0, owner: '-', policy: 'Maybe', unknown: 1 });
  const expected = [byHand(rightByHand), byHand(wrongByHand), (rightByHand['spec'] as JsonObject)['replicas']];
  if (found.join() !== expected.join() || found.join() !== '0,4,1')
    throw new Error(`the schema finds ${found}, the hand-written code ${expected}`);
  let problems = 0;
  const result = compare(
    () => {
      for (let i = 0; i < BATCH; i++) problems += through(makeObject());
    },
    () => {
      for (let i = 0; i < BATCH; i++) problems += byHand(makeObject());
    },
    options,
  );
  if (problems !== 0) throw new Error('the object is valid');
  return {
    name: 'a custom resource of 10 fields: pruned, defaulted, validated / by hand-written code',
    unit: `objects/s (× ${BATCH})`,
    ...result,
    atLeast: 0.3,
  };
}

const ROOT = new Set(['apiVersion', 'kind', 'metadata', 'spec', 'status']);
const FIELDS = new Set('image owner replicas port policy paused arguments labels weight note'.split(' '));
const OWNER = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const POLICIES = new Set(['Always', 'Never', 'OnFailure']);

/** Returns the number of unknown and invalid fields. */
function byHand(object: JsonObject): number {
  let wrong = 0;
  const need = (holds: boolean): void => {
    if (!holds) wrong++;
  };
  const dropUnknown = (fields: JsonObject, known: ReadonlySet<string>): void => {
    for (const name of Object.keys(fields)) {
      if (known.has(name)) continue;
      delete fields[name];
      wrong++;
    }
  };
  dropUnknown(object, ROOT);
  const spec = object['spec'] as JsonObject | undefined;
  if (spec === undefined) return wrong;
  dropUnknown(spec, FIELDS);
  if (spec['replicas'] === undefined || spec['replicas'] === null) spec['replicas'] = 1;
  const { image, owner, replicas, port, policy, paused, arguments: args, labels, weight, note } = spec;
  need(typeof image === 'string' && image.length >= 1 && image.length <= 200);
  need(typeof owner === 'string' && OWNER.test(owner));
  need(Number.isInteger(replicas) && (replicas as number) >= 0 && (replicas as number) <= 1000);
  need(port === undefined || (Number.isInteger(port) && (port as number) >= 1 && (port as number) <= 65_535));
  need(policy === undefined || (typeof policy === 'string' && POLICIES.has(policy)));
  need(paused === undefined || typeof paused === 'boolean');
  need(
    args === undefined ||
      (Array.isArray(args) && args.length <= 32 && args.every((argument) => typeof argument === 'string')),
  );
  need(labels === undefined || Object.values(labels as JsonObject).every((label) => typeof label === 'string'));
  need(weight === undefined || (typeof weight === 'number' && weight >= 0));
  need(note === undefined || typeof note === 'string');
  return wrong;
}
