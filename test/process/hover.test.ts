import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annotateTypes } from '../../src/kinds/annotate-types.ts';
import { KindDescriptions } from '../../src/kinds/descriptions.ts';
import { packages } from '../../src/kinds/facts/all.ts';
import { readText } from '../descriptions/described-types.ts';

const TSC = resolve('node_modules/typescript/bin/tsc');
const USE = `import type { Container, Pod, PodSpec } from './core-v1.ts';
declare const container: Container, spec: PodSpec, pod: Pod;
container.workingDir;
spec.restartPolicy;
spec.serviceAccount;
`;

/** The declarations of core/v1 with their comments. The build writes each field on a line of its own. */
function declarations(): string {
  const source = readFileSync('src/kinds/api/core/v1.ts', 'utf8');
  const lines = source.replaceAll(/^(export interface \w+ \{) (.*) \}$/gm, (_, head: string, fields: string) => {
    const body = fields.split('; ').map((field) => `    ${field};`);
    return [head, ...body, '}'].join('\n');
  });
  const prefix = packages.find(({ id }) => id === 'core-v1')?.modelPrefix;
  const { describe: describeType } = new KindDescriptions(readText);
  return annotateTypes(lines, (type, field) => describeType(`${prefix}${type}`, field));
}

/** The language server of TypeScript, as an editor runs it. */
class LanguageServer {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #received = Buffer.alloc(0);
  #lastId = 0;

  constructor(folder: string) {
    this.#child = spawn(process.execPath, [TSC, '--lsp', '--stdio'], { cwd: folder });
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#readMessages();
    });
  }

  request(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#lastId;
    this.#send({ id, method, params });
    return new Promise((done) => this.#waiting.set(id, done));
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  stop(): void {
    this.#child.kill();
  }

  #send(message: object): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  #readMessages(): void {
    for (;;) {
      const head = this.#received.indexOf('\r\n\r\n');
      const length = Number(
        /Content-Length: (\d+)/i.exec(this.#received.subarray(0, Math.max(head, 0)).toString())?.[1],
      );
      if (head < 0 || this.#received.length < head + 4 + length) return;
      const message = JSON.parse(this.#received.subarray(head + 4, head + 4 + length).toString()) as {
        readonly id?: number;
        readonly method?: string;
        readonly result?: unknown;
      };
      this.#received = this.#received.subarray(head + 4 + length);
      if (message.id === undefined) continue;
      // The server asks for its settings and registers abilities. It needs an answer, but no content.
      if (message.method === undefined) this.#waiting.get(message.id)?.(message.result);
      else this.#send({ id: message.id, result: message.method === 'workspace/configuration' ? [null] : null });
    }
  }
}

describe('an editor shows for a built-in type', () => {
  let folder: string;
  let server: LanguageServer;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-hover-'));
    writeFileSync(join(folder, 'core-v1.ts'), declarations());
    writeFileSync(join(folder, 'use.ts'), USE);
    writeFileSync(
      join(folder, 'tsconfig.json'),
      '{ "compilerOptions": { "strict": true, "types": [], "allowImportingTsExtensions": true, "noEmit": true } }',
    );
    server = new LanguageServer(folder);
    await server.request('initialize', {
      processId: process.pid,
      rootUri: pathToFileURL(folder).href,
      capabilities: { textDocument: { hover: { contentFormat: ['markdown'] } } },
    });
    server.notify('initialized', {});
    const textDocument = {
      uri: pathToFileURL(join(folder, 'use.ts')).href,
      languageId: 'typescript',
      version: 1,
      text: USE,
    };
    server.notify('textDocument/didOpen', { textDocument });
  });

  afterAll(() => {
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The text that is shown for the first place of a name in USE. */
  async function hover(name: string): Promise<string> {
    const lines = USE.split('\n');
    const line = lines.findIndex((text) => text.includes(name));
    const result = (await server.request('textDocument/hover', {
      textDocument: { uri: pathToFileURL(join(folder, 'use.ts')).href },
      position: { line, character: (lines[line] ?? '').indexOf(name) + 1 },
    })) as { readonly contents: { readonly value: string } };
    return result.contents.value;
  }

  it('its description', async () => {
    expect(await hover('Pod,')).toContain('One or more containers that run together on a node');
  });

  it('the description of a field', async () => {
    expect(await hover('workingDir')).toContain('The working directory.');
  });

  it('the default of a field', async () => {
    expect(await hover('restartPolicy')).toMatch(/When containers restart after they end.*@default.*"Always"/s);
  });

  it('the field that replaces a deprecated one', async () => {
    expect(await hover('serviceAccount;')).toMatch(/@deprecated.*use `serviceAccountName` instead\./s);
  });
});
