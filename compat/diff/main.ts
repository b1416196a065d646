/**
 * Sends the same requests to the reference and to our server and compares the answers.
 *
 * usage: main.ts [--self] [--topic NAME,...] [--case TEXT] [--known] [--all]
 *   --self   compares two references: every difference is noise of this suite
 *   --topic  only these topics; --case only cases whose name contains the text (both turn the stale check off)
 *   --known  also prints the known differences that occurred; --all prints every difference of a request
 * Fails below 99 % agreement, on a difference that known.ts does not list and that occurs again when its case is run on
 * fresh servers, and on a listed one that no longer occurs.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { differing, printGroups, unlistedIds } from '../common/outcome.ts';
import { differingTwice } from '../common/twice.ts';
import { type Candidate, onFreshPair } from '../peers/pair.ts';
import { ROOT } from '../peers/programs.ts';
import { KNOWN } from './known.ts';
import { judgeSteps, printDifferences } from './report.ts';
import type { Topic } from './request.ts';
import { runTopics, type StepResult } from './run.ts';
import { TOPICS } from './topics.ts';

const REQUIRED = 0.99;

const { values } = parseArgs({
  options: {
    self: { type: 'boolean', default: false },
    topic: { type: 'string' },
    case: { type: 'string' },
    known: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
  },
});
const names = values.topic?.split(',');
const topics = TOPICS.filter((topic) => names === undefined || names.includes(topic.name)).map((topic) => ({
  ...topic,
  cases: topic.cases.filter((one) => values.case === undefined || one.name.includes(values.case)),
}));
if (topics.every((topic) => topic.cases.length === 0))
  throw new Error(`no such cases; the topics are ${TOPICS.map((topic) => topic.name).join(', ')}`);
const partial = names !== undefined || values.case !== undefined;

const candidate: Candidate = values.self ? 'reference' : 'keelson';
/** Runs the topics on fresh servers. */
const runOnce = (chosen: readonly Topic[]): Promise<StepResult[]> =>
  onFreshPair(candidate, [], (pair) => runTopics(pair, chosen));

const started = performance.now();
const results = await differingTwice(await runOnce(topics), {
  differing: (some) => differing(judgeSteps(some, values.self).judged),
  partOf: (result) => `${result.topic} / ${result.case}`,
  nameOf: ({ step }) => `${step.method} ${step.path}`,
  run: (parts) =>
    runOnce(
      topics.map((topic) => ({
        ...topic,
        cases: topic.cases.filter((one) => parts.has(`${topic.name} / ${one.name}`)),
      })),
    ),
});
const { judged, outcome } = judgeSteps(results, values.self);
printDifferences(
  values.known ? judged.map((one) => ({ ...one, unknown: one.result.differences })) : judged,
  values.all,
);
printGroups(judged, ({ topic }) => topic);

const share = outcome.agreed / outcome.total;
console.log(
  `${outcome.agreed} of ${outcome.total} requests agree (${(100 * share).toFixed(2)} %), ${outcome.known} differ in known ways, ${outcome.unknown} otherwise; ${((performance.now() - started) / 1000).toFixed(1)} s`,
);
const complaints = [
  ...(share < REQUIRED && !partial ? [`agreement is below ${100 * REQUIRED} %`] : []),
  ...(outcome.unknown > 0
    ? [`${outcome.unknown} requests differ in ways that compat/diff/known.ts does not list`]
    : []),
  ...(partial ? [] : outcome.stale.map((id) => `"${id}" is listed in compat/diff/known.ts but no longer occurs`)),
  ...unlistedIds(KNOWN),
];
for (const complaint of complaints) console.log(`FAIL ${complaint}`);
const folder = join(ROOT, '.cache', 'compat');
mkdirSync(folder, { recursive: true });
const log = join(folder, 'diff.log');
writeFileSync(log, results.map(formatResult).join('\n'));
if (complaints.length > 0) console.log(`every request and both answers: ${log}`);
process.exitCode = complaints.length === 0 ? 0 : 1;

function formatResult(result: StepResult): string {
  const { step, reference, candidate } = result;
  const answer = ({ status, headers, text }: typeof reference): string =>
    `${status} ${JSON.stringify(headers)}\n${text.trimEnd()}`;
  const { method: _method, path: _path, view: _view, ...options } = step;
  return [
    `=== ${result.topic} / ${result.case} / ${result.title}${result.differences.length === 0 ? '' : ' DIFFERS'}`,
    `--- request ${JSON.stringify(options)}`,
    `--- reference ${answer(reference)}`,
    `--- ours ${answer(candidate)}`,
    '',
  ].join('\n');
}
