import { describe, expect, it } from 'vitest';
import { storedResource, strategyWithDefaults } from '../server/resource/stored-resource.ts';
import { deprecationWarning } from './deprecated-versions.ts';
import { parseRuntimeConfig, servedDefinition } from './runtime-config.ts';
import { builtInVersion } from './shared/built-in.ts';

const V1 = { group: 'networking.k8s.io', version: 'v1' };
const V1BETA1 = { group: 'networking.k8s.io', version: 'v1beta1' };
const ALPHA = { group: 'internal.apiserver.k8s.io', version: 'v1alpha1' };
const BUNDLES = { group: 'certificates.k8s.io', version: 'v1beta1' };

describe('parseRuntimeConfig', () => {
  it.each([
    ['no entry', [], [true, false, false, false]],
    ['all', ['api/all=true'], [true, true, true, false]],
    ['beta', ['api/beta=true'], [true, true, false, false]],
    ['alpha without stable', ['api/alpha=true', 'api/ga=false'], [false, false, true, false]],
    [
      'a version takes precedence over a set',
      ['api/all=true', 'networking.k8s.io/v1beta1=false'],
      [true, false, true, false],
    ],
    ['a version without a value', ['networking.k8s.io/v1beta1'], [true, true, false, false]],
    ['one resource of a version', ['networking.k8s.io/v1beta1/ipaddresses=true'], [true, true, false, false]],
    ['another resource of a version', ['networking.k8s.io/v1beta1/servicecidrs=true'], [true, false, false, false]],
    ['a gated kind by its version', ['certificates.k8s.io/v1beta1=true'], [true, false, false, true]],
    ['the later of two entries counts', ['api/beta=true', 'api/beta=false'], [true, false, false, false]],
  ])('%s', (_name, entries, expected) => {
    const config = parseRuntimeConfig(entries);
    const served = [
      config.serves(V1, 'ipaddresses'),
      config.serves(V1BETA1, 'ipaddresses'),
      config.serves(ALPHA, 'storageversions'),
      config.serves(BUNDLES, 'clustertrustbundles'),
    ];
    expect(served).toEqual(expected);
  });

  it.each([
    [['v1'], true],
    [['v1=false'], false],
    [['v1/pods=false'], false],
    [['api/v1=false'], false],
    [['api/v1/pods=false'], false],
    [['/v1=false'], false],
    [['api/all=false', 'v1=true'], true],
    [['v1=false', 'api/v1=true'], true],
    [['api/legacy'], true],
    [['api/legacy=false'], true],
  ])('takes the aliases of the core group: %j', (entries, served) => {
    expect(parseRuntimeConfig(entries).serves({ group: '', version: 'v1' }, 'configmaps')).toBe(served);
  });

  it('does not count api/legacy as an entry beside api/all=false', () => {
    expect(() => parseRuntimeConfig(['api/all=false', 'api/legacy=true'])).toThrow('with only api/all=false');
  });

  it.each([
    ['api/all=false', 'invalid runtime-config with only api/all=false'],
    ['api/beta=yes', 'invalid value api/beta=yes'],
    ['api/legacy/x=1', 'unknown api groups api/legacy'],
    ['foo/v1=true', 'unknown api groups foo/v1'],
    ['v2=false', 'runtime-config invalid key v2'],
    ['api=true', 'runtime-config invalid key api'],
    ['v1=maybe', 'invalid value of /v1: maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax'],
    ['api/v1=maybe', 'invalid value of /v1: maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax'],
    ['a/b/c/d=true', 'runtime-config invalid key a/b/c/d'],
    ['apps/v9=true', 'group version apps/v9 that has not been registered'],
    ['apps/v1=maybe', 'invalid value of apps/v1: maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax'],
    [
      'apps/v1/Deployments=true',
      'invalid key apps/v1/Deployments: group/version/resource and resource is always lowercase plural, not "Deployments"',
    ],
  ])('refuses %s', (entry, message) => {
    expect(() => parseRuntimeConfig([entry])).toThrow(`--runtime-config: ${message}`);
  });
});

describe('servedDefinition', () => {
  const [v1, v1beta1] = ['v1', 'v1beta1'].map((version) =>
    builtInVersion({ group: 'networking.k8s.io', version, kind: 'IPAddress' }),
  ) as [ReturnType<typeof builtInVersion>, ReturnType<typeof builtInVersion>];
  const definition = storedResource({
    plural: 'ipaddresses',
    scope: 'Cluster',
    versions: [v1, v1beta1],
    strategy: strategyWithDefaults({}),
  });

  it('drops disabled versions and keeps the storage version', () => {
    const served = servedDefinition(definition, parseRuntimeConfig([`networking.k8s.io/v1=false`, 'api/beta=true']));
    expect(served.versions.map(({ version }) => version)).toEqual(['v1beta1']);
    expect(served.storageVersion).toBe(v1);
  });

  it('warns of deprecated versions', () => {
    const served = servedDefinition(definition, parseRuntimeConfig(['api/beta=true']));
    expect(served.versions.map((version) => version.deprecationWarning)).toEqual([
      '',
      'networking.k8s.io/v1beta1 IPAddress is deprecated in v1.34+, unavailable in v1.37+',
    ]);
    expect(deprecationWarning({ group: '', version: 'v1', kind: 'Endpoints' })).toBe(
      'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
    );
  });
});
