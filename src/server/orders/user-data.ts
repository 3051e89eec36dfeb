import { isMap, isScalar, LineCounter, parseDocument, type Scalar, type YAMLMap } from 'yaml'
import { AppError } from '#shared/errors.ts'
import { isCloudConfig } from '#shared/rules/user-data/user-data.ts'
import { type Random, randomId } from '../lib/random.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { userDataPlace } from '../secrets/sealed-columns.ts'

/** The client's text, sealed. It may contain secrets, so it is erased once it has been used. */
export type SealedUserData = { id: string; sealed: string }

/** Aliases that expand to more than this are a bomb, not a configuration. */
const MAX_ALIASES = 100

const NO_MAPPING = 'After #cloud-config come settings, such as "packages:" with a list.'
const TOO_DEEP = 'The YAML is nested too deeply, or its aliases expand to too much.'
const NO_ANCHOR = 'An alias (*name) stands for an anchor (&name) that is not above it.'

/** The parser takes seconds, and all of the stack, for a text that consists of brackets. */
const MAX_DEPTH = 100
const DEEP_BLOCK = new RegExp(`(?:[-?:][ \\t]+){${MAX_DEPTH}}`)

function isTooDeep(text: string): boolean {
  if (DEEP_BLOCK.test(text)) return true
  let depth = 0
  for (const character of text) {
    if (character === '[' || character === '{') depth += 1
    else if ((character === ']' || character === '}') && depth > 0) depth -= 1
    if (depth > MAX_DEPTH) return true
  }
  return false
}

/** What is wrong with the YAML of a cloud-config, and where; scripts are not judged. */
export function yamlProblem(text: string): string | undefined {
  if (!isCloudConfig(text)) return undefined
  if (isTooDeep(text)) return TOO_DEEP
  const lines = new LineCounter()
  const at = (offset: number, what: string) => `Line ${lines.linePos(offset).line}: ${what}.`
  // Comparing every key with every other one takes seconds; cloud-init itself does not mind.
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false }
  const parsed = parseDocument(text, options)
  const [first] = parsed.errors
  if (first) return at(first.pos[0], inWords(first.message))
  if (!isMap(parsed.contents)) return NO_MAPPING
  const twice = repeatedKey(parsed.contents)
  if (twice?.range) return at(twice.range[0], 'This setting is there twice')
  try {
    parsed.toJS({ maxAliasCount: MAX_ALIASES })
  } catch (error) {
    return String(error).includes('Unresolved alias') ? NO_ANCHOR : TOO_DEEP
  }
  return undefined
}

function repeatedKey({ items }: YAMLMap): Scalar | undefined {
  const seen = new Set<unknown>()
  for (const { key } of items) {
    if (!isScalar(key)) continue
    if (seen.has(key.value)) return key
    seen.add(key.value)
  }
  return undefined
}

/** The end of a message may quote the text, which may be secret, and messages reach the log. */
const inWords = (message: string) => message.replace(/(?<=[\w)]): .*$/s, '').replace(/\.$/, '')

export function sealUserData(
  text: string,
  { keyring, random }: { keyring: Keyring; random: Random },
): SealedUserData {
  const message = yamlProblem(text)
  if (message !== undefined) {
    throw new AppError('INVALID_INPUT', message, { details: [{ path: 'userData', message }] })
  }
  const id = randomId(random)
  return { id, sealed: keyring.seal(userDataPlace(id), text) }
}

export const openUserData = (keyring: Keyring, { id, sealed }: SealedUserData): string =>
  keyring.open(userDataPlace(id), sealed)
