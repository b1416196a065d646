/** The sentence about an invalid command line, made from commander's message. */

const SUGGESTION = /\n?\(Did you mean (?:one of )?(.+?)\?\)/;

/** Turns `error: unknown option '--x'\n(Did you mean --y?)` into one line that names the program. */
export function usageErrorText(text: string, command: string): string {
  const message = text.trim().replace(/^error: /, '');
  const suggested = SUGGESTION.exec(message)?.[1];
  const what = message.replace(SUGGESTION, '').replaceAll("'", '"').replace(/\.$/, '');
  return `keelson: ${what}: ${suggested === undefined ? `"${helpLine(command)}" shows the usage` : `did you mean ${suggested}?`}`;
}

function helpLine(command: string): string {
  return command.replace(/^keelson/, 'keelson help');
}
