/** The authenticated user of a request. It is set once by authentication and never modified. An absent text is ''. */
export interface UserInfo {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}
