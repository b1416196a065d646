/**
 * The list verb.
 * Invariant: all pages of one list show one revision. If the revision of a page is no longer known, the answer is a 410
 * with a token that continues at the current state.
 */
import type { ListOptions } from '../../apimachinery/meta/list-options.ts';
import type { FieldSelector } from '../../apimachinery/selectors/field-selector.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { badRequest, expired } from '../../apimachinery/status/status-catalogue.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { CacheList, CacheListOptions, FormKey } from '../../cache/cache.ts';
import type { Revision } from '../../storage/storage.ts';
import type { ListPage, ResourceContext } from '../resource/resource-store.ts';
import { ANY_REVISION, decodeContinue, encodeContinue } from './continue-token.ts';
import { listHistory } from './list-history.ts';
import { type ListScope, listScope } from './list-scope.ts';
import { listRevision } from './resource-version.ts';
import { answering } from './storage-status.ts';
import type { StoreCore } from './store-core.ts';
import { waitFor } from './store-read.ts';

const TOO_OLD = 'The resourceVersion for the provided list is too old.';
const INCONSISTENT =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue ' +
  'token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, ' +
  'modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** The decoded request of a list. */
interface ListPlan {
  readonly scope: ListScope;
  readonly fields: FieldSelector;
  /** The state to list: the newest one (`fresh`), one at or above a revision, or exactly one revision. */
  readonly state: 'fresh' | { readonly atLeast: Revision } | { readonly exactly: Revision };
  /** The whole key at which the page starts; undefined for the first page. */
  readonly start: string | undefined;
  /** 0 for no limit. */
  readonly limit: number;
  /** The revision as the client has sent it, for messages. */
  readonly text: string | Revision;
}

export function listObjects(core: StoreCore, context: ResourceContext, options: ListOptions): MaybePromise<ListPage> {
  return answering(core.resourceName(context), 'list', () =>
    core.whenReady(() => {
      const plan = planList(core, context, options);
      return andThen(runList(core, context, plan), (list) => pageOf(plan, list));
    }),
  );
}

function planList(core: StoreCore, context: ResourceContext, options: ListOptions): ListPlan {
  const scope = listScope(core.keys, context.namespace, options);
  const { fieldSelector: fields } = options;
  const { resourceVersion: text, resourceVersionMatch: match } = options;
  const limit = options.limit > 0 && !scope.single ? Number(options.limit) : 0;
  if (options.continueToken !== '') {
    const token = decodeContinue(scope.prefix, options.continueToken);
    if (text !== '' && text !== '0')
      throw new StatusError(badRequest('specifying resource version is not allowed when using continue'));
    const state = token.revision > 0 ? { exactly: token.revision } : 'fresh';
    // A list with resourceVersion 0 has no pages, so a token selects all remaining objects.
    return { scope, fields, state, start: token.start, limit: text === '0' ? 0 : limit, text: token.revision };
  }
  const revision = listRevision(text);
  if (text === '') return { scope, fields, state: 'fresh', start: undefined, limit, text };
  const exact = match === 'Exact' || (match === '' && limit > 0 && revision > 0);
  const state = exact ? { exactly: revision } : { atLeast: revision };
  // A list at resourceVersion 0 has no pages, as in kube-apiserver.
  return { scope, fields, state, start: undefined, limit: revision === 0 ? 0 : limit, text };
}

function runList(core: StoreCore, context: ResourceContext, plan: ListPlan): MaybePromise<CacheList> {
  const { state } = plan;
  if (state === 'fresh') {
    return andThen(core.cache.waitFresh(), (reached) => {
      if (reached.outcome === 'ok') return listPresent(core, context, plan);
      // The cache is too far behind, or has lost its storage watch: read from storage, as kube-apiserver does.
      return andThen(core.storage.revision(), (revision) => listExactly(core, context, plan, revision));
    });
  }
  const revision = 'exactly' in state ? state.exactly : state.atLeast;
  const ready = core.cache.revision >= revision ? undefined : waitFor(core, revision, plan.text);
  return andThen(ready, () =>
    'exactly' in state ? listExactly(core, context, plan, revision) : listPresent(core, context, plan),
  );
}

function listPresent(core: StoreCore, context: ResourceContext, plan: ListPlan): MaybePromise<CacheList> {
  const { range, filter } = plan.scope;
  const form = core.formForRequest(context, plan.fields);
  const list = core.cache.list(range, cacheOptions(plan, form));
  const showsAll = plan.limit === 0 && plan.start === undefined && filter === undefined;
  if (!showsAll || form !== core.versions.hubForm) return list;
  return andThen(list, (shown) => {
    core.noteShown(range, shown);
    return shown;
  });
}

function cacheOptions(plan: ListPlan, form: FormKey | undefined): CacheListOptions {
  const { filter } = plan.scope;
  return {
    limit: plan.limit,
    ...(plan.start === undefined ? {} : { start: plan.start }),
    ...(filter === undefined ? {} : { filter }),
    ...(form === undefined ? {} : { form }),
  };
}

function listExactly(
  core: StoreCore,
  context: ResourceContext,
  plan: ListPlan,
  revision: Revision,
): MaybePromise<CacheList> {
  const options = cacheOptions(plan, core.formForRequest(context, plan.fields, revision));
  const at = core.cache.snapshotAt(revision);
  if (at.outcome === 'ok') return at.snapshot.list(plan.scope.range, options);
  return andThen(listHistory(core, plan.scope.range, revision, options), (list) => {
    if (list !== undefined) return list;
    if (plan.start === undefined) throw new StatusError(expired(TOO_OLD));
    const continueToken = encodeContinue(plan.scope.prefix, { revision: ANY_REVISION, start: plan.start });
    throw new StatusError(expired(INCONSISTENT, { continueToken }));
  });
}

function pageOf({ scope }: ListPlan, { revision, items, next, remaining }: CacheList): ListPage {
  return {
    resourceVersion: String(revision),
    continueToken: next === undefined ? '' : encodeContinue(scope.prefix, { revision, start: next }),
    // With a selector, the number of remaining objects is not known.
    remaining: next === undefined ? undefined : remaining,
    items,
  };
}
