import { describe, expect, it } from 'vitest';
import { ConfigError } from '../base/errors.ts';
import { type PartialOptions, type ServerOptions, serverOptions } from './options.ts';

/** Returns the message about options that TypeScript would not accept. */
function problemOf(options: unknown): string {
  try {
    serverOptions(options as PartialOptions<ServerOptions>);
    return '';
  } catch (caught) {
    expect(caught).toBeInstanceOf(ConfigError);
    return (caught as ConfigError).message;
  }
}

describe('options of a program', () => {
  it.each([
    [{ datadir: 'x' }, 'unknown option datadir: did you mean dataDir?'],
    [{ serving: { prot: 0 } }, 'unknown option serving.prot: did you mean serving.port?'],
    [
      { authentication: { serviceAccounts: { isuers: [] } } },
      'unknown option authentication.serviceAccounts.isuers: did you mean authentication.serviceAccounts.issuers?',
    ],
    [{ colour: 'red' }, 'unknown option colour'],
    [{ toString: 1 }, 'unknown option toString'],
    [{ storage: 'disk' }, 'option storage: "disk" is not one of memory, lmdb, etcd'],
    [{ serving: { port: '0' } }, 'option serving.port must be a number, not "0"'],
    [{ serving: 6443 }, 'option serving must be an object, not 6443'],
    [{ serving: null }, 'option serving must be an object, not null'],
    [{ runtimeConfig: 'api/all=true' }, 'option runtimeConfig must be a list, not "api/all=true"'],
    [
      { authorizationModes: ['RBAC', 'Rbac'] },
      'option authorizationModes: "Rbac" is not one of AlwaysAllow, AlwaysDeny, RBAC, Node',
    ],
    ['memory', 'the options must be an object, not "memory"'],
  ])('%j are refused', (options, message) => {
    expect(problemOf(options)).toBe(message);
  });

  it('may be undefined, which means the default', () => {
    expect(serverOptions({ dataDir: undefined, serving: { port: undefined } } as never)).toEqual(serverOptions());
  });
});
