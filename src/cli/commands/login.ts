import { api } from '#shared/api/index.ts'
import { parseAddress, parseProxy } from '../server/address.ts'
import { type Contexts, fileOf, readContexts, writeContexts } from '../server/contexts.ts'
import { openSession } from '../server/session.ts'
import { Failure, misuse } from '../terminal/failure.ts'
import { type Command, showDone, showList, type World } from './command.ts'

/** A name in a shell, a file and a sentence. */
const NAME = /^[\w.-]{1,40}$/

async function answerTo(world: World, question: string, isSecret = false): Promise<string> {
  const { terminal } = world
  if (!terminal.canAsk) {
    throw misuse('Nobody can be asked here: give --url, and the key in HUSHBOX_KEY.')
  }
  const answer = await (isSecret ? terminal.askSecret(question) : terminal.ask(question))
  return answer || answerTo(world, question, isSecret)
}

async function login(world: World): Promise<void> {
  const { given, env } = world
  const name = given.text('context') ?? 'default'
  if (!NAME.test(name)) throw misuse('A context is named by letters, digits, dots and dashes.')
  const stored = readContexts(env)
  const written = given.text('url') ?? env.HUSHBOX_URL ?? (await answerTo(world, 'Server: '))
  const url = parseAddress(written)
  const key = given.text('key') ?? env.HUSHBOX_KEY ?? (await answerTo(world, 'API key: ', true))
  if (!/^[!-~]{8,200}$/.test(key)) {
    throw misuse('That is not an API key. Make one in your settings; it begins with hbx_.')
  }
  const socks = given.text('socks')
  const proxy = socks === undefined ? undefined : parseProxy(socks)
  const me = await openSession({ url, key, proxy }).call(api.auth.me)
  writeContexts(env, {
    current: name,
    contexts: { ...stored.contexts, [name]: { url: url.origin, key, socks } },
  })
  const sentence = `Signed in to ${url.host} as ${me.username}. The key is in ${fileOf(env)}.`
  showDone(world, { context: name, url: url.origin, username: me.username }, sentence)
}

function known(contexts: Contexts, name: string): string {
  if (Object.hasOwn(contexts.contexts, name)) return name
  throw new Failure('notFound', `There is no context ${name}. See: hushbox context list`)
}

const CONTEXT = { name: { says: 'of a context' } }

export const loginCommands: Command[] = [
  {
    name: 'login',
    says: 'Sign in with an API key, made in your settings under API keys',
    flags: {
      url: { takes: 'address', says: 'of the server; also HUSHBOX_URL' },
      key: { takes: 'key', says: 'better in HUSHBOX_KEY: others on this machine see flags' },
    },
    examples: [
      'hushbox login',
      'hushbox login --url https://vps.example --context work',
      'hushbox login --url http://exampleexample.onion --socks 127.0.0.1:9050',
    ],
    calls: [api.auth.me],
    run: login,
  },
  {
    name: 'context list',
    says: 'The servers you are signed in to',
    examples: ['hushbox context list'],
    run(world) {
      const { current, contexts } = readContexts(world.env)
      const rows = Object.entries(contexts).map(([name, { url, socks }]) => ({
        name,
        url,
        socks: socks ?? null,
        isCurrent: name === current,
      }))
      showList(world, rows, {
        NAME: ({ name }) => name,
        SERVER: ({ url }) => url,
        SOCKS: ({ socks }) => socks,
        CURRENT: ({ isCurrent }) => isCurrent,
      })
    },
  },
  {
    name: 'context use',
    says: 'Choose the context of the commands that follow',
    takes: CONTEXT,
    examples: ['hushbox context use work'],
    run(world) {
      const stored = readContexts(world.env)
      const current = known(stored, world.given.values.name ?? '')
      writeContexts(world.env, { ...stored, current })
      showDone(world, { current }, `Using ${current}.`)
    },
  },
  {
    name: 'context remove',
    says: 'Forget a context and its key; revoke the key in your settings',
    takes: CONTEXT,
    examples: ['hushbox context remove work'],
    run(world) {
      const { current, contexts } = readContexts(world.env)
      const removed = known({ current, contexts }, world.given.values.name ?? '')
      const { [removed]: _, ...left } = contexts
      writeContexts(world.env, { current, contexts: left })
      showDone(world, { removed }, `Removed ${removed}.`)
    },
  },
]
