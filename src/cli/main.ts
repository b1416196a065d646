#!/usr/bin/env node
/** The `keelson` command. */
import { basename } from 'node:path';
import { runCommand } from './program.ts';

// The name of the file or link that was started: node does not resolve links here.
const [, path = '', ...args] = process.argv;
process.exitCode = await runCommand(basename(path) === 'kube-apiserver' ? ['kube-apiserver', ...args] : args);
// Ends the process even if a handle is still open.
setTimeout(() => process.exit(), 1_000).unref();
