/**
 * Post-start hooks: work that a server does once, after it has begun to listen and before it is ready. Each hook is
 * also the health check `poststarthook/<name>`, as in the reference.
 */
import { BugError, toError } from '../base/errors.ts';
import type { Health } from './health.ts';

export type PostStartHook = () => Promise<void>;

type HookState =
  | { readonly phase: 'pending' }
  | { readonly phase: 'done' }
  | { readonly phase: 'failed'; readonly reason: string };

const PENDING: HookState = { phase: 'pending' };
const DONE: HookState = { phase: 'done' };

interface Hook {
  readonly run: PostStartHook;
  state: HookState;
}

export class PostStartHooks {
  readonly #health: Health;
  readonly #hooks: Hook[] = [];
  #started = false;

  constructor(health: Health) {
    this.#health = health;
  }

  /**
   * Adds a hook. `names` are the checks that pass once the hook has finished: usually one, several where one hook does
   * the work of several hooks of the reference. Throws BugError after `start()`, and for a name that is taken.
   */
  add(names: readonly string[], run: PostStartHook): void {
    if (this.#started) throw new BugError(`post-start hook ${names.join(', ')} was added after the start`);
    const hook: Hook = { run, state: PENDING };
    this.#hooks.push(hook);
    for (const name of names)
      this.#health.addBootCheck({ name: `poststarthook/${name}`, check: () => problemOf(hook.state) });
  }

  /**
   * Runs all hooks at the same time, once. Rejects with the first failure; the check of a failed hook then names the
   * reason.
   */
  async start(): Promise<void> {
    if (this.#started) throw new BugError('post-start hooks run once');
    this.#started = true;
    await Promise.all(this.#hooks.map(runHook));
  }
}

async function runHook(hook: Hook): Promise<void> {
  try {
    await hook.run();
    hook.state = DONE;
  } catch (caught) {
    hook.state = { phase: 'failed', reason: toError(caught).message };
    throw caught;
  }
}

function problemOf(state: HookState): string | undefined {
  return state.phase === 'done' ? undefined : state.phase === 'failed' ? state.reason : 'not finished';
}
