/**
 * Runs examples/tiny-server from the packed package and uses it with the real kubectl: get, create, apply, explain,
 * watch, delete, and a refused update.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Deferred } from '../../src/base/deferred.ts';
import { runKubectl } from '../peers/kubectl.ts';
import { program } from '../peers/programs.ts';
import { installExample } from './project.ts';

interface Step {
  readonly args: readonly string[];
  readonly stdin?: string;
  /** Default 0. */
  readonly exit?: number;
  /** Must match standard output, or standard error of a command that fails. */
  readonly prints: RegExp;
}

const widget = (name: string, size: number): string =>
  JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, spec: { size } });

const STEPS: readonly Step[] = [
  { args: ['api-resources', '--api-group=example.com'], prints: /widgets +wg +example\.com\/v1 +true +Widget/ },
  { args: ['explain', 'widget'], prints: /A part of a machine\./ },
  { args: ['explain', 'widget.spec.size'], prints: /FIELD: size <integer>.*The size in millimetres\./s },
  { args: ['create', '-f', '-'], stdin: widget('cog', 3), prints: /^widget\.example\.com\/cog created\n$/ },
  {
    args: ['create', '-f', '-'],
    stdin: widget('bad', 0),
    exit: 1,
    prints: /spec\.size: Invalid value: 0: .*greater than or equal to 1/,
  },
  { args: ['apply', '-f', 'widget.yaml'], prints: /^widget\.example\.com\/gear created\n$/ },
  { args: ['apply', '-f', 'widget.yaml'], prints: /^widget\.example\.com\/gear unchanged\n$/ },
  { args: ['get', 'wg'], prints: /^NAME +SIZE\ncog +3\ngear +7\n$/ },
  { args: ['get', 'wg', 'gear', '-o', 'jsonpath={.spec.color}'], prints: /^red$/ },
  { args: ['patch', 'wg', 'gear', '--type=merge', '-p', '{"spec":{"size":9}}'], prints: /gear patched/ },
  {
    args: ['patch', 'wg', 'gear', '--type=merge', '-p', '{"spec":{"size":2}}'],
    exit: 1,
    prints: /widgets do not shrink/,
  },
  { args: ['wait', 'wg/gear', '--for=jsonpath={.spec.size}=9'], prints: /gear condition met/ },
  { args: ['delete', 'wg', 'cog'], prints: /"cog" deleted/ },
  { args: ['get', 'wg', 'cog'], exit: 1, prints: /widgets\.example\.com "cog" not found/ },
];

program('kubectl');
const { folder, remove } = installExample('tiny-server');
const child = spawn(process.execPath, ['server.js'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
let failed = 0;
const done = new Deferred<void>();
try {
  const exit = once(child, 'exit');
  const [line] = (await Promise.race([once(child.stdout, 'data'), exit])) as [Buffer | number];
  console.log(`tiny-server: ${String(line).trim()}`);
  const session = { kubeconfig: join(folder, 'kubeconfig'), home: join(folder, 'home'), cwd: folder };
  const watched = runKubectl({ ...session, args: ['get', 'wg', '--watch', '-o', 'name'], until: done.promise });
  for (const { args, stdin, exit: expected = 0, prints } of STEPS) {
    const answer = await runKubectl({ ...session, args, ...(stdin === undefined ? {} : { stdin }) });
    const text = expected === 0 ? answer.stdout : answer.stderr;
    if (answer.exit === expected && prints.test(text)) continue;
    failed++;
    console.log(`FAIL kubectl ${args.join(' ')}: exit ${answer.exit}\n${answer.stdout}${answer.stderr}`);
  }
  done.resolve();
  const { stdout } = await watched;
  if (!/cog/.test(stdout) || !/gear/.test(stdout)) {
    failed++;
    console.log(`FAIL kubectl get --watch printed:\n${stdout}`);
  }
  child.kill('SIGTERM');
  const [code] = (await exit) as [number | null];
  if (code !== 0) {
    failed++;
    console.log(`FAIL the example ended with ${code} after SIGTERM`);
  }
} finally {
  child.kill('SIGKILL');
  remove();
}
console.log(`${STEPS.length + 2 - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
