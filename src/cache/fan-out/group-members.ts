/**
 * The watchers of a group, in three lists by what a dispatch does with them. Adding, removing and moving cost O(1).
 * Invariant: a watcher with place P and slot S is at index S of list P, and in no other list.
 */
import type { EventSink } from '../cache.ts';

export type Place =
  /** In no list: still catching up, or ended. */
  | 'none'
  /** A dispatch writes to its sink directly. */
  | 'ready'
  /** A dispatch puts its batches into the queue. */
  | 'waiting'
  /** A dispatch hands it only the batches above its `after`. */
  | 'late';

export interface Member {
  readonly sink: EventSink;
  /** Changed by `GroupMembers` only, as is `slot`. */
  place: Place;
  slot: number;
}

/** Stands in for the sink of a member that left in the middle of a dispatch. */
const NO_SINK: EventSink = { write: () => true, end: () => {} };

export class GroupMembers<M extends Member> {
  readonly ready: M[] = [];
  /** The sinks of `ready`, at the same indexes, so that a dispatch touches nothing else. */
  readonly sinks: EventSink[] = [];
  readonly waiting: M[] = [];
  readonly late: M[] = [];
  /** The number of members in all lists. */
  size = 0;

  /** A copy: members may leave while it is used. */
  all(): M[] {
    return [...this.ready, ...this.waiting, ...this.late];
  }

  /**
   * Moves a member. The last one of the list that it leaves takes its slot, so that list must not be iterated
   * meanwhile.
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

  /** A dispatch that is under way does not reach the member's sink any more. */
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
