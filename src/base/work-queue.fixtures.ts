/** A work queue on a virtual clock for tests. */
import { VirtualClock } from './virtual-clock.ts';
import { WorkQueue } from './work-queue.ts';

export function createQueue(): { readonly clock: VirtualClock; readonly queue: WorkQueue } {
  const clock = new VirtualClock();
  return { clock, queue: new WorkQueue({ clock }) };
}

/** Takes every key that is ready, and marks it as done. */
export async function takeAll(queue: WorkQueue): Promise<string[]> {
  const taken: string[] = [];
  while (queue.length > 0) {
    const key = (await queue.get()) as string;
    taken.push(key);
    queue.done(key);
  }
  return taken;
}
