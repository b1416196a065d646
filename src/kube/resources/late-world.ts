/** The world of kinds whose subresources need it: subresources are declared before there is one. Invariant: it is there before any request is. */
import { BugError } from '../../base/errors.ts';
import type { KubeWorld } from '../kube-world.ts';

export class LateWorld {
  #world: KubeWorld | undefined;

  attach(world: KubeWorld): void {
    this.#world = world;
  }

  readonly get = (): KubeWorld => {
    if (this.#world === undefined) throw new BugError('a subresource was asked before its server was put together');
    return this.#world;
  };
}
