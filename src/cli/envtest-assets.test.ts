import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeEnvtestAssets } from './envtest-assets.ts';

let parent: string;
let folder: string;
let bin: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'keelson-envtest-'));
  folder = join(parent, 'assets');
  bin = join(parent, 'bin');
  mkdirSync(bin);
});

afterEach(() => rmSync(parent, { recursive: true }));

function program(path: string, text: string): string {
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

const write = (node: string, path = ''): ReturnType<typeof writeEnvtestAssets> =>
  writeEnvtestAssets({ folder, node, command: join(parent, "it's main.js"), path });

describe('writeEnvtestAssets', () => {
  it('writes programs that start the command with their arguments', async () => {
    const node = program(join(bin, 'node 20'), 'printf "%s|" "$@"');
    expect(await write(node)).toEqual({ folder, kubectl: undefined });
    expect(readdirSync(folder).sort()).toEqual(['etcd', 'kube-apiserver']);
    const run = (name: string): string => execFileSync(join(folder, name), ['--a=b c', 'd'], { encoding: 'utf8' });
    expect(run('kube-apiserver')).toBe(`${parent}/it's main.js|kube-apiserver|--storage=memory|--a=b c|d|`);
    expect(run('etcd')).toBe(`${parent}/it's main.js|envtest-etcd|--a=b c|d|`);
  });

  it('looks for node in PATH if its own was removed', async () => {
    program(join(bin, 'node'), 'echo from PATH');
    await write(join(parent, 'removed'));
    const env = { PATH: `${bin}:${process.env['PATH']}` };
    expect(execFileSync(join(folder, 'etcd'), { encoding: 'utf8', env })).toBe('from PATH\n');
  });

  it('links to the first kubectl in PATH, again on a second run, and never to itself', async () => {
    writeFileSync(join(parent, 'kubectl'), 'not executable');
    const kubectl = program(join(bin, 'kubectl'), '');
    expect((await write('node', `:${parent}:${bin}`)).kubectl).toBe(kubectl);
    expect((await write('node', `${folder}:${bin}`)).kubectl).toBe(kubectl);
    expect(readlinkSync(join(folder, 'kubectl'))).toBe(kubectl);
    expect((await write('node', folder)).kubectl).toBe(join(folder, 'kubectl'));
  });

  it('keeps a kubectl that is not a link', async () => {
    mkdirSync(folder);
    program(join(folder, 'kubectl'), 'mine');
    const kubectl = program(join(bin, 'kubectl'), '');
    expect((await write('node', join(kubectl, '..'))).kubectl).toBe(join(folder, 'kubectl'));
    expect(readFileSync(join(folder, 'kubectl'), 'utf8')).toContain('mine');
  });

  it('refuses to replace a program that it did not write, and changes nothing', async () => {
    mkdirSync(folder);
    program(join(folder, 'etcd'), 'real');
    await expect(write('node')).rejects.toThrow(
      `${folder}/etcd exists and was not written by keelson envtest: choose another folder, or remove it`,
    );
    expect(readdirSync(folder)).toEqual(['etcd']);
  });

  it('reports in one sentence that the folder cannot be written', async () => {
    writeFileSync(folder, 'a file');
    await expect(write('node')).rejects.toThrow(`cannot write the folder ${folder}: `);
  });
});
