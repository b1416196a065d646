/**
 * Ratcheting: values that a tightened schema makes invalid. An update that keeps them is accepted, one that changes
 * them is refused. Invariant: both servers get the same change, one keyword at a field where the stored object has a
 * value.
 */
import type { Json } from '../diff/normalise.ts';
import { DEFINITIONS } from './definition.ts';
import { mutate } from './mutate.ts';
import { isDict, type JsonDict, type Schema, type Step, withAt } from './schema.ts';
import { compareAsked, type Request } from './session.ts';
import type { Resource, SubjectRun } from './subject.ts';
import { WriteSequence, withName } from './write-sequence.ts';

/** Tightens the schema of a stored value, then updates the object with and without changing that value. */
export async function runRatchet(run: SubjectRun, resource: Resource, base: JsonDict): Promise<void> {
  const { session, random, subject } = run;
  const place = random.pick(tightenable(base, resource.schema));
  if (place === undefined) return;
  const sequence = new WriteSequence(run, resource, 'ratchet');
  const named = { ...base, metadata: { name: 'ratchet', labels: { round: '0' } } };
  if (!(await sequence.write('POST before tightening', { method: 'POST', path: resource.collection, body: named })))
    return;
  const index = resource.definition.spec.versions.indexOf(resource.version);
  const [keyword, limit] = random.pick(tighteningOf(place.value));
  const pointer = ['spec', 'versions', index, 'schema', 'openAPIV3Schema', ...place.schemaPath, keyword]
    .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
  const request: Request = {
    method: 'PATCH',
    path: `${DEFINITIONS}/${subject.name}`,
    body: [{ op: 'add', path: pointer, value: limit }],
    patch: 'json',
  };
  const tightened = await session.ask(request);
  const at = place.path.join('.');
  const differences = compareAsked(tightened, false).object ?? [];
  run.add('definition', `PATCH, ${keyword} at ${at}`, differences);
  if (differences.length > 0 || tightened.reference.code >= 300) return;
  const probe = { method: 'POST', path: `${resource.collection}?dryRun=All`, body: withName(named, 'probe') };
  const refused = await session.askUntil(probe, ({ code }) => code === 422, 100, 30);
  await run.check(`POST against ${keyword} at ${at}`, probe, refused);
  const labelled = { ...named, metadata: { name: 'ratchet', labels: { round: '1' } } };
  if (!(await sequence.put(`PUT unchanged under ${keyword} at ${at}`, sequence.path, '', labelled))) return;
  const other = withAt(labelled, place.path, otherThan(place.value)) as JsonDict;
  if (!(await sequence.put(`PUT changed under ${keyword} at ${at}`, sequence.path, '', other))) return;
  for (let i = 0; i < 2; i++) {
    const mutation = mutate(labelled, resource.schema, random);
    session.mutated++;
    const title = `PUT ${mutation.kind} at ${mutation.path.join('.')} under ${keyword} at ${at}`;
    if (!(await sequence.put(title, sequence.path, '', mutation.object))) return;
  }
}

interface Place {
  readonly path: readonly Step[];
  readonly schemaPath: readonly Step[];
  readonly value: string | number;
}

/** Returns scalar fields whose schema can get another keyword. */
function tightenable(object: JsonDict, schema: Schema): Place[] {
  const places: Place[] = [];
  const visit = (value: Json, node: Schema, path: readonly Step[], schemaPath: readonly Step[]): void => {
    const isText = node.type === 'string' && typeof value === 'string' && value.length > 1;
    const isNumber = node.type === 'integer' && typeof value === 'number';
    if (
      (isText || isNumber) &&
      node.enum === undefined &&
      node.default === undefined &&
      node['x-kubernetes-validations'] === undefined
    )
      places.push({ path, schemaPath, value: value as string | number });
    if (Array.isArray(value) && node.items !== undefined)
      value.forEach((item, i) => {
        visit(item, node.items as Schema, [...path, i], [...schemaPath, 'items']);
      });
    if (isDict(value))
      for (const [name, child] of Object.entries(value)) {
        const inner = node.properties?.[name];
        if (inner === undefined || (path.length === 0 && name !== 'spec')) continue;
        visit(child, inner, [...path, name], [...schemaPath, 'properties', name]);
      }
  };
  visit(object, schema, [], []);
  return places;
}

function tighteningOf(value: string | number): readonly (readonly [string, Json])[] {
  if (typeof value === 'number')
    return [
      ['minimum', value + 1],
      ['enum', [value + 10]],
      ['x-kubernetes-validations', [{ rule: `self > ${value}`, message: 'tightened' }]],
    ];
  return [
    ['maxLength', value.length - 1],
    ['pattern', '^tightened$'],
    ['enum', ['tightened']],
    ['x-kubernetes-validations', [{ rule: `self == 'tightened'` }]],
    ['x-kubernetes-validations', [{ rule: 'self == oldSelf', reason: 'FieldValueForbidden', message: 'immutable' }]],
  ];
}

function otherThan(value: string | number): Json {
  return typeof value === 'number' ? value - 1 : `${value}x`;
}
