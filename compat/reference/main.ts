/**
 * Sends the same generated questions to the reference's Go libraries and to ours, and compares the answers.
 *
 * usage: main.ts [--cases N] [--seed S] [--subject NAME] Fails on any difference that docs/compatibility.md does not
 * list.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readJson } from '../../src/base/json-read.ts';
import { equalJson, type JsonValue } from '../../src/base/json-value.ts';
import { createRandom } from '../../test/fuzz/random.ts';
import { type Answer, buildOracle, type Oracle, type Question, startOracle } from './oracle.ts';
import type { OurAnswer, Subject } from './subject.ts';
import { subjects } from './subjects.ts';

const SHOWN = 8;

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    subject: { type: 'string' },
  },
});
const cases = Number(values.cases);
const seed = Number(values.seed);
// The bundle runs from .cache/run/compat/reference.
const root = dirname(dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url))))));

function toOurTerms(answer: Answer): OurAnswer {
  if (answer.out === undefined)
    return { ok: answer.ok, list: answer.list, ...(answer.error === undefined ? {} : { error: answer.error }) };
  const read = readJson(answer.out, { duplicates: 'ignore' });
  if (!read.ok) throw new Error(`the oracle's answer is not JSON: ${answer.out}`);
  return { ok: answer.ok, out: read.value, list: answer.list };
}

function differ(subject: Subject, ours: OurAnswer, theirs: OurAnswer): boolean {
  if (ours.ok !== theirs.ok) return true;
  if ((subject.compareErrors ?? true) && ours.error !== theirs.error) return true;
  const view = subject.view ?? ((out: JsonValue): JsonValue => out);
  if (ours.ok && ours.out !== undefined && theirs.out !== undefined && !equalJson(view(ours.out), view(theirs.out)))
    return true;
  if (ours.ok && (ours.out === undefined) !== (theirs.out === undefined)) return true;
  return ours.list !== undefined && !equalJson([...ours.list] as JsonValue, [...(theirs.list ?? [])]);
}

async function compare(subject: Subject, oracle: Oracle): Promise<{ refused: number; known: number; unknown: number }> {
  await subject.prepare?.(oracle);
  const random = createRandom(seed);
  const questions: Question[] = Array.from({ length: cases }, () => subject.ask(random));
  const answers = await oracle.ask(questions);
  const counts = { refused: 0, known: 0, unknown: 0 };
  for (const [i, question] of questions.entries()) {
    const theirs = toOurTerms(answers[i] as Answer);
    const ours = await subject.answer(question);
    if (!theirs.ok) counts.refused++;
    if (!differ(subject, ours, theirs)) continue;
    if (subject.known?.(question, ours, theirs) !== undefined) {
      counts.known++;
      continue;
    }
    counts.unknown++;
    if (counts.unknown <= SHOWN) {
      const show = (value: unknown): string =>
        JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? `${v}n` : v)).slice(0, 1200);
      console.log(`  ${subject.name}: ${show(question)}\n    ours   ${show(ours)}\n    theirs ${show(theirs)}`);
    }
  }
  return counts;
}

const chosen = subjects.filter((subject) => values.subject === undefined || subject.name === values.subject);
if (chosen.length === 0)
  throw new Error(`no subject ${values.subject}; there are ${subjects.map((subject) => subject.name).join(', ')}`);
const oracle = startOracle(buildOracle(root));
let failed = 0;
for (const subject of chosen) {
  const { refused, known, unknown } = await compare(subject, oracle);
  if (unknown > 0) failed++;
  console.log(
    `${unknown === 0 ? 'ok  ' : 'FAIL'} ${subject.name}: ${cases} cases (${refused} refused by the reference), ${unknown} differences, ${known} known ones`,
  );
}
await oracle.stop();
console.log(`${chosen.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
