import { api } from '#shared/api/index.ts'
import type { Route } from '#shared/api/parts/route.ts'
import type { Session } from '../server/session.ts'
import { type Cell, type Columns, factsOf, tableOf } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** What a text must look like, and how a sentence names that. */
export type Form = { pattern: RegExp; says: string }

export const WHOLE_NUMBER: Form = { pattern: /^\d{1,9}$/, says: 'a whole number' }

/** The id of something that this command lists. */
export const idOf = (list: string): Value => ({
  says: 'its id',
  form: { ...WHOLE_NUMBER, says: `an id from hushbox ${list}` },
})

/** What the server takes as the key of a request. */
const REQUEST_KEY: Form = {
  pattern: /^[!-~](?:[ -~]{0,253}[!-~])?$/,
  says: '1 to 255 printable ASCII characters',
}

/** All that is known of a value before anything is sent. */
export type Allowed = {
  /** The only values there are. */
  words?: readonly string[]
  form?: Form
}

type Part = Allowed & {
  says: string
  /** What is called because of it, beside the calls of the command. */
  calls?: readonly Route[]
}

export type Flag = Part & {
  /** What its value is called in the help; without it the flag takes none. */
  takes?: string
  short?: string
  /** Can be given more than once. */
  isList?: true
}

/** A value that follows the name of a command. */
export type Value = Part

/** What was written after the command's own words. */
export type Given = {
  /** By the names in `takes`. */
  values: Record<string, string>
  text(flag: string): string | undefined
  texts(flag: string): readonly string[]
  /** Of a flag whose form is `WHOLE_NUMBER`. */
  number(flag: string): number | undefined
  numbers(flag: string): readonly number[]
  /** Of a value that is `idOf` something. */
  id(value: string): number
  has(flag: string): boolean
}

export type World = {
  given: Given
  terminal: Terminal
  env: Record<string, string | undefined>
  /** Of the chosen context; fails where the person has not signed in. */
  session(): Session
}

export type Command = {
  /** Such as `servers list`. */
  name: string
  says: string
  /** What follows the name, in this order. */
  takes?: Record<string, Value>
  flags?: Record<string, Flag>
  examples: readonly string[]
  /** What it calls however it is written. */
  calls?: readonly Route[]
  run(world: World): Promise<void> | void
}

/** Everything that a command can call: the help names the scopes a key needs for it. */
export const callsOf = ({ calls = [], takes = {}, flags = {} }: Command): Route[] => {
  const parts: Part[] = [...Object.values(takes), ...Object.values(flags)]
  return [...new Set([...calls, ...parts.flatMap((part) => part.calls ?? [])])]
}

const OUTPUTS = ['table', 'json'] as const

/** Understood by every command. */
export const COMMON_FLAGS: Record<string, Flag> = {
  output: { short: 'o', takes: 'form', words: OUTPUTS, says: 'table (the default) or json' },
  context: { takes: 'name', says: 'use this context instead of the current one' },
  socks: { takes: 'host:port', says: 'go through a SOCKS5 proxy, which also resolves names' },
  help: { short: 'h', says: 'show this help' },
}

export const YES: Record<string, Flag> = { yes: { short: 'y', says: 'do it without asking' } }

export const ONCE: Record<string, Flag> = {
  'idempotency-key': {
    takes: 'key',
    form: REQUEST_KEY,
    says: 'of an earlier try without an answer: it takes effect once',
  },
}

export const SERVER = { server: { says: 'its id or its name', calls: [api.client.instances] } }

const isJson = ({ given }: World) => given.text('output') === 'json'

const asJson = (value: unknown) => `${JSON.stringify(value ?? null, null, 2)}\n`

/** A list, as a table or as the server's own answer. */
export function showList<T>(world: World, rows: readonly T[], columns: Columns<T>): void {
  const { terminal } = world
  terminal.out(isJson(world) ? asJson(rows) : tableOf(rows, columns, terminal.hasColor))
  if (rows.length === 0 && !isJson(world)) terminal.err('Nothing here yet.\n')
}

export function showFacts(world: World, answer: unknown, facts: Record<string, Cell>): void {
  world.terminal.out(isJson(world) ? asJson(answer) : factsOf(facts))
}

/** What was done: a sentence for people, the server's answer for programs. */
export function showDone(world: World, answer: unknown, sentence: string): void {
  world.terminal.out(isJson(world) ? asJson(answer) : `${sentence}\n`)
}
