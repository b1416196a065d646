/**
 * The run of subjects side by side on one or two servers. Invariant: the requests depend only on the seed and the
 * answers of the reference.
 */
import { runBrokenDefinitions } from './broken.ts';
import { runDefinition } from './definition.ts';
import { compareAggregated, compareDiscovery, compareOpenApi } from './documents.ts';
import type { Subject } from './prepare.ts';
import { runRatchet } from './ratchet.ts';
import type { Session } from './session.ts';
import { findValid, NAMESPACE, type Plan, type Resource, runCreates, SubjectRun } from './subject.ts';
import { runUpdates } from './updates.ts';

/**
 * The number of concurrent subjects, far more than cores: the reference delays creates until a definition has been
 * established for 2 seconds.
 */
const WIDTH = 16;
export interface RunOptions {
  readonly plan: Plan;
  /** Every n-th subject gets a tightened schema. */
  readonly ratchetEvery: number;
  /** The number of invalid copies of each definition, sent as dry runs. */
  readonly broken: number;
}

export async function runSubjects(session: Session, subjects: readonly Subject[], options: RunOptions): Promise<void> {
  await session.ask({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: NAMESPACE } } });
  const published: { run: SubjectRun; served: readonly Resource[] }[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < subjects.length; i = next++) {
      const run = new SubjectRun(session, subjects[i] as Subject, options.plan);
      const served = await runSubject(run, options, i);
      published.push({ run, served });
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, worker));
  const all = published.flatMap(({ run, served }) => served.map((resource) => ({ run, resource })));
  for (const { run, resource } of all) await compareOpenApi(run, resource);
  await compareAggregated(session, all);
}

async function runSubject(run: SubjectRun, options: RunOptions, index: number): Promise<readonly Resource[]> {
  await runBrokenDefinitions(run, options.broken);
  const served = await runDefinition(run);
  for (const resource of served) await compareDiscovery(run, resource);
  // One version gets all requests: the storage version, if it is served. The others are read, and get the objects that
  // the project ships for them.
  const main = served.find(({ version }) => version.storage) ?? served[0];
  if (main === undefined) return served;
  const { object, valid } = await findValid(run, main);
  run.session.count(valid ? 'kinds with a valid made object' : 'kinds without one');
  if (!valid && !run.session.compares) console.log(`no valid object of ${run.subject.name} was found`);
  await runCreates(run, main, object);
  for (const other of served) {
    if (other === main) continue;
    const few = new SubjectRun(run.session, run.subject, { ...run.plan, creates: 1, examples: 1 });
    await runCreates(few, other, { ...object, apiVersion: other.head('x')['apiVersion'] as string });
  }
  if (valid) await runUpdates(run, main, object);
  if (valid && index % options.ratchetEvery === 0) await runRatchet(run, main, object);
  return served;
}
