import {
  type Allowed,
  COMMON_FLAGS,
  type Command,
  type Flag,
  type Given,
} from './commands/command.ts'
import { misuse } from './terminal/failure.ts'

export const flagsOf = (command: Command): Record<string, Flag> => ({
  ...command.flags,
  ...COMMON_FLAGS,
})

const wordsOf = ({ name }: Command) => name.split(' ')

/** The command whose words come first, and what was written after them. */
export function findCommand(
  commands: readonly Command[],
  written: readonly string[],
): { command: Command; rest: string[] } | undefined {
  const command = commands.find((one) => wordsOf(one).every((word, at) => written[at] === word))
  return command && { command, rest: written.slice(wordsOf(command).length) }
}

type Read = { name: string; flag: Flag; value: string | undefined }

/** `--name`, `--name=value` and `-n`; the value may also be the next word. */
function readFlag(flags: Record<string, Flag>, word: string): Read {
  const [, long, short, value] = /^(?:--([\w-]+)|-(\w))(?:=([\s\S]*))?$/.exec(word) ?? []
  const found = Object.entries(flags).find(([name, flag]) =>
    long === undefined ? flag.short === short && short !== undefined : name === long,
  )
  if (!found) throw misuse(`There is no flag ${word}.`)
  return { name: found[0], flag: found[1], value }
}

function checkValue(value: string, { words, form }: Allowed, what: string): string {
  if (words && !words.includes(value)) {
    throw misuse(`${what} is one of ${words.join(', ')}, not ${value}.`)
  }
  if (form && !form.pattern.test(value)) {
    throw misuse(`${what} must be ${form.says}, not ${value}.`)
  }
  return value
}

/**
 * Reads what follows a command's words, and refuses what it does not know. Every value is checked
 * here, before anything is sent: a refusal after a purchase would make the person buy twice.
 */
export function parseArguments(command: Command, rest: readonly string[]): Given {
  const flags = flagsOf(command)
  const found = new Map<string, string[]>()
  const values: string[] = []
  const left = [...rest]
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--') {
      values.push(...left.splice(0))
    } else if (!word.startsWith('-') || word === '-') {
      values.push(word)
    } else {
      const { name, flag, value } = readFlag(flags, word)
      if (!flag.takes && value !== undefined) throw misuse(`--${name} takes no value.`)
      const taken = flag.takes ? (value ?? left.shift()) : ''
      if (taken === undefined) throw misuse(`--${name} needs a value: ${flag.takes}.`)
      const before = found.get(name) ?? []
      if (before.length > 0 && !flag.isList) throw misuse(`--${name} is given twice.`)
      found.set(name, [...before, checkValue(taken, flag, `--${name}`)])
    }
  }
  const named = found.has('help') ? {} : namedValues(command, values)
  const texts = (flag: string) => found.get(flag) ?? []
  const numbers = (flag: string) => texts(flag).map(Number)
  return {
    values: named,
    text: (flag) => texts(flag)[0],
    texts,
    number: (flag) => numbers(flag)[0],
    numbers,
    id: (value) => Number(named[value]),
    has: (flag) => found.has(flag),
  }
}

function namedValues(
  { name, takes = {} }: Command,
  values: readonly string[],
): Record<string, string> {
  const wanted = Object.entries(takes)
  const surplus = values[wanted.length]
  if (surplus !== undefined) throw misuse(`hushbox ${name} does not take ${surplus}.`)
  return Object.fromEntries(
    wanted.map(([what, allowed], at) => {
      const value = values[at]
      if (!value) throw misuse(`hushbox ${name} needs a ${what}: ${allowed.says}.`)
      return [what, checkValue(value, allowed, `The ${what}`)]
    }),
  )
}
