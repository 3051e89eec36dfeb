import { entropyToMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import type { Random } from '../lib/random.ts'

/** 128 random bits: twelve words, the last of which also tells a slip of the pen. */
export const newWords = (random: Random): string[] =>
  entropyToMnemonic(random.bytes(16), wordlist).split(' ')

/** In the form in which they are hashed, whatever is between them. */
export const readWords = (typed: string): string =>
  typed
    .toLowerCase()
    .match(/[a-z]+/g)
    ?.join(' ') ?? ''
