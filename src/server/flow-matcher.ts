/** Which flow a request belongs to: what answers say of it, and who finds out. Invariant: the matcher is asked for every request, so it neither waits nor lists anything. */
import type { UserInfo } from '../apimachinery/meta/user-info.ts';
import type { RequestInfo } from './http/request-info.ts';

/** The uids of the objects that decide about the request; '' for one that does not exist. */
export interface Flow {
  readonly schemaUid: string;
  readonly priorityLevelUid: string;
}

export interface FlowMatcher {
  /** Undefined as long as nobody knows, and answers say nothing then. */
  match(user: UserInfo, info: RequestInfo): Flow | undefined;
}
