import { describe, expect, it } from 'vitest';
import { defaultOptions, mergeOptions } from '../controlplane/options.ts';
import { FlagValues } from './flag-values.ts';
import { parseServerCommandLine } from './server-command-line.ts';
import type { CommandOptions } from './server-flag.ts';
import { SERVER_FLAGS } from './server-flags.ts';
import { flagDefault } from './shown-flags.ts';

const DEFAULTS: CommandOptions = {
  server: defaultOptions,
  log: { format: 'auto', verbosity: 0 },
};

describe('the flags of /flagz', () => {
  // These defaults have no form on the command line.
  const UNWRITABLE = ['advertise-address', 'enable-aggregator-routing', 'logging-format', 'tls-sni-cert-key'];
  const LISTS = ['service-account-key-file', 'requestheader-client-ca-file'];
  const flags = SERVER_FLAGS.filter(({ name }) => !UNWRITABLE.includes(name) && !LISTS.includes(name));

  it.each(flags.map((flag) => [flag.name, flag] as const))('have the true default of --%s', (name, flag) => {
    const read = flag.read(new FlagValues(name, [flagDefault(name, flag.type)]));
    expect(mergeOptions(DEFAULTS, read)).toEqual(DEFAULTS);
  });

  const shown = (...args: string[]) => parseServerCommandLine(args).flags;

  it('are those with an effect, and given ones without', () => {
    expect(Object.keys(shown()).sort()).toEqual(SERVER_FLAGS.map(({ name }) => name).sort());
    expect(shown('--allow-privileged', '--watch-cache-sizes=a#1,b#2')).toMatchObject({
      'allow-privileged': 'true',
      'watch-cache-sizes': '[a#1,b#2]',
    });
  });

  it('are written as pflag prints them', () => {
    expect(
      shown(
        '--anonymous-auth=F',
        '--request-timeout=90s',
        '--api-audiences=a',
        '--api-audiences=b,c',
        '--service-account-issuer=https://a',
        '--service-account-issuer=https://b',
        '--runtime-config=b/v1=true,a/v1=false',
        '--secure-port=1',
        '--secure-port=2',
      ),
    ).toMatchObject({
      'anonymous-auth': 'false',
      'request-timeout': '1m30s',
      'api-audiences': '[a,b,c]',
      'service-account-issuer': '[https://a,https://b]',
      'runtime-config': 'a/v1=false,b/v1=true',
      'secure-port': '2',
      'authorization-mode': '[RBAC]',
      'livez-grace-period': '0s',
      'token-auth-file': '',
      'tls-sni-cert-key': '[]',
    });
  });

  it('show defaults that depend on other flags', () => {
    expect(shown('--requestheader-client-ca-file=ca')).toMatchObject({ 'requestheader-allowed-names': '[]' });
    expect(shown('--etcd-servers=http://x', '--cert-dir=/c')).toMatchObject({ 'data-dir': '/c/keelson' });
  });
});
