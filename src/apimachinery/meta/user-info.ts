/** The caller, as authentication established it. Invariant: plain data that nobody changes afterwards; an absent text is ''. */
export interface UserInfo {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}
