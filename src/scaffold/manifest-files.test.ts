import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readManifests } from './manifest-files.ts';
import { places, readText } from './scaffold.fixtures.ts';

describe('manifests that cannot be parsed', () => {
  it('are reported for each document, with line, column and a sentence', async () => {
    const { manifests, problems } = await readText('a: 1\n---\nb: [\nc: :]\n---\nd: 1\n---\n\te: 1\n---\nf: "x\n');
    expect(manifests.map(({ object }) => object)).toEqual([{ a: 1 }, { d: 1 }]);
    expect(places(problems)).toEqual([
      '4:4 expected a value',
      '8:1 a value cannot begin with this character: quote the value, or replace a tab by spaces',
      '10:4 the quoted text has no closing quote',
    ]);
  });

  it.each([
    ['a: b: c\n', '1:5 ":" is not allowed here: quote the value if it contains ": ", or correct the indentation'],
    ['a:\n  - b\n c: 1\n', '3:2 expected a key: correct the indentation of this line or of the lines before it'],
    ['a: {b: 1\nc: 2\n', '2:2 expected "," or "}" in the mapping'],
    ['a: [1,\n  2\n\n', '2:4 expected "," or "]" in the list'],
    ['a: 1\na: 2\n', '2:4 the key "a" occurs twice in one mapping'],
    ['a: *b\n', '1:4 *b has no anchor &b before it'],
    ['a: 1\nb: x\x01\n', '2:5 YAML does not allow this control character'],
    ['--- {a: 1}\n', '1:5 text after "---" is not read: move it to the next line'],
    ['{"a": 1} b\n', '1:10 text after the end of the object is not read: separate documents by a line "---"'],
    ['? [a]\n: 1\n', '1:3 a key must be text, a number or a boolean, not a list or a mapping'],
  ])('as in %j have a place and a sentence', async (text, expected) => {
    expect(places((await readText(text)).problems)).toEqual([expected]);
  });

  it('are reported if they are not UTF-8', async () => {
    const { problems } = await readText(new Uint8Array([0x61, 0x3a, 0xff]));
    expect(places(problems)).toEqual(['1:1 the file is not UTF-8 text']);
  });
});

describe('manifests', () => {
  it('are the objects of a JSON stream, with their places', async () => {
    const { manifests, problems } = await readText('{"a": 1}\n\n  {"b": "}",\n   "c": 2}  {"d": 1}\n# end\n');
    expect(problems).toEqual([]);
    expect(manifests.map(({ object }) => object)).toEqual([{ a: 1 }, { b: '}', c: 2 }, { d: 1 }]);
    expect(manifests.map((manifest) => manifest.place(['c'], ['d']))).toEqual([
      { line: 1, column: 1 },
      { line: 4, column: 4 },
      { line: 4, column: 14 },
    ]);
  });

  it('are the items of lists, with the type of the list if they have none', async () => {
    const { manifests } = await readText('kind: FooList\napiVersion: a/v1\nitems: [{x: 1}, {kind: Bar}]\n');
    expect(manifests.map(({ object }) => object)).toEqual([
      { apiVersion: 'a/v1', kind: 'Foo', x: 1 },
      { apiVersion: 'a/v1', kind: 'Bar' },
    ]);
    expect(manifests[1]?.place(['kind'])).toEqual({ line: 3, column: 18 });
  });

  it('are read from files and folders; one that cannot be read does not hide the others', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-manifests-'));
    try {
      await mkdir(join(folder, 'sub'));
      await writeFile(join(folder, 'b.yaml'), 'b: [\n');
      await writeFile(join(folder, 'sub', 'c.json'), '{"c": 1}');
      await writeFile(join(folder, 'notes.txt'), '[');
      const { manifests, problems } = await readManifests([join(folder, 'none.yaml'), folder], {
        readStdin: () => Promise.reject(new Error('not asked for')),
      });
      expect(manifests.map(({ object }) => object)).toEqual([{ c: 1 }]);
      expect(problems.map(({ file, message }) => [file.slice(folder.length + 1), message])).toEqual([
        ['none.yaml', 'cannot be read: no such file or folder'],
        ['b.yaml', 'expected a value'],
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
