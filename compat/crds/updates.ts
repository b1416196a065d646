/**
 * Updates of existing objects: puts and patches of mutations, the status and scale subresources, reads in other
 * versions. Invariant: a sequence ends at the first write about which the servers disagree, because later differences
 * would follow from it.
 */
import type { Json } from '../diff/normalise.ts';
import { generateValue } from './generate.ts';
import { mutate } from './mutate.ts';
import { isDict, type JsonDict } from './schema.ts';
import type { Request } from './session.ts';
import type { Resource, SubjectRun } from './subject.ts';
import { compareBodies } from './verdict.ts';
import { WriteSequence } from './write-sequence.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const VALIDATIONS = ['Strict', 'Ignore', 'Warn'] as const;

/** Updates one object from its creation to its deletion. `base` must be valid. */
export async function runUpdates(run: SubjectRun, resource: Resource, base: JsonDict): Promise<void> {
  const { session, plan, random } = run;
  const sequence = new WriteSequence(run, resource, 'base');
  if (
    !(await sequence.write('POST base', {
      method: 'POST',
      path: `${resource.collection}?fieldValidation=Strict`,
      body: base,
    }))
  )
    return;
  await compareTable(run, resource, 'base');
  for (const other of resource.definition.spec.versions.filter(({ name }) => name !== resource.version.name)) {
    const path = sequence.path.replace(`/${resource.version.name}/`, `/${other.name}/`);
    const request: Request = { method: 'GET', path };
    await run.check(`GET as ${other.name}`, request, await session.ask(request));
  }
  for (let i = 0; i < plan.updates; i++) {
    const mutation = mutate(base, resource.schema, random);
    session.mutated++;
    const title = `${mutation.kind} at ${mutation.path.join('.')}`;
    const query = `fieldValidation=${VALIDATIONS[i % 3]}`;
    const goesOn =
      i % 4 === 3
        ? await sequence.write(`PATCH ${title}`, {
            method: 'PATCH',
            path: `${sequence.path}?${query}`,
            body: mergePatch(base, mutation.object),
            patch: 'merge',
          })
        : await sequence.put(`PUT ${title}`, sequence.path, query, mutation.object);
    if (!goesOn) return;
  }
  const { status, scale } = resource.version.subresources ?? {};
  if (status !== undefined && !(await runStatus(run, resource, sequence, base))) return;
  if (scale !== undefined) {
    const path = `${sequence.path}/scale`;
    const read: Request = { method: 'GET', path };
    await run.check('GET scale', read, await session.ask(read));
    for (const replicas of [3, -1])
      if (
        !(await sequence.write(
          `PATCH scale ${replicas}`,
          { method: 'PATCH', path, body: { spec: { replicas } }, patch: 'merge' },
          false,
        ))
      )
        return;
  }
  await sequence.write('DELETE', { method: 'DELETE', path: sequence.path }, false);
}

/** Writes of the status: a generated one, mutations of it, and one with a changed spec, which must be ignored. */
async function runStatus(
  run: SubjectRun,
  resource: Resource,
  sequence: WriteSequence,
  base: JsonDict,
): Promise<boolean> {
  const { session, random } = run;
  const schema = resource.schema.properties?.['status'];
  const path = `${sequence.path}/status`;
  if (schema === undefined)
    return sequence.put('PUT status without a schema', path, '', { ...base, status: { a: 'b' } });
  const good = { ...base, status: generateValue(schema, random) };
  if (!(await sequence.put('PUT status', path, '', good))) return false;
  for (let i = 0; i < 2; i++) {
    const mutation = mutate({ ...base, status: good.status }, resource.schema, random);
    session.mutated++;
    const title = `PUT status, ${mutation.kind} at ${mutation.path.join('.')}`;
    if (!(await sequence.put(title, path, `fieldValidation=${VALIDATIONS[i]}`, mutation.object))) return false;
  }
  const patch = { spec: { unknownField: 1 }, status: generateValue(schema, random) };
  return sequence.write('PATCH status and spec', {
    method: 'PATCH',
    path: `${path}?fieldValidation=Warn`,
    body: patch,
    patch: 'merge',
  });
}

/** Compares the table of one object, without ages. */
async function compareTable(run: SubjectRun, resource: Resource, name: string): Promise<void> {
  const path = `${resource.collection}/${name}`;
  const { reference, candidate } = await run.session.ask({ method: 'GET', path, accept: TABLE });
  run.add(
    'table',
    `GET ${name}`,
    compareBodies('table', withoutAges(reference.body()), withoutAges(candidate?.body())),
  );
}

function withoutAges(body: Json | undefined): Json | undefined {
  if (!isDict(body)) return body;
  const columns = body['columnDefinitions'] as JsonDict[] | undefined;
  const rows = body['rows'] as JsonDict[] | undefined;
  if (columns === undefined || rows === undefined) return body;
  const isAge = (i: number): boolean => columns[i]?.['type'] === 'date';
  return {
    columnDefinitions: columns,
    rows: rows.map((row) => ({
      ...row,
      cells: ((row['cells'] ?? []) as Json[]).map((cell, i) => (isAge(i) ? '<age>' : cell)),
    })),
  };
}

/** Returns the merge patch (RFC 7386) from one object to another. */
function mergePatch(from: JsonDict, to: JsonDict): JsonDict {
  const patch: JsonDict = {};
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const left = from[name];
    const right = to[name];
    if (right === undefined) patch[name] = null;
    else if (isDict(left) && isDict(right)) {
      const inner = mergePatch(left, right);
      if (Object.keys(inner).length > 0) patch[name] = inner;
    } else if (JSON.stringify(left) !== JSON.stringify(right)) patch[name] = right;
  }
  return patch;
}
