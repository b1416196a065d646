/** etcd's own validators (`go.etcd.io/etcd/tests/v3/robustness/validate`) as a program that judges a history. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, requireTool } from '../../compat/peers/programs.ts';
import { BROKEN_HISTORIES, exampleHistory } from './broken-histories.ts';
import { type EtcdReport, toEtcdReport } from './etcd-report.ts';
import type { Change, History } from './history.ts';

const CACHE = join(ROOT, '.cache', 'robustness');
const PROGRAM = join(CACHE, 'validators');

/**
 * Builds the program, and throws unless it accepts a correct history and refuses each broken one. Throws if Go is
 * missing.
 */
export function prepareValidators(): void {
  requireTool('go', ['version'], 'the validators of etcd are a Go module: they need Go 1.24 or later on the PATH');
  mkdirSync(CACHE, { recursive: true });
  execFileSync('go', ['test', '-c', '-buildvcs=false', '-o', PROGRAM, '.'], {
    cwd: join(ROOT, 'test', 'robustness', 'validators'),
    stdio: 'inherit',
    env: { ...process.env, CGO_ENABLED: '0' },
  });
  const { history, truth } = exampleHistory();
  const refused = validate(history, truth, 'example');
  if (refused.length > 0) throw new Error(`the validators refuse a correct history:\n${refused.join('\n')}`);
  for (const [i, { name, break: breakHistory }] of BROKEN_HISTORIES.entries()) {
    const broken = exampleHistory();
    breakHistory(broken.history);
    if (validate(broken.history, broken.truth, `broken-${i}`).length === 0)
      throw new Error(`the validators accept a broken history: ${name}`);
  }
  console.log(`the validators accept a correct history and refuse ${BROKEN_HISTORIES.length} broken ones`);
}

/**
 * Returns the lines in which the validators report violations. The report stays in .cache/robustness/`name` if there
 * are any, with a drawing of the history.
 */
export function validate(history: History, truth: readonly Change[], name: string): readonly string[] {
  const folder = join(CACHE, name);
  rmSync(folder, { recursive: true, force: true });
  writeReport(folder, toEtcdReport(history, truth));
  const { status, stdout, stderr } = spawnSync(PROGRAM, ['-test.timeout=20m', '-test.v'], {
    encoding: 'utf8',
    env: { ...process.env, HISTORY: folder },
    maxBuffer: 1 << 28,
  });
  if (status === 0) {
    rmSync(folder, { recursive: true });
    return [];
  }
  const lines = `${stdout}${stderr}`
    .split('\n')
    .filter((line) => /ERROR|_test\.go|validate\.go|panic|Error/.test(line));
  return [...(lines.length === 0 ? ['the validators fail'] : lines.map((line) => line.trim())), `report: ${folder}`];
}

function writeReport(folder: string, { clients, persisted }: EtcdReport): void {
  for (const [i, { operations, watches }] of clients.entries()) {
    const own = join(folder, `client-${i}`);
    mkdirSync(own, { recursive: true });
    writeLines(join(own, 'operations.json'), operations);
    writeLines(join(own, 'watch.json'), watches);
  }
  writeLines(join(folder, 'persisted.json'), persisted);
}

function writeLines(file: string, values: readonly unknown[]): void {
  writeFileSync(file, values.map((value) => `${JSON.stringify(value)}\n`).join(''));
}
