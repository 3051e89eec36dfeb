import { run } from './run.ts'
import { processTerminal } from './terminal/terminal.ts'

/** Replaced by vite.cli.config.ts. */
declare const HUSHBOX_VERSION: string

// A reader that has seen enough, such as `head`, is not a failure.
process.stdout.on('error', () => process.exit(0))

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  terminal: processTerminal(),
  version: HUSHBOX_VERSION,
})
