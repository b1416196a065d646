/** The world of kinds whose subresources need it: subresources are declared before there is one. Invariant: it is there before any request is. */
import { BugError } from '../base/errors.ts';
import type { KubeContext } from './kube-context.ts';

export class LateKubeContext {
  #world: KubeContext | undefined;

  attach(world: KubeContext): void {
    this.#world = world;
  }

  readonly get = (): KubeContext => {
    if (this.#world === undefined) throw new BugError('a subresource was asked before its server was put together');
    return this.#world;
  };
}
