/** Runs subjects side by side. Invariant: what is sent depends on the seed and on the reference's answers alone; subjects that change what others get run last and alone. */
import type { JsonDict } from '../crds/schema.ts';
import type { Client } from '../diff/client.ts';
import { createRecorder, createReplayer } from './record.ts';
import { Session } from './session.ts';
import { type Plan, runSubject } from './story.ts';
import { nameOf, type Subject } from './subject.ts';

/** Subjects at a time. */
const WIDTH = 4;

export interface RunOptions {
  readonly plan: Plan;
  readonly candidate: Client;
  /** Undefined: its records answer. */
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

/** The versions of a resource together: they share their names. */
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
