/** The exit codes of every command. docs/reference/commands.md is generated from them. */

export const EXIT_CODES = {
  ok: 0,
  failed: 1,
  unusable: 2,
} as const;

/** The meaning of each exit code, for the help and the reference. */
export const EXIT_CODE_MEANINGS: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT_CODES.ok, 'the command did what it should; a server stopped after a signal'],
  [EXIT_CODES.failed, 'the command failed or found a problem, or a second signal ended the server'],
  [EXIT_CODES.unusable, 'the command line, or a file, folder or port that it names, cannot be used; nothing was done'],
];
