/**
 * The second process of `lmdb-process.test.ts`. It holds a folder, fills one until the file cannot grow, or reads one
 * that another process holds.
 */
import { open } from 'lmdb';
import { openLmdbStorage } from '../../src/storage/lmdb/index.ts';

const [task, folder] = process.argv.slice(2) as ['hold' | 'fill' | 'read', string];
if (task === 'read') {
  open({ path: `${folder}/data.mdb`, noSubdir: true, readOnly: true }).useReadTransaction();
  process.stdout.write('reading\n');
  setInterval(() => {}, 1000);
  await new Promise(() => undefined);
}
const storage = await openLmdbStorage({ folder });
const value = Buffer.alloc(5000, 'v');

if (task === 'hold') {
  await storage.create('held', value);
  process.stdout.write('holding\n');
  setInterval(() => {}, 1000);
} else {
  let acknowledged = 0;
  let code = '';
  const writer = async (id: number): Promise<void> => {
    for (let i = 0; i < 1000 && code === ''; i++) {
      await storage.create(`w/${id}/${i}`, value).then(
        () => acknowledged++,
        (error: { code: string }) => {
          code = error.code;
        },
      );
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, id) => writer(id)));
  const listed = await storage.list({ prefix: '' });
  const revision = await storage.revision();
  // Free pages of the file may have room for one more small commit, but not for a large one.
  const afterwards = await storage.create('large', Buffer.alloc(1_000_000)).then(
    (result) => result.outcome,
    (error: { code: string }) => error.code,
  );
  const readable = listed.outcome === 'ok' ? listed.items.length : -1;
  process.stdout.write(`${JSON.stringify({ acknowledged, code, revision, readable, afterwards })}\n`);
  await storage.stop();
}
