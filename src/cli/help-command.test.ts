import type { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fullName, leafCommands } from './command-tree.ts';
import { COMMANDS, loadProgram } from './commands.ts';
import { EXIT_CODE_MEANINGS } from './exit-codes.ts';
import { runCommand } from './program.ts';

let output: string;
let complaints: string;

beforeEach(() => {
  output = '';
  complaints = '';
  vi.spyOn(console, 'log').mockImplementation((line: string) => {
    output += `${line}\n`;
  });
  vi.spyOn(console, 'error').mockImplementation((line: unknown) => {
    complaints += `${String(line)}\n`;
  });
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    output += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    complaints += String(text);
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/** Runs a command line and returns what it printed. */
async function run(...args: string[]): Promise<{ code: number; output: string; complaints: string }> {
  output = '';
  complaints = '';
  process.exitCode = undefined;
  const code = await runCommand(args);
  return { code, output, complaints };
}

const words = (command: Command): string[] => fullName(command).split(' ').slice(1);

describe('keelson --help', () => {
  it('names every command and every exit code, and is the same as keelson help', async () => {
    const { code, output: text } = await run('--help');
    expect(code).toBe(0);
    for (const command of leafCommands(await loadProgram()))
      if (command.name() !== 'serve') expect(text).toContain(`  ${fullName(command)} `.trimEnd());
    for (const name of ['crd check', 'crd types', 'storage verify']) expect(text).toContain(`keelson ${name}`);
    for (const [exit, meaning] of EXIT_CODE_MEANINGS) expect(text).toContain(`  ${exit}  ${meaning}`);
    expect((await run('help')).output).toBe(text);
    expect((await run('help', 'serve')).output).toBe(text);
    expect((await run('serve', '--help')).output).toBe(text);
  });
});

describe('keelson help COMMAND', () => {
  it('prints the help of each command, with an example that begins with the command', async () => {
    for (const command of leafCommands(await loadProgram())) {
      if (command.name() === 'serve') continue;
      const { code, output: text } = await run('help', ...words(command));
      expect(code, fullName(command)).toBe(0);
      expect(text, fullName(command)).toContain(`Usage: ${fullName(command)}`);
      const examples = text.split('\nExamples:\n')[1]?.split('\n') ?? [];
      const lines = examples.filter((line) => !line.startsWith('  #') && line !== '');
      expect(lines.length, fullName(command)).toBeGreaterThan(0);
      for (const line of lines) expect(line.startsWith(`  ${fullName(command)}`), line).toBe(true);
      expect((await run(...words(command), '--help')).output).toBe(text);
    }
  });

  it('has a description of one line for each command and flag', async () => {
    for (const command of leafCommands(await loadProgram())) {
      expect(command.description(), fullName(command)).toMatch(/^[a-z][^\n]*[^.]$/);
      for (const option of command.options) expect(option.description, option.flags).toMatch(/^[a-z][^\n]*[^.]$/);
    }
  });

  it('lists each command of the table once', () => {
    expect(new Set(COMMANDS.map(({ name }) => name)).size).toBe(COMMANDS.length);
  });
});

describe('an invalid command line', () => {
  it.each([
    [['stroage'], 'keelson: unknown command "stroage": did you mean storage?'],
    [['sail'], 'keelson: unknown command "sail": "keelson help" lists the commands'],
    [['help', 'crd', 'chek'], 'keelson: unknown command "chek": did you mean check?'],
    [['help', 'kubeconfg'], 'keelson: unknown command "kubeconfg": did you mean kubeconfig?'],
    [['crd', 'chek'], 'keelson: unknown command "chek": did you mean check?'],
    [['crd', 'check', '--objcts'], 'keelson: unknown option "--objcts": did you mean --objects?'],
    [
      ['storage', 'verify', 'x', '--zzz'],
      'keelson: unknown option "--zzz": "keelson help storage verify" shows the usage',
    ],
    [
      ['storage', 'verify'],
      'keelson: missing required argument "folder": "keelson help storage verify" shows the usage',
    ],
    [
      ['kubeconfig'],
      'keelson: required option "--user <name>" not specified: "keelson help kubeconfig" shows the usage',
    ],
    [['--secure-prot=1'], 'keelson: unknown flag --secure-prot: did you mean --secure-port?'],
    [['doctor', '--secure-prot=1'], 'keelson: unknown flag --secure-prot: did you mean --secure-port?'],
    [['doctor', '--secure-port', 'x'], 'keelson: --secure-port: "x" is not an integer'],
    [['serve', 'now'], 'keelson: "now" is neither a flag nor a command; keelson --help lists both'],
  ])('%j exits with 2 and one sentence with a suggestion', async (args, sentence) => {
    expect(await run(...args)).toEqual({ code: 2, output: '', complaints: `${sentence}\n` });
  });
});
