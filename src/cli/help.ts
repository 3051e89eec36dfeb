import { KEY_SCOPES } from '#shared/rules/people/key-scopes.ts'
import { flagsOf } from './arguments.ts'
import { type Command, callsOf } from './commands/command.ts'
import { pad, widthOf } from './terminal/width.ts'

const twoColumns = (rows: readonly [string, string][]): string[] => {
  const width = Math.max(...rows.map(([left]) => widthOf(left)))
  return rows.map(([left, right]) => `  ${pad(left, width)}  ${right}`)
}

const EXITS: [string, string][] = [
  ['0', 'done'],
  ['1', 'the server refused, or what it began failed'],
  ['2', 'written wrongly, or not confirmed'],
  ['3', 'not signed in, or the key may not do it'],
  ['4', 'not found'],
  ['5', 'no answer, or not in time'],
]

/** All commands, or those that begin with these words. */
export function overview(commands: readonly Command[], group = ''): string {
  const shown = commands.filter(({ name }) => name.startsWith(group))
  return [
    `Usage: hushbox ${group ? `${group} ` : ''}<command> [flags]`,
    '',
    ...twoColumns(shown.map(({ name, says }) => [name, says])),
    '',
    'Exit codes:',
    ...twoColumns(EXITS),
    '',
    'Every command explains itself: hushbox servers create --help',
    '',
  ].join('\n')
}

/** In the order of the settings, where the key is made. No scope includes another. */
function scopesOf(command: Command): string[] {
  const needed = new Set(callsOf(command).map(({ scope }) => scope))
  return KEY_SCOPES.filter((scope) => needed.has(scope))
}

export function helpOf(command: Command): string {
  const { name, says, takes = {}, examples } = command
  const values = Object.entries(takes)
  const scopes = scopesOf(command)
  const flags = Object.entries(flagsOf(command)).map(
    ([flag, { short, takes: value, says: what }]) => {
      const written = `${short ? `-${short}, ` : '    '}--${flag}${value ? ` <${value}>` : ''}`
      return [written, what] as [string, string]
    },
  )
  return [
    says,
    '',
    `Usage: hushbox ${name}${values.map(([value]) => ` <${value}>`).join('')} [flags]`,
    '',
    ...twoColumns([
      ...values.map(([value, { says: what }]) => [`<${value}>`, what] as [string, string]),
      ...flags,
    ]),
    '',
    ...(scopes.length > 0 ? [`The key needs ${scopes.join(', ')}.`, ''] : []),
    'Examples:',
    ...examples.map((example) => `  ${example}`),
    '',
  ].join('\n')
}
