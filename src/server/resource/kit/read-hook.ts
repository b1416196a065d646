/**
 * The read hook of a declared resource: changes the objects that get, list, watch and the answers of writes contain,
 * per request.
 *
 * A watch with a read hook gets raw events from the store, one chunk per event. It encodes each after the hook has run.
 * Invariant: events keep their order, and the store is paused while a hook is running.
 */
import { type Status, StatusError, statusOf } from '../../../apimachinery/status/status.ts';
import { internalError } from '../../../apimachinery/status/status-catalogue.ts';
import { allocateBytes } from '../../../base/bytes.ts';
import { toError } from '../../../base/errors.ts';
import { writeJsonBytes } from '../../../base/json-write.ts';
import { andThen, isPromise, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { ChangeType, EventEncoding } from '../../../cache/cache.ts';
import { parseObject } from '../../registry/stored-object.ts';
import { delegateStore } from '../delegate-store.ts';
import type {
  DeleteAnswer,
  ListPage,
  ObjectBytes,
  ResourceContext,
  ResourceStore,
  ResourceWatch,
  ResourceWatchSink,
  WriteAnswer,
} from '../resource-store.ts';
import { type HookContext, HookRequest } from './hook-context.ts';
import type { KitHooks } from './kit-hooks.ts';

/** Wraps a store so that its answers pass the read hook. */
export function withReadHook(store: ResourceStore, hooks: KitHooks): ResourceStore {
  const { get, list, watch, create, update, delete: remove, deleteCollection } = store;
  return delegateStore(store, {
    get: get && ((context, options) => andThen(get.call(store, whole(context), options), hookOf(hooks, context))),
    list:
      list &&
      ((context, options) =>
        andThen(list.call(store, whole(context), options), (page) => hookedPage(page, hookOf(hooks, context)))),
    watch:
      watch &&
      ((context, request, sink) => {
        const shown = new HookedWatch(sink, request.encoding, hookOf(hooks, context));
        const started = watch.call(store, whole(context), { ...request, encoding: shown.encoding }, shown);
        return andThen(started, (inner) => shown.hold(inner));
      }),
    create:
      create &&
      ((context, object, request) =>
        andThen(create.call(store, context, object, request), (answer) => hookedWrite(answer, hookOf(hooks, context)))),
    update:
      update &&
      ((context, change, request) =>
        andThen(update.call(store, context, change, request), (answer) => hookedWrite(answer, hookOf(hooks, context)))),
    delete:
      remove &&
      ((context, request) =>
        andThen(remove.call(store, context, request), (answer) => hookedDelete(answer, hookOf(hooks, context)))),
    deleteCollection:
      deleteCollection &&
      ((context, request) =>
        andThen(deleteCollection.call(store, context, request), (page) => hookedPage(page, hookOf(hooks, context)))),
  });
}

type RunHook = (bytes: ObjectBytes) => MaybePromise<ObjectBytes>;

/** Returns a function that runs the read hook on the bytes of an object, for one request. */
function hookOf(hooks: KitHooks, context: ResourceContext): RunHook {
  const hookContext: HookContext = new HookRequest(context);
  return (bytes) =>
    andThen(hooks.read(parseObject(bytes, context.name), hookContext), (object) => writeJsonBytes(object));
}

/** The hook needs whole objects in the version of the request, even if the client gets only their metadata. */
function whole(context: ResourceContext): ResourceContext {
  return context.metadataOnly === true ? { ...context, metadataOnly: false } : context;
}

function hookedPage(page: ListPage, runHook: RunHook): MaybePromise<ListPage> {
  const items = page.items.map(runHook);
  if (items.some(isPromise)) return Promise.all(items).then((made) => ({ ...page, items: made }));
  return { ...page, items: items as ObjectBytes[] };
}

function hookedWrite(answer: WriteAnswer, runHook: RunHook): MaybePromise<WriteAnswer> {
  return answer.status === undefined ? andThen(runHook(answer.bytes), (bytes) => ({ ...answer, bytes })) : answer;
}

function hookedDelete(answer: DeleteAnswer, runHook: RunHook): MaybePromise<DeleteAnswer> {
  return answer.bytes === undefined ? answer : andThen(runHook(answer.bytes), (bytes) => ({ ...answer, bytes }));
}

const TYPES: readonly ChangeType[] = ['ADDED', 'MODIFIED', 'DELETED'];
/** The first byte of a chunk that is a bookmark, which is encoded already. */
const BOOKMARK = TYPES.length;

/** One watch between the store, whose sink it is, and the client's sink. */
class HookedWatch implements ResourceWatchSink, ResourceWatch {
  /** Encodes an event for `write`: one byte for its type, then the bytes of the object. */
  readonly encoding: EventEncoding;
  readonly #sink: ResourceWatchSink;
  readonly #client: EventEncoding;
  readonly #runHook: RunHook;
  #inner: ResourceWatch | undefined;
  /** Raw events that wait for the hook, or for the client. */
  #waiting: Uint8Array[] = [];
  #running = false;
  /** Whether the client's sink takes events. */
  #open = true;
  /** Whether the store was told to pause: `write` returned false. */
  #paused = false;
  #stopped = false;
  /** The end that the store has announced. It is passed on after the waiting events. */
  #end: { readonly error: Status | undefined } | undefined;

  constructor(sink: ResourceWatchSink, client: EventEncoding, runHook: RunHook) {
    this.#sink = sink;
    this.#client = client;
    this.#runHook = runHook;
    this.encoding = {
      key: `raw ${client.key}`,
      event: (type, bytes) => marked(TYPES.indexOf(type), bytes),
      bookmark: (revision, initialEventsEnd) => marked(BOOKMARK, client.bookmark(revision, initialEventsEnd)),
    };
  }

  hold(inner: ResourceWatch): ResourceWatch {
    this.#inner = inner;
    return this;
  }

  // ── The sink of the store ──────────────────────────────────────────────────────────────────────────────────────────

  write(chunks: readonly Uint8Array[]): boolean {
    this.#waiting.push(...chunks);
    this.#run();
    this.#paused = this.#waiting.length > 0 || !this.#open;
    return !this.#paused;
  }

  end(error: Status | undefined): void {
    this.#end = { error };
    this.#run();
  }

  // ── The watch of the client ────────────────────────────────────────────────────────────────────────────────────────

  drained(): void {
    this.#open = true;
    this.#run();
  }

  bookmark(): boolean {
    return this.#waiting.length === 0 && this.#open && this.#inner?.bookmark() === true;
  }

  stop(): void {
    this.#stopped = true;
    this.#waiting = [];
    this.#inner?.stop();
  }

  /** Sends waiting events until the client is full or a hook returns a promise. */
  #run(): void {
    if (this.#running) return;
    this.#running = true;
    while (this.#open && !this.#stopped) {
      const raw = this.#waiting[0];
      if (raw === undefined) break;
      let event: MaybePromise<Uint8Array>;
      try {
        event = this.#event(raw);
      } catch (caught) {
        this.#fail(caught);
        return;
      }
      if (isPromise(event)) {
        event.then(
          (made) => {
            this.#running = false;
            this.#send(made);
            this.#run();
          },
          (caught: unknown) => this.#fail(caught),
        );
        return;
      }
      this.#send(event);
    }
    this.#running = false;
    this.#settle();
  }

  #event(raw: Uint8Array): MaybePromise<Uint8Array> {
    const [mark = BOOKMARK] = raw;
    const bytes = raw.subarray(1);
    if (mark === BOOKMARK) return bytes;
    return andThen(this.#runHook(bytes), (shown) => this.#client.event(TYPES[mark] as ChangeType, shown));
  }

  #send(event: Uint8Array): void {
    if (this.#stopped) return;
    this.#waiting.shift();
    this.#open = this.#sink.write([event]);
  }

  /**
   * Called when all waiting events are sent, or the client is full. Passes on the end of the store, or resumes the
   * store.
   */
  #settle(): void {
    if (this.#stopped || this.#waiting.length > 0) return;
    if (this.#end !== undefined) {
      this.#stopped = true;
      this.#sink.end(this.#end.error);
    } else if (this.#open && this.#paused) {
      this.#paused = false;
      this.#inner?.drained();
    }
  }

  /** A hook that fails ends the watch with an ERROR event. */
  #fail(caught: unknown): void {
    this.#running = false;
    if (this.#stopped) return;
    this.stop();
    this.#sink.end(statusOf(caught) ?? new StatusError(internalError(toError(caught).message)).status);
  }
}

function marked(mark: number, bytes: Uint8Array): Uint8Array {
  const chunk = allocateBytes(bytes.byteLength + 1);
  chunk[0] = mark;
  chunk.set(bytes, 1);
  return chunk;
}
