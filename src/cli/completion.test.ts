/** Completion in real shells. A shell that is not installed is replaced by a check of the script's contents. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadProgram } from './commands.ts';
import { bashCompletion } from './completion-bash.ts';
import { fishCompletion } from './completion-fish.ts';
import { type CompletionNode, completionNodes } from './completion-model.ts';
import { serverFlagValues } from './completion-values.ts';
import { zshCompletion } from './completion-zsh.ts';
import { FlagValues } from './flag-values.ts';
import { SERVER_FLAGS } from './server-flags.ts';

let folder: string;
let nodes: readonly CompletionNode[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-completion-'));
  nodes = completionNodes(await loadProgram());
  writeFileSync(join(folder, 'bash'), bashCompletion(nodes));
  writeFileSync(join(folder, 'zsh'), zshCompletion(nodes));
  writeFileSync(join(folder, 'fish'), fishCompletion(nodes));
  mkdirSync(join(folder, 'work', 'crds'), { recursive: true });
  writeFileSync(join(folder, 'work', 'one.yaml'), '');
  // Loading the program transforms every module of the command, if no other test has done so.
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true }));

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ['--version']).status === 0;
}

/** The words before the cursor, with the last one incomplete, and what a shell must offer. */
const CASES: readonly (readonly [line: string, offered: readonly string[], withheld: readonly string[]])[] = [
  ['keelson st', ['storage'], ['version']],
  ['keelson storage ', ['backup', 'restore', 'verify'], ['crd']],
  ['keelson help storage re', ['restore'], ['backup']],
  ['keelson --sto', ['--storage'], ['--secure-port']],
  ['keelson --storage m', ['memory'], ['lmdb']],
  ['keelson serve --secure-port 0 --storage l', ['lmdb'], ['memory']],
  ['keelson doctor --log-format ', ['auto', 'json', 'text'], ['memory']],
  ['keelson storage backup --da', ['--data-dir'], ['--replace']],
  ['keelson storage restore --data-dir x --re', ['--replace'], ['--data-dir']],
  ['keelson completion ', ['bash', 'fish', 'zsh'], ['tcsh']],
  ['keelson crd check --output g', ['github'], ['json']],
];

describe('completion in bash', () => {
  /** Calls the function that bash calls on Tab. `=` is a word of its own, as in bash. */
  function complete(line: string): string[] {
    const words = line.split(/ |(?<==)|(?==)/);
    const script = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _keelson; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const output = execFileSync('bash', ['--norc', '-c', script, 'bash', join(folder, 'bash'), ...words], {
      cwd: join(folder, 'work'),
      encoding: 'utf8',
    });
    return output
      .split('\n')
      .filter((word) => word !== '')
      .sort();
  }

  it.each(CASES)('offers for "%s" what comes next', (line, offered, withheld) => {
    const words = complete(line);
    expect(words).toEqual(expect.arrayContaining([...offered]));
    for (const word of withheld) expect(words).not.toContain(word);
  });

  it('offers values after an equals sign, items of lists, files and folders', () => {
    expect(complete('keelson --storage=')).toEqual(['etcd', 'lmdb', 'memory']);
    expect(complete('keelson --storage=m')).toEqual(['memory']);
    expect(complete('keelson --authorization-mode=Node,R')).toEqual(['Node,RBAC']);
    expect(complete('keelson --disable-admission-plugins Serv')).toEqual(['ServiceAccount']);
    expect(complete('keelson crd check ')).toEqual(['crds', 'one.yaml']);
    expect(complete('keelson storage backup ')).toEqual(['crds']);
    expect(complete('keelson kubeconfig --user jane --data-dir ')).toEqual(['crds']);
  });

  it('works at a terminal', async () => {
    if (!isInstalled('script')) return expectContents(bashCompletion(nodes));
    const prompt = await Terminal.open('bash --norc -i', `PS1='> '; source ${join(folder, 'bash')}`);
    expect(await prompt.tab('keelson storage ver', 'verify')).toContain('keelson storage verify ');
    await prompt.close();
  });
});

describe('completion in zsh', () => {
  it('works at a terminal', async () => {
    if (!isInstalled('zsh') || !isInstalled('script')) return expectContents(zshCompletion(nodes));
    const start = `PS1='> '; autoload -Uz compinit; compinit -u -D; source ${join(folder, 'zsh')}`;
    const prompt = await Terminal.open('zsh -f -i', start);
    expect(await prompt.tab('keelson storage ver', 'verify')).toContain('verify');
    expect(await prompt.tab('keelson --storage=m', 'memory')).toContain('memory');
    expect(await prompt.tab('keelson storage ', 'restore')).toMatch(/backup +-- copy the objects/);
    expect(await prompt.tab('keelson --authorization-mode Node,RB', 'RBAC')).toContain('Node,RBAC');
    expect(await prompt.tab('keelson crd check cr', 'crds/')).toContain('crds/');
    await prompt.close();
  });
});

