// Checks the output of strace. Between the BEGIN of a commit and the first mark with a higher revision than all before,
// there must be a whole commit: data written, then a completed sync of the data, then the meta page written through the
// O_DSYNC descriptor.
// Usage: node strace-verdict.mjs trace-file data-file marks-file
import { readFileSync } from 'node:fs';

const [trace, dataFile, marksFile] = process.argv.slice(2);
const files = new Map();
const unfinished = new Map();
const count = { begin: 0, commits: 0, syncs: 0, ACK: 0, EVENT: 0, SEEN: 0, first: 0, violations: 0 };
let stage = 'clean';
let whole = true;
let highest = 0;

function violation(text) {
  count.violations++;
  if (count.violations <= 10) console.log(`VIOLATION: ${text}`);
}

function finished(call, text) {
  if (call === 'openat') {
    const path = text.match(/"([^"]*)"/)?.[1];
    const number = text.match(/= (\d+)$/)?.[1];
    if (number === undefined) return;
    if (path === dataFile) files.set(number, /O_D?SYNC/.test(text) ? 'meta' : 'data');
    else if (path === marksFile) files.set(number, 'marks');
    else files.delete(number);
    return;
  }
  const file = files.get(text.match(/^\w+\((\d+)/)?.[1]);
  const failed = / = -1 /.test(text);
  if (file === 'marks') mark(text);
  else if (failed) return;
  else if (file === 'data' && call.includes('write')) stage = 'written';
  else if (file === 'data' && (call === 'fdatasync' || call === 'fsync')) {
    count.syncs++;
    if (stage === 'written') stage = 'synced';
  } else if (file === 'meta' && call.startsWith('pwrite')) {
    if (stage !== 'synced' && count.begin > 0) violation(`a meta page was written while the data was ${stage}`);
    stage = 'clean';
    whole = true;
    if (count.begin > 0) count.commits++;
  }
}

function mark(text) {
  if (text.includes('"BEGIN')) {
    count.begin++;
    whole = false;
    return;
  }
  const [, what, revision] = text.match(/"(ACK|EVENT|SEEN) (\d+)/) ?? [];
  if (what === undefined) return;
  count[what]++;
  if (Number(revision) <= highest) return;
  highest = Number(revision);
  count.first++;
  if (!whole) violation(`${what} ${revision} before its commit was whole (data ${stage})`);
}

// A call that another thread interrupts is printed in two parts. It counts at its completion.
for (const line of readFileSync(trace, 'utf8').split('\n')) {
  const [, thread, text] = line.match(/^(\d+) +(.*)$/) ?? [];
  if (text === undefined) continue;
  const [, resumed, rest] = text.match(/^<\.\.\. (\w+) resumed>(.*)$/) ?? [];
  if (resumed !== undefined) {
    finished(resumed, `${unfinished.get(thread) ?? ''}${rest}`);
    unfinished.delete(thread);
  } else if (text.endsWith('<unfinished ...>')) {
    unfinished.set(thread, text.slice(0, -'<unfinished ...>'.length).trimEnd());
  } else {
    const call = text.match(/^(\w+)\(/)?.[1];
    if (call !== undefined) finished(call, text);
  }
}
console.log(
  `${count.begin} commits begun, ${count.commits} completed, ${count.syncs} data syncs; ` +
    `${count.ACK} acknowledgements, ${count.EVENT} deliveries to a watcher, ${count.SEEN} revisions seen by a reader, ` +
    `${count.first} of them the first mark of a revision: ` +
    `${count.violations} violations`,
);
const proved = count.commits > 0 && count.commits === count.begin && count.ACK > 0 && count.EVENT > 0 && count.SEEN > 0;
process.exit(proved && count.violations === 0 ? 0 : 1);
