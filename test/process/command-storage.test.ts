import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Answer, CONFIG_MAPS, type Server, useCommand } from './command.fixtures.ts';

const command = useCommand('storage');

describe('keelson, on a full disk,', () => {
  it('logs one line with the reason, and nothing else gets between the JSON lines', async () => {
    // The unit is 512 or 1,024 bytes, depending on the shell. If SIGXFSZ is ignored, a write behind the limit fails.
    const server = command.spawn(['--secure-port=0'], { shell: `trap '' XFSZ; ulimit -f 20000; exec "$0" "$@"` });
    await server.started();
    const admin = command.client(server);
    const data = { text: 'x'.repeat(800_000) };
    const answers: Answer[] = [];
    for (let i = 0; i < 60 && answers.length < 5; i++) {
      const answer = await admin.send('POST', CONFIG_MAPS, { metadata: { name: `big-${i}` }, data });
      if (answer.status !== 201) answers.push(answer);
    }
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 500, 500, 500]);
    expect(answers[0]?.text).toContain('the disk is full or a quota is reached');
    expect((await admin.send('GET', `${CONFIG_MAPS}/big-0`)).status).toBe(200);
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    const log = server.errors
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const errors = log.filter(({ level }) => level === 'error');
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({
      msg: 'a request was answered with an error',
      code: 500,
      reason: 'InternalError',
      err: { type: 'StorageError', message: expect.stringContaining('the disk is full') },
    });
  });
});

describe('lmdb in the bundle', () => {
  const INSTALLED = /node_modules\/lmdb\/dist\/index\.cjs/;
  const loaded = async (server: Server): Promise<string> => {
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    return server.errors;
  };

  it('reads the same data as the installed package, which is used if a variable chooses its addon', async () => {
    const first = command.spawn(['--secure-port=0'], { env: { NODE_DEBUG: 'module' } });
    await first.started();
    const written = await command.client(first).send('POST', CONFIG_MAPS, { metadata: { name: 'a' } });
    expect(written.status).toBe(201);
    expect(await loaded(first)).not.toMatch(INSTALLED);

    const second = command.spawn(['--secure-port=0'], { env: { NODE_DEBUG: 'module', LIBC: 'glibc' } });
    await second.started();
    const read = await command.client(second).send('GET', `${CONFIG_MAPS}/a`);
    expect(JSON.parse(read.text)).toEqual(JSON.parse(written.text));
    expect(await loaded(second)).toMatch(INSTALLED);
  });
});

describe('keelson storage', () => {
  /** Runs a command to its end. */
  async function run(...args: string[]): Promise<Server> {
    const ran = command.spawn(args);
    expect([await ran.exited, ran.errors]).toEqual([0, '']);
    return ran;
  }

  it('backs up a server that is writing, and the restored server has the same objects and identity', async () => {
    const server = await command.start();
    const admin = command.client(server);
    let written = 0;
    let writing = true;
    const writer = async (id: number): Promise<void> => {
      for (let i = 0; writing; i++) {
        const object = { metadata: { name: `w-${id}-${i}` }, data: { text: 'x'.repeat(5000) } };
        expect((await admin.send('POST', CONFIG_MAPS, object)).status).toBe(201);
        written++;
      }
    };
    const writers = Promise.all([0, 1, 2, 3].map(writer));
    const backups: { objects: number; atLeast: number; atMost: number }[] = [];
    for (let i = 0; i < 3; i++) {
      const atLeast = written;
      const { output } = await run('storage', 'backup', `backup-${i}`);
      const objects = Number(/^backed up (\d+) objects at revision \d+ .*verified\)/.exec(output)?.[1]);
      backups.push({ objects, atLeast, atMost: written + 4 });
    }
    writing = false;
    await writers;
    const [first, , last] = backups;
    expect(last?.objects).toBeGreaterThan(first?.objects ?? 0);
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);

    expect((await run('storage', 'restore', 'backup-2', '--data-dir=restored')).output).toContain(
      `restored ${last?.objects} objects`,
    );
    // The kubeconfig of the first server works for the restored one, at another port.
    const restored = await command.start('--data-dir=restored');
    const again = command.client(restored);
    const list = JSON.parse((await again.send('GET', CONFIG_MAPS)).text) as { items: { metadata: { name: string } }[] };
    const found = list.items.filter(({ metadata }) => metadata.name.startsWith('w-')).length;
    expect(found).toBeGreaterThanOrEqual(last?.atLeast ?? 0);
    expect(found).toBeLessThanOrEqual(last?.atMost ?? 0);
    const ca = (path: string): string => readFileSync(join(command.folder, path, 'pki', 'ca.crt'), 'utf8');
    expect(ca('restored')).toBe(ca('.keelson'));
    // A watch that resumes from a revision of the first server must list again.
    const resumed = await again.send('GET', `${CONFIG_MAPS}?watch=true&resourceVersion=500&timeoutSeconds=5`);
    expect(resumed.text).toContain('"code":410');
    restored.child.kill('SIGTERM');
    await restored.exited;
    await run('storage', 'verify', 'restored');
  });
});

describe('keelson, after a signal,', () => {
  it('closes watches cleanly, exits with 0 and keeps the stored objects', async () => {
    const server = await command.start();
    const admin = command.client(server);
    await admin.send('POST', CONFIG_MAPS, { metadata: { name: 'kept' } });
    const watch = admin.session.request({ ':path': `${CONFIG_MAPS}?watch=true` });
    let watched = '';
    watch.setEncoding('utf8').on('data', (text: string) => {
      watched += text;
    });
    await once(watch, 'data');
    server.child.kill('SIGTERM');
    await once(watch, 'end');
    expect(watch.rstCode).toBe(0);
    expect(watched).toContain('"kept"');
    expect(await server.exited).toBe(0);

    const again = command.client(await command.start());
    expect((await again.send('GET', `${CONFIG_MAPS}/kept`)).status).toBe(200);
  });

  it('reports the shutdown by readyz while it still serves requests, and ends at once on a second signal', async () => {
    const server = await command.start('--storage=memory', '--shutdown-delay-duration=1h');
    const admin = command.client(server);
    server.child.kill('SIGINT');
    let readyz: Answer;
    do readyz = await admin.send('GET', '/readyz');
    while (readyz.status === 200);
    expect(readyz.text).toContain('[-]shutdown failed');
    expect((await admin.send('GET', '/livez')).status).toBe(200);
    expect((await admin.send('POST', CONFIG_MAPS, { metadata: { name: 'late' } })).status).toBe(201);
    server.child.kill('SIGINT');
    expect(await server.exited).toBe(1);
  });
});
