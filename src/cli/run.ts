import { findCommand, parseArguments } from './arguments.ts'
import type { Command, Given, World } from './commands/command.ts'
import { loginCommands } from './commands/login.ts'
import { packageCommands } from './commands/packages.ts'
import { serverCommands } from './commands/servers.ts'
import { shopCommands } from './commands/shop.ts'
import { backupCommands, snapshotCommands } from './commands/ways-back.ts'
import { completionCommand, completions } from './completion.ts'
import { helpOf, overview } from './help.ts'
import { parseAddress, parseProxy } from './server/address.ts'
import { readContexts } from './server/contexts.ts'
import { openSession, type Session } from './server/session.ts'
import { EXIT, Failure, misuse } from './terminal/failure.ts'
import type { Terminal } from './terminal/terminal.ts'

export const COMMANDS: readonly Command[] = [
  ...loginCommands,
  ...serverCommands,
  ...shopCommands,
  ...packageCommands,
  ...snapshotCommands,
  ...backupCommands,
  completionCommand,
]

type Surroundings = { env: World['env']; terminal: Terminal; version: string }

/** Runs one command line. Returns its exit code, and never throws. */
export async function run(argv: readonly string[], around: Surroundings): Promise<number> {
  try {
    await dispatch(argv, around)
    return EXIT.ok
  } catch (error) {
    const failure = error instanceof Failure ? error : new Failure('refused', faultOf(error))
    around.terminal.err(`hushbox: ${failure.message}\n`)
    return EXIT[failure.exit]
  }
}

const faultOf = (error: unknown) =>
  `This is a fault of hushbox itself: ${error instanceof Error ? error.message : String(error)}`

async function dispatch(argv: readonly string[], around: Surroundings): Promise<void> {
  const { terminal, env, version } = around
  const [first = '--help', ...others] = argv
  if (first === '--version') return terminal.out(`${version}\n`)
  if (first === '__complete') {
    return terminal.out(
      completions(COMMANDS, others)
        .map((word) => `${word}\n`)
        .join(''),
    )
  }
  const found = findCommand(COMMANDS, argv)
  if (!found) return terminal.out(helpFor(argv))
  const given = parseArguments(found.command, found.rest)
  if (given.has('help')) return terminal.out(helpOf(found.command))
  let session: Session | undefined
  await found.command.run({
    given,
    env,
    terminal,
    session() {
      session ??= openSession(accessOf(given, env))
      return session
    },
  })
}

/** Help for everything, a group or a command; anything else is no command. */
function helpFor(argv: readonly string[]): string {
  const words = argv.filter((word) => !['help', '--help', '-h'].includes(word))
  const group = words.join(' ')
  const known = findCommand(COMMANDS, words)
  if (known && known.rest.length === 0) return helpOf(known.command)
  const isGroup = group === '' || COMMANDS.some(({ name }) => name.startsWith(`${group} `))
  if (!isGroup) throw misuse(`There is no command ${group}. See: hushbox --help`)
  if (argv.length > 0 && words.length === argv.length) {
    throw misuse(`hushbox ${group} needs another word. See: hushbox ${group} --help`)
  }
  return overview(COMMANDS, group)
}

/** Which server, and with which key: the environment goes before the stored contexts. */
function accessOf(given: Given, env: World['env']) {
  const idempotencyKey = given.text('idempotency-key')
  const socks = given.text('socks')
  const wanted = given.text('context') ?? env.HUSHBOX_CONTEXT
  if (env.HUSHBOX_URL && env.HUSHBOX_KEY && wanted === undefined) {
    const proxy = socks ? parseProxy(socks) : undefined
    return { url: parseAddress(env.HUSHBOX_URL), key: env.HUSHBOX_KEY, proxy, idempotencyKey }
  }
  const { current, contexts } = readContexts(env)
  const name = wanted ?? current
  const context = Object.hasOwn(contexts, name) ? contexts[name] : undefined
  if (!context) {
    const where = wanted ? ` to ${wanted}` : ''
    throw new Failure('forbidden', `You are not signed in${where}. Run: hushbox login`)
  }
  const through = socks ?? context.socks
  return {
    url: parseAddress(context.url),
    key: context.key,
    proxy: through ? parseProxy(through) : undefined,
    idempotencyKey,
  }
}
