import { COMMON_FLAGS, type Command, type Flag, type Given } from './commands/command.ts'
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

function checkWord(value: string, words: readonly string[] | undefined, what: string): string {
  if (!words || words.includes(value)) return value
  throw misuse(`${what} is one of ${words.join(', ')}, not ${value}.`)
}

/** Reads what follows a command's words, and refuses what it does not know. */
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
      found.set(name, [...before, checkWord(taken, flag.words, `--${name}`)])
    }
  }
  return {
    values: found.has('help') ? {} : named(command, values),
    text: (flag) => found.get(flag)?.[0],
    texts: (flag) => found.get(flag) ?? [],
    has: (flag) => found.has(flag),
  }
}

function named({ name, takes = {} }: Command, values: readonly string[]): Record<string, string> {
  const wanted = Object.entries(takes)
  const surplus = values[wanted.length]
  if (surplus !== undefined) throw misuse(`hushbox ${name} does not take ${surplus}.`)
  return Object.fromEntries(
    wanted.map(([what, { says, words }], at) => {
      const value = values[at]
      if (!value) throw misuse(`hushbox ${name} needs a ${what}: ${says}.`)
      return [what, checkWord(value, words, `The ${what}`)]
    }),
  )
}
