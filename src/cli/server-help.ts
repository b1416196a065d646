/** The text of `keelson --help`: commands, then the flags in kube-apiserver's groups. */
import { EXIT_CODE_MEANINGS } from './exit-codes.ts';
import { referenceFlags } from './reference-flags.ts';
import type { ServerFlag } from './server-flag.ts';
import { SERVER_FLAGS } from './server-flags.ts';

export function serverHelp(commands: readonly (readonly [usage: string, what: string])[]): string {
  const width = Math.max(...SERVER_FLAGS.map((flag) => usageOf(flag).length)) + 2;
  const commandWidth = Math.max(...commands.map(([usage]) => usage.length)) + 2;
  const groups = new Map<string, ServerFlag[]>();
  for (const flag of SERVER_FLAGS) groups.set(flag.group, [...(groups.get(flag.group) ?? []), flag]);
  const effective = new Set(SERVER_FLAGS.map(({ name }) => name));
  const others = [...referenceFlags().keys()].filter((name) => !effective.has(name)).length;
  const lines = ['The Kubernetes API without the cluster.', '', 'Usage:'];
  for (const [usage, what] of commands) lines.push(`  ${usage.padEnd(commandWidth)}${what}`);
  lines.push('', '"keelson help COMMAND" prints the flags of a command and an example.', '', 'Examples:');
  lines.push('  # listen on 127.0.0.1:6443 and keep everything in .keelson', '  keelson');
  lines.push('  # listen on any free port and store nothing on disk', '  keelson --secure-port=0 --storage=memory');
  for (const [group, flags] of groups) {
    lines.push('', `${group} flags:`);
    for (const flag of flags) lines.push(`  ${usageOf(flag).padEnd(width)}${flag.help}`);
  }
  lines.push('', 'Global flags:');
  lines.push(`  ${'-h, --help'.padEnd(width)}print this help`);
  lines.push(
    `  ${'    --version[=VERSION]'.padEnd(width)}print the version; with =v1.36.3-NAME start, and report this version to clients`,
  );
  lines.push(
    '',
    `The other ${others} flags of kube-apiserver 1.36 are accepted and have no effect; the server logs which of them were given.`,
  );
  lines.push('', 'Exit codes:');
  for (const [code, meaning] of EXIT_CODE_MEANINGS) lines.push(`  ${code}  ${meaning}`);
  return lines.join('\n');
}

function usageOf({ name, type }: ServerFlag): string {
  const long = name === 'v' ? '-v, --v' : `    --${name}`;
  return type === 'bool' ? long : `${long} ${type}`;
}
