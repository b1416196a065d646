#!/usr/bin/env node
/** The `keelson` command. */
import { basename } from 'node:path';
import { runCommand } from './program.ts';

// Node does not resolve a link in argv[1]: a link named kube-apiserver runs the command of that name.
const [, path = '', ...args] = process.argv;
process.exitCode = await runCommand(basename(path) === 'kube-apiserver' ? ['kube-apiserver', ...args] : args);
// Ends the process after a second even if a handle is still open.
setTimeout(() => process.exit(), 1_000).unref();
