import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ClusterData, TlsMaterial } from './types.ts'

const FORMAT = 1

type Saved = { format: number; cluster: ClusterData; tls: TlsMaterial }

/** Encodes a map as a list of pairs under a marker. */
const replacer = (_: string, value: unknown) =>
  value instanceof Map ? { $map: [...value] } : value

const reviver = (_: string, value: unknown) => {
  const isMap = typeof value === 'object' && value !== null && '$map' in value
  return isMap ? new Map(value.$map as [unknown, unknown][]) : value
}

/**
 * Writes a temporary file and renames it, so that a crash leaves either the old file or the new
 * one.
 */
function saveState(file: string, cluster: ClusterData, tls: TlsMaterial): void {
  const saved: Saved = { format: FORMAT, cluster, tls }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.new`, JSON.stringify(saved, replacer), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

export function loadState(file: string): { cluster: ClusterData; tls: TlsMaterial } | undefined {
  if (!existsSync(file)) return undefined
  const saved = JSON.parse(readFileSync(file, 'utf8'), reviver) as Saved
  if (saved.format !== FORMAT) throw new Error(`${file} has an unknown format`)
  return { cluster: saved.cluster, tls: saved.tls }
}

const LARGE = 500

/** Writes a small cluster at each change, a large one at most four times a second. */
export function saver(
  file: string | undefined,
  current: () => { cluster: ClusterData; tls: TlsMaterial },
) {
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const write = () => {
    timer = undefined
    const { cluster, tls } = current()
    if (file) saveState(file, cluster, tls)
  }
  return {
    save(): void {
      if (!file || closed) return
      if (current().cluster.vms.size <= LARGE) write()
      else timer ??= setTimeout(write, 250)
    },
    close(): void {
      clearTimeout(timer)
      if (file && !closed) write()
      closed = true
    },
  }
}
