import { describe, expect, it } from 'vitest';
import type { EventSink } from '../cache.ts';
import { GroupMembers, type Member, type Place } from './group-members.ts';

class TestMember implements Member {
  readonly name: string;
  place: Place = 'none';
  slot = 0;
  writes = 0;
  readonly sink: EventSink = {
    write: () => {
      this.writes++;
      return true;
    },
    end: () => {},
  };

  constructor(name: string) {
    this.name = name;
  }
}

function filled(place: Place): { members: GroupMembers<TestMember>; all: TestMember[] } {
  const members = new GroupMembers<TestMember>();
  const all = ['a', 'b', 'c'].map((name) => new TestMember(name));
  for (const member of all) members.put(member, place);
  return { members, all };
}

const names = (list: readonly TestMember[]): string => list.map(({ name }) => name).join('');

describe('the members of a group', () => {
  it.each(['ready', 'waiting', 'late'] as const)(
    'are added to, and removed from, the list of those that are %s',
    (place) => {
      const { members, all } = filled(place);
      expect([members.size, names(members[place])]).toEqual([3, 'abc']);
      members.put(all[0]!, 'none');
      expect([members.size, names(members[place])]).toEqual([2, 'cb']);
      members.put(all[1]!, 'none');
      members.put(all[2]!, 'none');
      expect([members.size, names(members.all())]).toEqual([0, '']);
    },
  );

  it('know their slots, and their sinks are at the same slots', () => {
    const { members, all } = filled('ready');
    members.put(all[0]!, 'waiting');
    members.put(all[0]!, 'ready');
    expect(names(members.ready)).toBe('cba');
    for (const [slot, member] of members.ready.entries()) {
      expect(member.slot).toBe(slot);
      expect(members.sinks[slot]).toBe(member.sink);
    }
  });

  it('stay where they are if they are put there again', () => {
    const { members, all } = filled('waiting');
    members.put(all[0]!, 'waiting');
    expect([members.size, names(members.waiting)]).toEqual([3, 'abc']);
  });

  it('are not written to once they are muted, also when they change their slot', () => {
    const { members, all } = filled('ready');
    members.mute(all[2]!);
    members.put(all[0]!, 'waiting');
    for (const sink of members.sinks) sink.write([]);
    expect(all.map(({ writes }) => writes)).toEqual([0, 1, 0]);
    members.put(all[2]!, 'none');
    expect(members.sinks).toEqual([all[1]!.sink]);
  });

  it('are muted only where sinks are written to directly', () => {
    const { members, all } = filled('late');
    members.mute(all[0]!);
    expect(members.sinks).toEqual([]);
  });
});
