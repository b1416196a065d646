import { describe, expect, it } from 'vitest';
import { connectOptionsObject } from '../../../../server/endpoints/connect-options.ts';
import { builtInVersion } from '../../../shared/built-in.ts';

const version = (kind: string) => builtInVersion({ group: '', version: 'v1', kind, stored: false });

describe('the options of a connection', () => {
  it('have the query parameters in the types of the fields', () => {
    const params = new Map([
      ['command', ['sh', '-c']],
      ['stdin', ['true']],
      ['tty', ['False']],
      ['stdout', ['']],
      ['container', ['c']],
      ['other', ['x']],
    ]);
    expect(connectOptionsObject(version('PodExecOptions'), params, '')).toEqual({
      kind: 'PodExecOptions',
      apiVersion: 'v1',
      stdin: true,
      stdout: true,
      container: 'c',
      command: ['sh', '-c'],
    });
    expect(connectOptionsObject(version('PodPortForwardOptions'), new Map([['ports', ['80', '90']]]), '')).toEqual({
      kind: 'PodPortForwardOptions',
      apiVersion: 'v1',
      ports: [80, 90],
    });
  });

  it('have the path behind the subresource', () => {
    expect(connectOptionsObject(version('PodProxyOptions'), new Map(), 'a/b/')).toEqual({
      kind: 'PodProxyOptions',
      apiVersion: 'v1',
      path: '/a/b/',
    });
  });
});
