/** The text of `keelson --help`: commands, then the flags in kube-apiserver's groups. */
import { referenceFlags } from './reference-flags.ts';
import type { ServerFlag } from './server-flag.ts';
import { SERVER_FLAGS } from './server-flags.ts';

const COMMANDS: readonly (readonly [usage: string, what: string])[] = [
  ['keelson [FLAGS]', 'start the server'],
  ['keelson kubeconfig --user NAME', 'sign a client certificate and print a kubeconfig'],
  ['keelson doctor [FLAGS]', 'check whether a server with these flags could start'],
  ['keelson storage verify FOLDER', 'check every record of a data folder'],
  ['keelson crd check FILE...', 'check custom resource definitions without a server'],
  ['keelson crd types FILE... -o DIR', 'write TypeScript types of custom resources'],
  ['keelson version', 'print the version of Keelson and of Node'],
];

export function serverHelp(): string {
  const width = Math.max(...SERVER_FLAGS.map((flag) => usageOf(flag).length)) + 2;
  const groups = new Map<string, ServerFlag[]>();
  for (const flag of SERVER_FLAGS) groups.set(flag.group, [...(groups.get(flag.group) ?? []), flag]);
  const effective = new Set(SERVER_FLAGS.map(({ name }) => name));
  const others = [...referenceFlags().keys()].filter((name) => !effective.has(name)).length;
  const lines = ['The Kubernetes API without the cluster.', '', 'Usage:'];
  for (const [usage, what] of COMMANDS) lines.push(`  ${usage.padEnd(34)}${what}`);
  for (const [group, flags] of groups) {
    lines.push('', `${group} flags:`);
    for (const flag of flags) lines.push(`  ${usageOf(flag).padEnd(width)}${flag.help}`);
  }
  lines.push('', 'Global flags:');
  lines.push(`  ${'-h, --help'.padEnd(width)}print this help`);
  lines.push(`  ${'    --version'.padEnd(width)}print the version`);
  lines.push(
    '',
    `The other ${others} flags of kube-apiserver 1.36 are accepted and have no effect; the server logs which of them were given.`,
  );
  return lines.join('\n');
}

function usageOf({ name, type }: ServerFlag): string {
  const long = name === 'v' ? '-v, --v' : `    --${name}`;
  return type === 'bool' ? long : `${long} ${type}`;
}
