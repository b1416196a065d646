/**
 * ListOptions of list, watch and deletecollection: decoded from a query, defaulted and validated with the reference's
 * rules. Selectors are parsed once, here.
 */

import { EVERY_FIELD, type FieldSelector, parseFieldSelector } from '../selectors/field-selector.ts';
import { EVERYTHING, type LabelSelector } from '../selectors/label-selector.ts';
import { parseLabelSelector } from '../selectors/label-selector-parse.ts';
import { declared, type FieldIssue, forbidden, notSupported } from '../validation/field-issue.ts';
import { FieldPath } from '../validation/field-path.ts';
import {
  boolParam,
  checkOptions,
  type DecodedOptions,
  intParam,
  type OptionsResult,
  textParam,
} from './options-decode.ts';
import type { QueryParams } from './query.ts';

export interface ListOptions {
  readonly labelSelector: LabelSelector;
  readonly fieldSelector: FieldSelector;
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly resourceVersion: string;
  /** After validation `Exact`, `NotOlderThan` or ''. */
  readonly resourceVersionMatch: string;
  readonly timeoutSeconds: number | bigint | undefined;
  /** 0 means no limit. */
  readonly limit: number | bigint;
  readonly continueToken: string;
  readonly sendInitialEvents: boolean | undefined;
  readonly shardSelector: string;
}

export interface ListRules {
  /** Whether a watch may begin with the current state (the reference's WatchList feature). Default true. */
  readonly watchList?: boolean;
}

export const DEFAULT_LIST_OPTIONS: ListOptions = {
  labelSelector: EVERYTHING,
  fieldSelector: EVERY_FIELD,
  watch: false,
  allowWatchBookmarks: false,
  resourceVersion: '',
  resourceVersionMatch: '',
  timeoutSeconds: undefined,
  limit: 0,
  continueToken: '',
  sendInitialEvents: undefined,
  shardSelector: '',
};

const MATCH = FieldPath.of('resourceVersionMatch');
const INITIAL_EVENTS = FieldPath.of('sendInitialEvents');

/** Decodes, defaults and validates. */
export function readListOptions(params: QueryParams, rules: ListRules = {}): OptionsResult<ListOptions> {
  if (params.size === 0) return { ok: true, value: DEFAULT_LIST_OPTIONS };
  const decoded = decodeListOptions(params);
  if (!decoded.ok) return decoded;
  const value = defaultListOptions(decoded.value, rules);
  return checkOptions({ ok: true, value }, (options) => validateListOptions(options, rules));
}

/**
 * Decodes without defaulting and validation. A malformed number is reported before a malformed selector, whatever their
 * order in the query.
 */
export function decodeListOptions(params: QueryParams): DecodedOptions<ListOptions> {
  if (params.size === 0) return { ok: true, value: DEFAULT_LIST_OPTIONS };
  const timeoutSeconds = intParam(params, 'timeoutSeconds');
  if (!timeoutSeconds.ok) return timeoutSeconds;
  const limit = intParam(params, 'limit');
  if (!limit.ok) return limit;
  const labelText = textParam(params, 'labelSelector');
  const labels = labelText === '' ? undefined : parseLabelSelector(labelText);
  if (labels?.ok === false) return labels;
  const fieldText = textParam(params, 'fieldSelector');
  const fields = fieldText === '' ? undefined : parseFieldSelector(fieldText);
  if (fields?.ok === false) return fields;
  return {
    ok: true,
    value: {
      labelSelector: labels?.selector ?? EVERYTHING,
      fieldSelector: fields?.selector ?? EVERY_FIELD,
      watch: boolParam(params, 'watch') ?? false,
      allowWatchBookmarks: boolParam(params, 'allowWatchBookmarks') ?? false,
      resourceVersion: textParam(params, 'resourceVersion'),
      resourceVersionMatch: textParam(params, 'resourceVersionMatch'),
      timeoutSeconds: timeoutSeconds.value,
      limit: limit.value ?? 0,
      continueToken: textParam(params, 'continue'),
      sendInitialEvents: boolParam(params, 'sendInitialEvents'),
      shardSelector: textParam(params, 'shardSelector'),
    },
  };
}

/** A watch from '' or `0` begins with the current state unless the query says otherwise, if the rules allow it. */
function defaultListOptions(options: ListOptions, { watchList = true }: ListRules = {}): ListOptions {
  const legacy = options.resourceVersion === '' || options.resourceVersion === '0';
  if (!watchList || !options.watch || !legacy) return options;
  if (options.sendInitialEvents !== undefined || options.resourceVersionMatch !== '') return options;
  return { ...options, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
}

function validateListOptions(options: ListOptions, rules: ListRules = {}): FieldIssue[] {
  return options.watch ? validateWatch(options, rules) : validateList(options);
}

function validateList({
  resourceVersionMatch,
  resourceVersion,
  continueToken,
  sendInitialEvents,
}: ListOptions): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (resourceVersionMatch !== '') {
    if (resourceVersion === '')
      issues.push(forbidden(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    if (continueToken !== '')
      issues.push(forbidden(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
    if (resourceVersionMatch !== 'Exact' && resourceVersionMatch !== 'NotOlderThan')
      issues.push(declared(notSupported(MATCH, resourceVersionMatch, ['Exact', 'NotOlderThan', ''])));
    if (resourceVersionMatch === 'Exact' && resourceVersion === '0')
      issues.push(forbidden(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  if (sendInitialEvents !== undefined)
    issues.push(forbidden(INITIAL_EVENTS, 'sendInitialEvents is forbidden for list'));
  return issues;
}

function validateWatch(options: ListOptions, { watchList = true }: ListRules): FieldIssue[] {
  const { resourceVersionMatch, continueToken, sendInitialEvents } = options;
  const issues: FieldIssue[] = [];
  if (sendInitialEvents !== undefined) {
    if (resourceVersionMatch !== 'NotOlderThan')
      issues.push(forbidden(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
    if (!watchList) {
      const detail = 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
      issues.push(forbidden(INITIAL_EVENTS, detail));
    }
  }
  if (resourceVersionMatch !== '') {
    if (sendInitialEvents === undefined)
      issues.push(forbidden(MATCH, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
    if (resourceVersionMatch !== 'NotOlderThan')
      issues.push(declared(notSupported(MATCH, resourceVersionMatch, ['NotOlderThan'])));
    if (continueToken !== '')
      issues.push(forbidden(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
  }
  return issues;
}