describe('completion in fish', () => {
  it('offers what comes next, with descriptions', () => {
    if (!isInstalled('fish')) return expectContents(fishCompletion(nodes));
    const lines = [...CASES.map(([line]) => line), 'keelson --storage=m', 'keelson crd check ', 'keelson st'];
    // The separator is printed between the answers.
    const script = lines.map((line) => `complete -C '${line}'; echo ---`).join('\n');
    const output = execFileSync('fish', ['--no-config', '-c', `source ${join(folder, 'fish')}\n${script}`], {
      cwd: join(folder, 'work'),
      encoding: 'utf8',
      env: { ...process.env, HOME: folder },
    });
    const answers = output.split('---\n').map((answer) => answer.split('\n').filter((line) => line !== ''));
    const wordsOf = (index: number): string[] => (answers[index] ?? []).map((line) => line.split('\t')[0] ?? '');
    for (const [index, [line, offered, withheld]] of CASES.entries()) {
      expect(wordsOf(index), line).toEqual(expect.arrayContaining([...offered]));
      for (const word of withheld) expect(wordsOf(index), line).not.toContain(word);
    }
    expect(wordsOf(CASES.length)).toEqual(['--storage=memory']);
    expect(wordsOf(CASES.length + 1)).toEqual(expect.arrayContaining(['crds/', 'one.yaml']));
    expect(answers[CASES.length + 2]).toEqual([
      'storage\tback up, restore and check a data folder, and move data between stores',
    ]);
  });
});

describe('the values of server flags', () => {
  it('are accepted by the flags, and complete where the flag has choices', () => {
    for (const { name, read } of SERVER_FLAGS) {
      const values = serverFlagValues(name);
      const words = values.kind === 'words' ? values.words : [];
      for (const word of words) expect(() => read(new FlagValues(name, [word])), `--${name}=${word}`).not.toThrow();
      const probe = new ChoiceProbe(name, words.length > 0 ? [words[0] as string] : ['0']);
      try {
        read(probe);
      } catch {
        // The value is not one of this flag; only its choices matter.
      }
      const choices = probe.choices.filter((choice) => choice !== '' && !/TLS1[01]/.test(choice));
      if (choices.length > 0) expect([...words].sort(), name).toEqual([...choices].sort());
    }
  });

  it('belong to a flag that takes a value in every command that has it', () => {
    const kinds = new Map<string, boolean>();
    for (const { flags } of nodes)
      for (const { names, values } of flags)
        for (const name of names) {
          expect(kinds.get(name) ?? values !== undefined, name).toBe(values !== undefined);
          kinds.set(name, values !== undefined);
        }
  });
});

/** Flag values that record the choices that a flag asks for. */
class ChoiceProbe extends FlagValues {
  choices: readonly string[] = [];

  override choice<Choice extends string>(choices: readonly Choice[]): Choice {
    this.choices = choices;
    return choices[0] as Choice;
  }
}

function expectContents(script: string): void {
  for (const { children, flags } of nodes) {
    for (const { name } of children) expect(script).toContain(name);
    for (const { names } of flags) expect(script).toContain((names[0] ?? '').replace(/^--/, ''));
  }
}

/** A shell at a pseudo-terminal. */
class Terminal {
  readonly #child: ChildProcess;
  #output = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
    });
  }

  /** Starts a shell, runs a command and waits for it. */
  static async open(shell: string, command: string): Promise<Terminal> {
    const env = { ...process.env, TERM: 'dumb', HISTFILE: '', HOME: folder, ZDOTDIR: folder };
    const child = spawn('script', ['-qec', shell, '/dev/null'], { cwd: join(folder, 'work'), env });
    const terminal = new Terminal(child);
    child.stdin.write(`${command}; echo rea''dy\n`);
    await terminal.#until((output) => output.includes('ready'));
    return terminal;
  }

  /** Types a line and Tab, waits for a text that was not typed, and clears the line. */
  async tab(line: string, expected: string): Promise<string> {
    this.#output = '';
    this.#child.stdin?.write(`${line}\t`);
    await this.#until((output) => output.includes(expected));
    const printed = this.#output;
    // Ctrl-U drops the line; the next command shows that the shell reads again.
    this.#child.stdin?.write("\u0015echo ag''ain\n");
    await this.#until((output) => output.includes('again'));
    return printed;
  }

  async close(): Promise<void> {
    const exited = once(this.#child, 'close');
    this.#child.stdin?.write('exit 0\n');
    await exited;
  }

  async #until(condition: (output: string) => boolean): Promise<void> {
    while (!condition(this.#output)) await once(this.#child.stdout as NodeJS.EventEmitter, 'data');
  }
}
