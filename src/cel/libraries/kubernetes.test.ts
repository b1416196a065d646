import { describe, expect, it } from 'vitest';
import { createEnvironment } from '../create-environment.ts';
import { CelStopped } from '../values.ts';
import { KUBERNETES_LIBRARIES, kubernetesLibraries } from './kubernetes.ts';

const ENVIRONMENT = createEnvironment({ libraries: KUBERNETES_LIBRARIES, variables: [] });

const HUNDRED = `'${'a'.repeat(100)}'`;

function run(source: string): ReturnType<ReturnType<typeof ENVIRONMENT.program>['run']> {
  const result = ENVIRONMENT.check(source);
  if (!result.ok) throw new Error(result.issues[0]?.message);
  return ENVIRONMENT.program(result.checked).run([], { cost: 1_000_000 });
}

describe('the libraries of Kubernetes', () => {
  it.each(['math.greatest(1, 2)', "base64.encode(b'a')", "'a'.reverse()", 'authorizer.path("/")', 'cel.bind(x, 1, x)'])(
    'do not have %s',
    (source) => {
      expect(ENVIRONMENT.check(source).ok).toBe(false);
    },
  );

  it('depend on the version of Kubernetes', () => {
    const names = (minor: number): string[] => kubernetesLibraries(minor).map(({ name }) => name);
    expect(names(30)).toContain('kubernetes.net.ip');
    expect(names(30)).not.toContain('kubernetes.format');
    expect(names(32)).not.toContain('kubernetes.Semver');
    expect(names(33)).toContain('kubernetes.Semver');
    expect(names(36)).toEqual(KUBERNETES_LIBRARIES.map(({ name }) => name));
  });

  it('have unique overload ids', () => {
    const ids = KUBERNETES_LIBRARIES.flatMap(({ functions }) =>
      functions.flatMap(({ overloads }) => overloads.map(({ id }) => id)),
    );
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it.each([
    'lists.range(1000000000000)',
    '[lists.range(1000000000)].flatten().size() > 0',
    'lists.range(100000).distinct().size() > 0',
    'lists.range(100000).sort()[0] == 0',
    `${HUNDRED}${`.replace('a', ${HUNDRED})`.repeat(4)}.size() > 0`,
    "'%.1000000f'.format([1.5]).size() > 0",
  ])('stop %s before it fills the memory', (source) => {
    const outcome = run(source);
    expect('error' in outcome && outcome.error).toBeInstanceOf(CelStopped);
  });
});
