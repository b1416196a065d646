/**
 * Writes over objects that exist: puts and patches of mutations, the status and scale subresources, reads in other versions. Invariant: a story
 * ends at the first write about which the servers disagree, because what follows would differ for that reason.
 */
import type { Json } from '../diff/normalise.ts';
import { generateValue } from './generate.ts';
import { mutate } from './mutate.ts';
import { isDict, type JsonDict } from './schema.ts';
import type { Request } from './session.ts';
import { Story } from './story.ts';
import type { Resource, SubjectRun } from './subject.ts';
import { compareBodies } from './verdict.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const VALIDATIONS = ['Strict', 'Ignore', 'Warn'] as const;

/** One object through its life. `base` must be valid. */
export async function runUpdates(run: SubjectRun, resource: Resource, base: JsonDict): Promise<void> {
  const { session, plan, random } = run;
  const story = new Story(run, resource, 'base');
  if (
    !(await story.write('POST base', {
      method: 'POST',
      path: `${resource.collection}?fieldValidation=Strict`,
      body: base,
    }))
  )
    return;
  await compareTable(run, resource, 'base');
  for (const other of resource.definition.spec.versions.filter(({ name }) => name !== resource.version.name)) {
    const path = story.path.replace(`/${resource.version.name}/`, `/${other.name}/`);
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
        ? await story.write(`PATCH ${title}`, {
            method: 'PATCH',
            path: `${story.path}?${query}`,
            body: mergePatch(base, mutation.object),
            patch: 'merge',
          })
        : await story.put(`PUT ${title}`, story.path, query, mutation.object);
    if (!goesOn) return;
  }
  const { status, scale } = resource.version.subresources ?? {};
  if (status !== undefined && !(await runStatus(run, resource, story, base))) return;
  if (scale !== undefined) {
    const path = `${story.path}/scale`;
    const read: Request = { method: 'GET', path };
    await run.check('GET scale', read, await session.ask(read));
    for (const replicas of [3, -1])
      if (
        !(await story.write(
          `PATCH scale ${replicas}`,
          { method: 'PATCH', path, body: { spec: { replicas } }, patch: 'merge' },
          false,
        ))
      )
        return;
  }
  await story.write('DELETE', { method: 'DELETE', path: story.path }, false);
}

/** Status writes: a made one, mutations of it, and a spec beside it that must not count. */
async function runStatus(run: SubjectRun, resource: Resource, story: Story, base: JsonDict): Promise<boolean> {
  const { session, random } = run;
  const schema = resource.schema.properties?.['status'];
  const path = `${story.path}/status`;
  if (schema === undefined) return story.put('PUT status without a schema', path, '', { ...base, status: { a: 'b' } });
  const good = { ...base, status: generateValue(schema, random) };
  if (!(await story.put('PUT status', path, '', good))) return false;
  for (let i = 0; i < 2; i++) {
    const mutation = mutate({ ...base, status: good.status }, resource.schema, random);
    session.mutated++;
    const title = `PUT status, ${mutation.kind} at ${mutation.path.join('.')}`;
    if (!(await story.put(title, path, `fieldValidation=${VALIDATIONS[i]}`, mutation.object))) return false;
  }
  const patch = { spec: { unknownField: 1 }, status: generateValue(schema, random) };
  return story.write('PATCH status and spec', {
    method: 'PATCH',
    path: `${path}?fieldValidation=Warn`,
    body: patch,
    patch: 'merge',
  });
}

/** The table of one object, ages aside. */
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

/** RFC 7386: from one object to another. */
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
