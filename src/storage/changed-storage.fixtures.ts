/** A storage for tests in which some members are replaced. */
import type { Storage } from './storage.ts';

/** Members that are not in `changes` are those of `inner`. */
export function changedStorage(inner: Storage, changes: Partial<Storage>): Storage {
  return new Proxy(inner, {
    get: (target, name) => {
      if (Object.hasOwn(changes, name)) return changes[name as keyof Storage];
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
