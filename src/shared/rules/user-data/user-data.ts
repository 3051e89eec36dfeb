import { isWindows } from '../instance/system-of-template.ts'

/** As much as the larger clouds take, and far below what a cloud-init drive holds. */
export const USER_DATA_BYTES = 32 * 1024

const CLOUD_CONFIG = /^#cloud-config[ \t]*(\r?\n|$)/
const SCRIPT = /^#![ \t]*\/\S/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const BINARY = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/

const TOO_LONG = 'At most 32 KiB. Let it download the rest.'
const NO_HEAD =
  'The first line says what it is: #cloud-config for cloud-config, or #!/bin/sh for a script.'
const NOT_TEXT = 'Only text: it contains control characters.'

export const isCloudConfig = (text: string): boolean => CLOUD_CONFIG.test(text)

/**
 * What is wrong with the user data, in a sentence. Whether cloud-config is valid YAML is not judged
 * here: only the server has the parser.
 */
export function userDataProblem(text: string): string | undefined {
  if (new TextEncoder().encode(text).length > USER_DATA_BYTES) return TOO_LONG
  if (BINARY.test(text)) return NOT_TEXT
  return isCloudConfig(text) || SCRIPT.test(text) ? undefined : NO_HEAD
}

const WINDOWS = 'Windows servers take no start-up script or cloud-config.'
const RUNS_ALREADY = 'This server runs already, so it takes no start-up script or cloud-config.'

/** Why a server of this kind takes none; undefined if it may. */
export function userDataRefusal(sold: { osType: string; isReady: boolean }): string | undefined {
  if (sold.isReady) return RUNS_ALREADY
  return isWindows(sold.osType) ? WINDOWS : undefined
}
