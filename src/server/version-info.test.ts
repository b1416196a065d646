import { expect, it } from 'vitest';
import { decodeUtf8 } from '../base/bytes.ts';
import { reportedVersionProblem, versionAnswer, versionInfo } from './version-info.ts';

const build = { version: '0.1.0', runtime: 'node v20.1.0', platform: 'linux/amd64' };

it("has the reference's fields in its order, and our build as build metadata", () => {
  const answer = versionAnswer(
    versionInfo({ ...build, commit: 'abc', treeState: 'clean', date: '2030-01-01T00:00:00Z' }),
  );
  if (answer.kind !== 'bytes') throw new Error(answer.kind);
  expect([answer.status, answer.headers]).toEqual([
    200,
    { 'cache-control': 'no-cache, private', 'content-type': 'application/json' },
  ]);
  expect(decodeUtf8(answer.body)).toBe(`{
  "major": "1",
  "minor": "36",
  "emulationMajor": "1",
  "emulationMinor": "36",
  "minCompatibilityMajor": "1",
  "minCompatibilityMinor": "35",
  "gitVersion": "v1.36.3+keelson.0.1.0",
  "gitCommit": "abc",
  "gitTreeState": "clean",
  "buildDate": "2030-01-01T00:00:00Z",
  "goVersion": "node v20.1.0",
  "compiler": "v8",
  "platform": "linux/amd64"
}`);
});

it('has defaults for facts that the build does not know', () => {
  expect(versionInfo(build)).toMatchObject({ gitCommit: '', gitTreeState: '', buildDate: '1970-01-01T00:00:00Z' });
});

it.each(['0.1.0', '1.0.0-rc.1', '1.0.0-rc.1+x_y'])('is a semantic version for our version %s', (version) => {
  expect(versionInfo({ ...build, version }).gitVersion).toMatch(/^v1\.36\.\d+\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*$/);
});

it('reports the version that it is given', () => {
  expect(versionInfo({ ...build, reportedVersion: 'v1.36.3-custom' }).gitVersion).toBe('v1.36.3-custom');
});

it.each(['v1.36.3', '1.36.3', 'v1.36.3-custom', 'v1.36.3-rc.1+build.5', 'v1.36.3+abc'])('may report %s', (text) => {
  expect(reportedVersionProblem(text)).toBeUndefined();
});

it.each([
  ['v1.36.4', 'must be a version of v1.36.3, such as v1.36.3-custom'],
  ['v1.36', 'is not a semantic version such as v1.36.3-custom'],
  ['v01.36.3', 'must be a version of v1.36.3, such as v1.36.3-custom'],
  ['v1.36.3-01', 'is not a semantic version such as v1.36.3-custom'],
  ['v1.36.3-a_b', 'is not a semantic version such as v1.36.3-custom'],
  ['', 'is not a semantic version such as v1.36.3-custom'],
])('cannot report %j', (text, problem) => {
  expect(reportedVersionProblem(text)).toBe(problem);
});
