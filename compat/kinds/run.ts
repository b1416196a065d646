/**
 * The run of subjects side by side. Invariants: the requests depend only on the seed and the answers of the reference;
 * subjects that affect others run last and alone.
 */
import type { JsonDict } from '../crds/schema.ts';
import type { Client } from '../diff/client.ts';
import { type Plan, runSubject } from './kind-requests.ts';
import { createRecorder, createReplayer } from './record.ts';
import { Session } from './session.ts';
import { nameOf, type Subject } from './subject.ts';

/** The number of concurrent subjects. */
const WIDTH = 4;

export interface RunOptions {
  readonly plan: Plan;
  readonly candidate: Client;
  /** Undefined if its recorded answers are used. */
  readonly reference: Client | undefined;
  readonly record: boolean;
  golden(subject: Subject): JsonDict | undefined;
}

export async function runSubjects(subjects: readonly Subject[], options: RunOptions): Promise<Session[]> {
  const sessions: Session[] = [];
  const run = async (subject: Subject): Promise<void> => {
    sessions.push(await runOne(subject, options));
  };
  const queue = byResource(subjects.filter(({ alone }) => alone !== true));
  const worker = async (): Promise<void> => {
    for (let versions = queue.shift(); versions !== undefined; versions = queue.shift())
      for (const subject of versions) await run(subject);
  };
  await Promise.all(Array.from({ length: WIDTH }, worker));
  for (const subject of subjects) if (subject.alone === true) await run(subject);
  return sessions;
}

/** Groups the versions of a resource, which share the names of objects. */
function byResource(subjects: readonly Subject[]): Subject[][] {
  const groups = new Map<string, Subject[]>();
  for (const subject of subjects) {
    const key = `${subject.plural}.${subject.group}`;
    groups.set(key, [...(groups.get(key) ?? []), subject]);
  }
  return [...groups.values()];
}

async function runOne(subject: Subject, options: RunOptions): Promise<Session> {
  const { plan, candidate, reference, record, golden } = options;
  const name = nameOf(subject);
  const recorder = record && reference !== undefined ? createRecorder(name, reference) : undefined;
  const left = recorder?.client ?? reference ?? createReplayer(name, candidate);
  const session = new Session([left, candidate]);
  await runSubject({ session, subject, plan, golden: golden(subject) });
  recorder?.save();
  return session;
}
