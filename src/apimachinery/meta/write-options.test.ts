import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../base/json-value.ts';
import { formatLabelSelector } from '../selectors/label-selector.ts';
import { formatIssue } from '../validation/field-issue.ts';
import { DEFAULT_DELETE_OPTIONS, readDeleteOptions } from './delete-options.ts';
import { DEFAULT_LIST_OPTIONS, readListOptions } from './list-options.ts';
import { isMalformed, type OptionsResult } from './options-decode.ts';
import { parseQuery } from './query.ts';
import { isDryRun, readCreateOptions, readGetOptions, readPatchOptions, readUpdateOptions } from './write-options.ts';

function complaints<T>(result: OptionsResult<T>): string | readonly string[] {
  if (result.ok) return [];
  return isMalformed(result) ? result.message : result.issues.map(formatIssue);
}

function value<T>(result: OptionsResult<T>): T {
  if (!result.ok) throw new Error(String(complaints(result)));
  return result.value;
}

describe('list options', () => {
  const list = (query: string, watchList = true): ReturnType<typeof readListOptions> =>
    readListOptions(parseQuery(query), { watchList });

  it('are the defaults without a query', () => {
    expect(value(list(''))).toBe(DEFAULT_LIST_OPTIONS);
  });

  it('decode every parameter', () => {
    const options = value(
      list('labelSelector=a%3Db&limit=500&continue=t&timeoutSeconds=9223372036854775807&allowWatchBookmarks=true'),
    );
    expect(formatLabelSelector(options.labelSelector)).toBe('a=b');
    expect(options).toMatchObject({
      limit: 500,
      continueToken: 't',
      timeoutSeconds: 2n ** 63n - 1n,
      allowWatchBookmarks: true,
      watch: false,
    });
  });

  it.each([
    ['watch', true],
    ['watch=', true],
    ['watch=no', true],
    ['watch=False', false],
    ['watch=0', false],
    ['watch=0&watch=1', false],
  ])('take %s for %s', (query, watch) => {
    expect(value(list(query)).watch).toBe(watch);
  });

  it('refuse numbers and selectors that cannot be read', () => {
    expect(complaints(list('limit=x'))).toBe('strconv.ParseInt: parsing "x": invalid syntax');
    expect(complaints(list('labelSelector=%3D&timeoutSeconds='))).toBe('strconv.ParseInt: parsing "": invalid syntax');
    expect(complaints(list('limit=9223372036854775808'))).toBe(
      'strconv.ParseInt: parsing "9223372036854775808": value out of range',
    );
    expect(complaints(list('fieldSelector=a'))).toBe("invalid selector: 'a'; can't understand 'a'");
  });

  it('check resourceVersionMatch of lists', () => {
    expect(complaints(list('resourceVersionMatch=Exact&resourceVersion=5'))).toEqual([]);
    expect(complaints(list('resourceVersionMatch=foo&continue=x&sendInitialEvents=true'))).toEqual([
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
      'resourceVersionMatch: Unsupported value: "foo": supported values: "Exact", "NotOlderThan", ""',
      'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    ]);
    expect(complaints(list('resourceVersionMatch=Exact&resourceVersion=0'))).toEqual([
      'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ]);
  });

  it('check the options of watches', () => {
    expect(complaints(list('watch=1&resourceVersion=5&resourceVersionMatch=NotOlderThan'))).toEqual([
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ]);
    expect(complaints(list('watch=1&sendInitialEvents=1&resourceVersionMatch=Exact&continue=c', false))).toEqual([
      'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
      'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
      'resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"',
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
    ]);
  });

  it('let a watch without a resourceVersion begin with the current state, if allowed', () => {
    const initial = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
    expect(value(list('watch=1&resourceVersion=0'))).toMatchObject(initial);
    expect(value(list('watch=1&resourceVersion=5')).sendInitialEvents).toBeUndefined();
    expect(value(list('watch=1', false)).sendInitialEvents).toBeUndefined();
  });
});

describe('write options', () => {
  it('decode for get, create and update', () => {
    expect(readGetOptions(parseQuery('resourceVersion=7')).resourceVersion).toBe('7');
    const options = value(readCreateOptions(parseQuery('dryRun=All&fieldManager=me&fieldValidation=Strict')));
    expect(options).toEqual({ dryRun: ['All'], fieldManager: 'me', fieldValidation: 'Strict' });
    expect(isDryRun(options)).toBe(true);
    expect(isDryRun(value(readUpdateOptions(parseQuery(''))))).toBe(false);
  });

  it('are checked', () => {
    expect(
      complaints(readUpdateOptions(parseQuery('dryRun=All&dryRun=x&fieldManager=a%01&fieldValidation=strict'))),
    ).toEqual([
      'fieldManager: Invalid value: "a\\x01": invalid character U+0001 (at position 1)',
      'dryRun: Unsupported value: ["All","x"]: supported values: "All"',
      'fieldValidation: Unsupported value: "strict": supported values: "", "Ignore", "Strict", "Warn"',
    ]);
    expect(complaints(readCreateOptions(parseQuery(`fieldManager=${'x'.repeat(129)}`)))).toEqual([
      'fieldManager: Too long: may not be more than 128 bytes',
    ]);
  });

  it('demand a manager for apply and forbid force elsewhere', () => {
    expect(complaints(readPatchOptions(parseQuery(''), true))).toEqual([
      'fieldManager: Required value: is required for apply patch',
    ]);
    expect(complaints(readPatchOptions(parseQuery('force=false'), false))).toEqual([
      'force: Forbidden: may not be specified for non-apply patch',
    ]);
    expect(value(readPatchOptions(parseQuery('force=1&fieldManager=m'), true)).force).toBe(true);
  });
});

describe('delete options', () => {
  const fromQuery = (query: string): ReturnType<typeof readDeleteOptions> =>
    readDeleteOptions(parseQuery(query), undefined, { unsafeDeletion: true });
  const fromBody = (body: JsonValue): ReturnType<typeof readDeleteOptions> =>
    readDeleteOptions(parseQuery('uid=q'), body);

  it('come from the query if there is no body', () => {
    expect(value(readDeleteOptions(parseQuery(''), undefined))).toBe(DEFAULT_DELETE_OPTIONS);
    expect(value(fromQuery('gracePeriodSeconds=0&propagationPolicy=Orphan&uid=u&resourceVersion='))).toEqual({
      ...DEFAULT_DELETE_OPTIONS,
      gracePeriodSeconds: 0,
      propagationPolicy: 'Orphan',
      preconditions: { uid: 'u', resourceVersion: undefined },
    });
  });

  it('come from the body alone if there is one', () => {
    const body = {
      apiVersion: 'apps/v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: 9007199254740993n,
      preconditions: { resourceVersion: '3' },
      dryRun: ['All'],
      orphanDependents: null,
      unknown: 1,
      ignoreStoreReadErrorWithClusterBreakingPotential: true,
    };
    expect(value(fromBody(body))).toEqual({
      ...DEFAULT_DELETE_OPTIONS,
      gracePeriodSeconds: 9007199254740993n,
      preconditions: { uid: undefined, resourceVersion: '3' },
      dryRun: ['All'],
    });
    expect(value(fromBody(null))).toEqual(DEFAULT_DELETE_OPTIONS);
  });

  it.each<[JsonValue, string]>([
    [{ gracePeriodSeconds: 1.5 }, 'number 1.5 into Go struct field DeleteOptions.gracePeriodSeconds of type int64'],
    [{ orphanDependents: 'x' }, 'string into Go struct field DeleteOptions.orphanDependents of type bool'],
    [{ dryRun: {}, orphanDependents: 1 }, 'object into Go struct field DeleteOptions.dryRun of type []string'],
    [{ dryRun: [1] }, 'number into Go struct field DeleteOptions.dryRun of type string'],
    [{ preconditions: { uid: 5 } }, 'number into Go struct field Preconditions.preconditions.uid of type types.UID'],
    [
      { propagationPolicy: [] },
      'array into Go struct field DeleteOptions.propagationPolicy of type v1.DeletionPropagation',
    ],
  ])('refuse %j', (body, message) => {
    expect(complaints(fromBody(body))).toBe(`json: cannot unmarshal ${message}`);
  });

  it('refuse another kind and values that are not objects', () => {
    expect(complaints(fromBody({ kind: 'Pod', apiVersion: 'v1' }))).toMatch(
      /^no kind "Pod" is registered for version "v1"/,
    );
    expect(complaints(fromBody({ apiVersion: 'a/b/c' }))).toBe('unexpected GroupVersion string: a/b/c');
    expect(complaints(fromBody({ kind: 5 }))).toMatch(/into Go struct field \.kind of type string$/);
    expect(complaints(fromBody([]))).toMatch(
      /^couldn't get version\/kind; json parse error: json: cannot unmarshal array/,
    );
  });

  it('are checked', () => {
    expect(complaints(fromQuery('orphanDependents=1&propagationPolicy=x&dryRun=y'))).toEqual([
      'propagationPolicy: Invalid value: "x": orphanDependents and deletionPropagation cannot be both set',
      'propagationPolicy: Unsupported value: "x": supported values: "Foreground", "Background", "Orphan", "nil"',
      'dryRun: Unsupported value: ["y"]: supported values: "All"',
    ]);
    expect(complaints(fromQuery('ignoreStoreReadErrorWithClusterBreakingPotential=1&dryRun=All&uid=u'))).toEqual([
      'ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: cannot be set together with .dryRun',
      'ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: cannot be set together with .preconditions',
    ]);
  });
});
