/**
 * The watchers of a group, in three lists: one for each way in which a dispatch treats a watcher. Adding, removing and
 * moving cost O(1).
 * Invariant: a watcher with place P and slot S is at index S of list P, and in no other list.
 */
import type { EventSink } from '../cache.ts';

export type Place =
  /** In no list: still catching up, or ended. */
  | 'none'
  /** A dispatch writes to the sink of the watcher directly. */
  | 'ready'
  /** A dispatch adds its batches to the queue of the watcher. */
  | 'waiting'
  /** A dispatch passes only batches above the `after` of the watcher. */
  | 'late';

export interface Member {
  readonly sink: EventSink;
  /** `place` and `slot` are changed by `GroupMembers` only. */
  place: Place;
  slot: number;
}

/** Replaces the sink of a member that leaves during a dispatch. */
const NO_SINK: EventSink = { write: () => true, end: () => {} };

export class GroupMembers<M extends Member> {
  readonly ready: M[] = [];
  /** The sinks of `ready`, at the same indexes. A dispatch to ready members reads only this array. */
  readonly sinks: EventSink[] = [];
  readonly waiting: M[] = [];
  readonly late: M[] = [];
  /** The number of members in all lists. */
  size = 0;

  /** Returns a copy of all members, because members may leave while the caller iterates. */
  all(): M[] {
    return [...this.ready, ...this.waiting, ...this.late];
  }

  /**
   * Moves a member to another list. The last member of its old list takes its slot, so the old list must not be
   * iterated meanwhile.
   */
  put(member: M, place: Place): void {
    if (member.place === place) return;
    this.#remove(member);
    member.place = place;
    if (place === 'none') return;
    this.size++;
    const list = this.#list(place);
    member.slot = list.length;
    list.push(member);
    if (place === 'ready') this.sinks.push(member.sink);
  }

  /** Makes sure that the current dispatch does not call the sink of the member any more. */
  mute(member: M): void {
    if (member.place === 'ready') this.sinks[member.slot] = NO_SINK;
  }

  #remove(member: M): void {
    const { place, slot } = member;
    if (place === 'none') return;
    this.size--;
    const list = this.#list(place);
    const last = list.pop()!;
    const lastSink = place === 'ready' ? this.sinks.pop()! : undefined;
    if (last === member) return;
    list[slot] = last;
    last.slot = slot;
    if (lastSink !== undefined) this.sinks[slot] = lastSink;
  }

  #list(place: Exclude<Place, 'none'>): M[] {
    return place === 'ready' ? this.ready : place === 'waiting' ? this.waiting : this.late;
  }
}
