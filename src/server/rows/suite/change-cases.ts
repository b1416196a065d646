/** Cases of `changes`, and of sequenced rows. */
import type { RowChange, Rows } from '../rows.ts';
import {
  ChangeReader,
  changedKey,
  expectJson,
  expectResult,
  expectTrue,
  insert,
  type RowsCaseDefinition,
  type RowsContext,
  versionOf,
} from './context.ts';

export const changeCases: readonly RowsCaseDefinition<Rows>[] = [
  {
    name: 'changes: a stream names its position, then reports a write',
    async run(context) {
      await insert(context, context.object('before'));
      const reader = await ChangeReader.start(context.rows);
      try {
        await insert(context, context.object('a'));
        const change = await reader.change();
        expectResult(changedKey(change), pathOf(context, 'a'), 'the key of the first change');
        if (change.type === 'put') expectJson(change.row.object, context.object('a'), 'the object of the change');
      } finally {
        await reader.stop();
      }
    },
  },
  {
    name: 'changes: the changes of a key come in the order of their commits',
    async run(context) {
      const { rows, object, key } = context;
      const reader = await ChangeReader.start(rows);
      try {
        let version = await insert(context, object('a', 0));
        for (let i = 1; i <= 5; i++) version = versionOf(await rows.replace(object('a', i), version), 'replace');
        await rows.remove(key('a'), version);
        await insert(context, object('end'));
        const versions: string[] = [];
        const seen = await reader.untilKeys([pathOf(context, 'end')]);
        for (const change of seen) if (change.type === 'put') versions.push(change.row.version);
        expectTrue(
          seen.some((change) => changedKey(change) === pathOf(context, 'a')),
          'the row is reported before a later one',
        );
        const places = versions.map((each) => versions.indexOf(each));
        expectTrue(
          places.every((place, i) => i === 0 || place >= places[i - 1]!),
          `versions are in order: ${versions.join(', ')}`,
        );
      } finally {
        await reader.stop();
      }
    },
  },
  {
    name: 'changes: a stream resumes after a cursor and misses nothing',
    async run(context) {
      const first = await ChangeReader.start(context.rows);
      await insert(context, context.object('a'));
      await first.untilKeys([pathOf(context, 'a')]);
      await first.stop();
      await insert(context, context.object('b'));
      await insert(context, context.object('c'));
      const second = new ChangeReader(context.rows, first.cursor);
      try {
        const element = await second.next();
        if (element.type === 'too-old') return;
        const keys = [pathOf(context, 'b'), pathOf(context, 'c')];
        if (element.type !== 'position') keys.splice(keys.indexOf(changedKey(element)), 1);
        await second.untilKeys(keys);
      } finally {
        await second.stop();
      }
    },
  },
  {
    name: 'changes: two streams report the same write',
    async run(context) {
      const readers = [await ChangeReader.start(context.rows), await ChangeReader.start(context.rows)];
      try {
        await insert(context, context.object('a'));
        for (const reader of readers) await reader.untilKeys([pathOf(context, 'a')]);
      } finally {
        for (const reader of readers) await reader.stop();
      }
    },
  },
  {
    name: 'changes: a stream ends when its signal aborts',
    async run(context) {
      const reader = await ChangeReader.start(context.rows);
      await reader.stop();
      await insert(context, context.object('a'));
    },
  },
];

export const sequenceCases: readonly RowsCaseDefinition<Rows>[] = [
  {
    name: 'sequence: versions of all keys ascend',
    async run(context) {
      let last = 0;
      for (let i = 0; i < 10; i++) {
        const version = Number(await insert(context, context.object(`a${i}`)));
        expectTrue(Number.isSafeInteger(version) && version > last, `version ${version} is a number above ${last}`);
        last = version;
      }
    },
  },
  {
    name: 'sequence: every change is delivered once, with its number, in ascending order',
    async run(context) {
      const { rows, object, key } = context;
      const reader = await ChangeReader.start(rows);
      try {
        const first = await insert(context, object('a', 1));
        const second = versionOf(await rows.replace(object('a', 2), first), 'replace');
        await rows.remove(key('a'), second);
        const third = await insert(context, object('a', 3));
        const changes = [await reader.change(), await reader.change(), await reader.change(), await reader.change()];
        expectResult(changes.map(({ type }) => type).join(' '), 'put put remove put', 'the changes');
        const numbers = changes.map(numberOf);
        expectResult(numbers.filter((_, i) => i !== 2).join(' '), [first, second, third].join(' '), 'their numbers');
        expectTrue(numbers[2]! > Number(second) && numbers[2]! < Number(third), 'the removal has a number between');
      } finally {
        await reader.stop();
      }
    },
  },
  {
    name: 'sequence: concurrent writers of many keys are delivered in ascending order, none missing',
    async run(context) {
      const { rows, object } = context;
      const reader = await ChangeReader.start(rows);
      try {
        const write = async (writer: number): Promise<string[]> => {
          let version = await insert(context, object(`w${writer}`, 0));
          const versions = [version];
          for (let i = 1; i < 10; i++) {
            version = versionOf(await rows.replace(object(`w${writer}`, i), version), 'replace');
            versions.push(version);
          }
          return versions;
        };
        const written = (await Promise.all(Array.from({ length: 10 }, (_, i) => write(i)))).flat();
        const expected = written.map(Number).sort((a, b) => a - b);
        const delivered: number[] = [];
        while (delivered.length < expected.length) delivered.push(numberOf(await reader.change()));
        expectResult(delivered.join(' '), expected.join(' '), 'the numbers of the changes');
      } finally {
        await reader.stop();
      }
    },
  },
];

function numberOf(change: RowChange): number {
  if (change.type === 'put') return Number(change.row.version);
  expectTrue(change.type === 'remove', `sequenced rows have no '${change.type}' element here`);
  return Number(change.version);
}

function pathOf(context: RowsContext, name: string): string {
  const { namespace } = context.key(name);
  return `${namespace}/${name}`;
}
