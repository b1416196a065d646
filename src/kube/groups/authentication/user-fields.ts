/** The UserInfo of authentication.k8s.io/v1. */
import type { UserInfo } from '../../../apimachinery/meta/user-info.ts';
import { type JsonObject, setField } from '../../../base/json-value.ts';

/** Returns the JSON form of a user. Empty fields are absent, and the keys of `extra` are sorted. */
export function userFields(user: UserInfo): JsonObject {
  const extra: JsonObject = {};
  for (const key of Object.keys(user.extra).sort()) setField(extra, key, [...(user.extra[key] ?? [])]);
  return {
    ...(user.name === '' ? undefined : { username: user.name }),
    ...(user.uid === '' ? undefined : { uid: user.uid }),
    ...(user.groups.length === 0 ? undefined : { groups: [...user.groups] }),
    ...(Object.keys(extra).length === 0 ? undefined : { extra }),
  };
}
