import { z } from 'zod'
import type { Caller } from '../transport/call.ts'
import type { Clock } from '../transport/clock.ts'
import { maybeText, text } from '../wire/answers.ts'
import { path } from '../wire/encoding.ts'

export const VersionAnswer = z.object({ version: text, release: maybeText, repoid: maybeText })

export type Version = { text: string; major: number; minor: number; patch: number }

/** `7.4-16`, `8.4.1`, `9.2.3`; a missing part counts as 0. */
export function parseVersion(version: string): Version {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map((part) => {
    return Number.parseInt(part, 10) || 0
  })
  return { text: version, major, minor, patch }
}

/** The first release that supports it (facts §4, §18). Sending it to an older one is a 400. */
const SINCE = {
  'access-network': [8, 2],
  ciupgrade: [8, 0],
  'cpu-x86-64-v2-aes': [8, 0],
  'guest-agent-privileges': [9, 0],
  'overrule-shutdown': [8, 2],
  'resize-task': [8, 0],
  'sdn-use': [8, 0],
} as const satisfies Record<string, readonly [number, number]>

export type Feature = keyof typeof SINCE

export function supports(version: Version, feature: Feature): boolean {
  const [major, minor] = SINCE[feature]
  return version.major > major || (version.major === major && version.minor >= minor)
}

/** `x86-64-v2-AES` is the sensible default where it exists, `kvm64` elsewhere. */
export function portableCpu(version: Version): string {
  return supports(version, 'cpu-x86-64-v2-aes') ? 'x86-64-v2-AES' : 'kvm64'
}

const FRESH_MS = 10 * 60_000

/** The version is read once and kept for ten minutes: upgrades happen under a running client. */
export function versionCalls(call: Caller, clock: Clock) {
  let known: { at: number; version: Version } | undefined

  const get = async (options: { signal?: AbortSignal } = {}): Promise<Version> => {
    if (known && clock.now() - known.at < FRESH_MS) return known.version
    const answer = await call.get(path`/version`, VersionAnswer, options)
    known = { at: clock.now(), version: parseVersion(answer.version) }
    return known.version
  }

  return {
    get,
    supports: async (feature: Feature) => supports(await get(), feature),
  }
}

export type VersionCalls = ReturnType<typeof versionCalls>
