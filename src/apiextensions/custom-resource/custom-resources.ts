/**
 * All custom resources: the handler of each plural of each group. Invariant: a served definition has exactly one
 * handler at any moment. A change of its spec or of its accepted names replaces the handler within one turn of the
 * event loop, so that every request finds one.
 */
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Answer } from '../../server/http/exchange.ts';
import type { ServerRequest } from '../../server/http/server-request.ts';
import type { CountedResource } from '../../server/resource/counted-resource.ts';
import { FIELD_RULES_ANNOTATION } from '../conversion/fields/field-rules.ts';
import type { Crd } from '../crd.ts';
import type { CrdChange } from '../crd-lister.ts';
import { isConditionTrue } from '../definition/crd-conditions.ts';
import { sameNames } from '../definition/naming.ts';
import { CustomHandler, type HandlerHost } from './custom-handler.ts';
import type { PublishedResources } from './published-resources.ts';

export class CustomResources {
  readonly #host: HandlerHost;
  readonly #published: PublishedResources;
  /** By group, then by plural. */
  readonly #groups = new Map<string, Map<string, CustomHandler>>();
  /** By the name of the definition, replaced handlers that still have running requests. */
  readonly #retiring = new Map<string, Set<CustomHandler>>();

  constructor(host: HandlerHost, published: PublishedResources) {
    this.#host = host;
    this.#published = published;
  }

  /** The listener for changes of definitions; see `CrdLister.follow`. */
  readonly changed = (changes: readonly CrdChange[]): void => {
    for (const { name, crd } of changes) this.#replace(name, crd !== undefined && isServed(crd) ? crd : undefined);
  };

  /** Returns undefined if there is no such resource. Throws, or rejects with, a StatusError. */
  serve(request: ServerRequest): MaybePromise<Answer> | undefined {
    const { apiGroup, resource } = request.info;
    return this.#groups.get(apiGroup)?.get(resource)?.serve(request);
  }

  /** Returns the handler of a served definition. */
  handlerOf(crd: Crd): CustomHandler | undefined {
    const handler = this.#groups.get(crd.group)?.get(crd.names.plural);
    return handler?.crd.uid === crd.uid ? handler : undefined;
  }

  /** The served resources, to be counted for metrics. */
  counted(): readonly CountedResource[] {
    return [...this.#groups.values()].flatMap((byPlural) =>
      [...byPlural.values()].map((handler) => ({
        group: handler.crd.group,
        resource: handler.crd.names.plural,
        count: () => handler.count(),
      })),
    );
  }

  /** Stops all handlers. Requests that are still running fail, so the caller waits for them first. */
  async stop(): Promise<void> {
    const handlers = [...this.#groups.values()].flatMap((byPlural) => [...byPlural.values()]);
    this.#groups.clear();
    const retiring = [...this.#retiring.values()].flatMap((those) => [...those]);
    await Promise.all([...handlers, ...retiring].map((handler) => handler.stop()));
  }

  #replace(name: string, next: Crd | undefined): void {
    const [plural, group] = splitName(name);
    const old = this.#groups.get(group)?.get(plural);
    if (old === undefined && next === undefined) return;
    const shown = old?.crd;
    if (old !== undefined && next !== undefined && isSame(old.crd, next)) {
      old.setStatus(next);
      if (showsTheSame(shown as Crd, next)) return;
    } else {
      const handler = next === undefined ? undefined : new CustomHandler(this.#host, next);
      this.#put(group, plural, handler);
      if (old !== undefined) this.#retire(name, old);
      this.#settle(name);
    }
    this.#published.replace(shown, next);
  }

  #put(group: string, plural: string, handler: CustomHandler | undefined): void {
    const handlers = this.#groups.get(group) ?? new Map<string, CustomHandler>();
    if (handler === undefined) handlers.delete(plural);
    else handlers.set(plural, handler);
    if (handlers.size === 0) this.#groups.delete(group);
    else this.#groups.set(group, handlers);
  }

  #retire(name: string, handler: CustomHandler): void {
    const retiring = this.#retiring.get(name) ?? new Set();
    this.#retiring.set(name, retiring.add(handler));
    handler.retire(() => {
      retiring.delete(handler);
      if (retiring.size > 0) return;
      this.#retiring.delete(name);
      this.#settle(name);
      this.#host.retired?.(handler.crd);
    });
  }

  /** Once no replaced handler is left, the present handler is the only writer of its objects. */
  #settle(name: string): void {
    const [plural, group] = splitName(name);
    if (!this.#retiring.has(name)) this.#groups.get(group)?.get(plural)?.settle();
  }
}

/** Splits `<plural>.<group>`. */
function splitName(name: string): readonly [plural: string, group: string] {
  const dot = name.indexOf('.');
  return [name.slice(0, dot), name.slice(dot + 1)];
}

/** A definition is served as soon as its names are accepted. */
function isServed(crd: Crd): boolean {
  const { plural, singular, kind, listKind } = crd.acceptedNames;
  if (plural === '' || singular === '' || kind === '' || listKind === '') return false;
  return isConditionTrue(crd, 'NamesAccepted') || isConditionTrue(crd, 'Established');
}

/**
 * Reports whether one handler can serve both. The generation covers the spec but not the field rules, which are an
 * annotation.
 */
function isSame(a: Crd, b: Crd): boolean {
  if (a.uid !== b.uid || a.generation !== b.generation || !sameNames(a.acceptedNames, b.acceptedNames)) return false;
  return a.annotations[FIELD_RULES_ANNOTATION] === b.annotations[FIELD_RULES_ANNOTATION];
}

function showsTheSame(a: Crd, b: Crd): boolean {
  return (['Established', 'Terminating'] as const).every(
    (type) => isConditionTrue(a, type) === isConditionTrue(b, type),
  );
}
