/** The run of scripts with the real kubectl on two servers. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type KubectlAnswer, runKubectl } from '../peers/kubectl.ts';
import type { Pair } from '../peers/pair.ts';
import type { Peer } from '../peers/peer.ts';
import { createTextNormaliser, type TextNormaliser } from './normalise.ts';
import { type Script, type Step, splitLine } from './script.ts';

export interface StepResult {
  readonly script: string;
  readonly program: 'kubectl' | 'helm' | 'helm4';
  readonly line: string;
  /** Those of exit, stdout and stderr that differ, with both normalised texts. */
  readonly differences: readonly OutputDifference[];
  readonly reference: KubectlAnswer;
  readonly candidate: KubectlAnswer;
}

export interface OutputDifference {
  readonly where: 'exit' | 'stdout' | 'stderr';
  readonly reference: string;
  readonly candidate: string;
}

const WIDTH = 2;
/** The time that a watch gets to begin, and to show the last change, before it is ended. */
const SETTLE_MS = 900;
/** The time that a server gets for its loops. */
const UNTIL_MS = 10_000;

interface Side {
  readonly peer: Peer;
  readonly home: string;
  readonly folder: string;
  readonly namespace: string;
  readonly variables: Variables;
  readonly normaliser: TextNormaliser;
}

/**
 * Values that differ between the servers, such as ports, by name. `{{name}}` in files and command lines becomes the
 * value; the value in outputs becomes `<name>`.
 */
export type Variables = Readonly<Record<string, string>>;

/** Returns results in the order of the scripts. */
export async function runScripts(
  pair: Pair,
  scripts: readonly Script[],
  variablesOf: (peer: Peer) => Variables = () => ({}),
): Promise<StepResult[]> {
  const root = mkdtempSync(join(tmpdir(), 'compat-kubectl-'));
  const results: StepResult[][] = scripts.map(() => []);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < scripts.length; i = next++) {
      results[i] = await runScript(pair, scripts[i] as Script, root, variablesOf);
    }
  };
  try {
    await Promise.all(Array.from({ length: WIDTH }, worker));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  return results.flat();
}

async function runScript(
  pair: Pair,
  script: Script,
  root: string,
  variablesOf: (peer: Peer) => Variables,
): Promise<StepResult[]> {
  const namespace = `kubectl-${script.name}`;
  const sides = [pair.reference, pair.candidate].map((peer): Side => {
    const home = join(root, peer.name);
    const folder = join(home, script.name);
    const variables = { ...variablesOf(peer), ns: namespace };
    mkdirSync(folder, { recursive: true });
    for (const [path, text] of Object.entries(script.files ?? {})) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), substitute(text, variables));
    }
    const normaliser = createTextNormaliser(peer.url, folder, home);
    return { peer, home, folder, namespace, variables, normaliser };
  });
  const stdin = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  for (const side of sides) {
    const { exit, stderr } = await runStep(side, { line: 'create -f -', stdin });
    if (exit !== 0) throw new Error(`${side.peer.name} refuses a namespace to work in: ${stderr}`);
  }
  const results: StepResult[] = [];
  for (const step of script.steps) {
    // Steps that only our server supports are skipped with two references.
    if (step.expected !== undefined && pair.candidate.name !== 'keelson') continue;
    const [reference, candidate] = (await Promise.all(
      sides.map((side) => (step.expected === undefined || side === sides[1] ? runUntil(side, step) : expected(step))),
    )) as [KubectlAnswer, KubectlAnswer];
    const differences = compare(step, sides[0] as Side, reference, sides[1] as Side, candidate);
    const { line, program = 'kubectl' } = step;
    results.push({ script: script.name, program, line, differences, reference, candidate });
  }
  return results;
}

/** Returns the expected output of a step as if the reference had printed it. */
function expected({ expected: stdout = '' }: Step): KubectlAnswer {
  return { exit: 0, stdout, stderr: '' };
}

async function runUntil(side: Side, step: Step): Promise<KubectlAnswer> {
  const end = Date.now() + UNTIL_MS;
  for (;;) {
    const answer = await runStep(side, step);
    if (step.retryUntil === undefined || answer.exit === step.retryUntil || Date.now() > end) return answer;
  }
}

/** Writes the uid of the step's object to the file that its command line names. */
async function writeUid(side: Side, { line, uidOf }: Step): Promise<void> {
  const file = / -f (\S+)/.exec(line)?.[1];
  if (uidOf === undefined || file === undefined) return;
  const { stdout: uid } = await runStep(side, { line: `get ${uidOf} -o jsonpath={.metadata.uid}` });
  const path = join(side.folder, file);
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll('{{uid}}', uid));
}

async function runStep(side: Side, step: Step): Promise<KubectlAnswer> {
  await writeUid(side, step);
  const words = splitLine(substitute(step.line, side.variables));
  const scoped =
    step.unscoped === true ||
    words.some((word) => /^(-n|--namespace|-A|--all-namespaces)\b/.test(word)) ||
    words[0] === 'config';
  const run = (args: readonly string[], until?: Promise<unknown>): Promise<KubectlAnswer> =>
    runKubectl({
      args,
      ...(step.program === undefined ? {} : { program: step.program }),
      kubeconfig: side.peer.kubeconfig(step.user ?? 'admin'),
      home: side.home,
      cwd: side.folder,
      ...(step.stdin === undefined ? {} : { stdin: substitute(step.stdin, side.variables) }),
      ...(step.timeoutMs === undefined ? {} : { timeoutMs: step.timeoutMs }),
      ...(step.editor === undefined ? {} : { env: { EDITOR: step.editor } }),
      ...(until === undefined ? {} : { until }),
    });
  // The words after `--` are the command of a container.
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const args = scoped ? words : words.toSpliced(end, 0, `--namespace=${side.namespace}`);
  const meanwhile = async (lines: readonly string[]): Promise<void> => {
    await settle();
    for (const line of lines) await runStep(side, { line });
    await settle();
  };
  if (step.during !== undefined) return run(args, meanwhile(step.during));
  if (step.meanwhile === undefined) return run(args);
  const [answer] = await Promise.all([run(args), meanwhile(step.meanwhile)]);
  return answer;
}

function substitute(text: string, variables: Variables): string {
  return Object.entries(variables).reduce((all, [name, value]) => all.replaceAll(`{{${name}}}`, value), text);
}

/** Replaces the values of variables, except that of the namespace, which is the same on both servers. */
function anonymise(text: string, { ns: _, ...variables }: Variables): string {
  return Object.entries(variables).reduce((all, [name, value]) => all.replaceAll(value, `<${name}>`), text);
}

function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
}

function compare(
  step: Step,
  left: Side,
  reference: KubectlAnswer,
  right: Side,
  candidate: KubectlAnswer,
): OutputDifference[] {
  const differences: OutputDifference[] = [];
  const note = (where: OutputDifference['where'], a: string, b: string): void => {
    if (a !== b) differences.push({ where, reference: a, candidate: b });
  };
  const whole = (text: string): string => text;
  const { view = whole, errors = whole } = step;
  const shown = ({ normaliser, variables }: Side, text: string): string => normaliser.text(anonymise(text, variables));
  note('exit', String(reference.exit), String(candidate.exit));
  if (step.exit !== undefined && reference.exit === candidate.exit) note('exit', `${step.exit}`, `${candidate.exit}`);
  note('stdout', shown(left, view(reference.stdout)), shown(right, view(candidate.stdout)));
  note('stderr', shown(left, errors(reference.stderr)), shown(right, errors(candidate.stderr)));
  return differences;
}
