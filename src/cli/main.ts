#!/usr/bin/env node
/** The `keelson` command. */
import { runCommand } from './program.ts';

process.exitCode = await runCommand(process.argv.slice(2));
// Whatever is still open then, a server that has stopped is over.
setTimeout(() => process.exit(), 1_000).unref();
