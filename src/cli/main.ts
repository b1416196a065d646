#!/usr/bin/env node
/** The `keelson` command. */
import { runCommand } from './program.ts';

process.exitCode = await runCommand(process.argv.slice(2));
// Ends the process even if a handle is still open.
setTimeout(() => process.exit(), 1_000).unref();
