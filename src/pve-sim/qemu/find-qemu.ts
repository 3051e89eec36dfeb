import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export type Qemu = { program: string; version: string }

const PROGRAM = 'qemu-system-x86_64'
const TIMEOUT_MS = 5000

/** The installed QEMU; undefined where there is none, which is no error. */
export async function findQemu(program = PROGRAM): Promise<Qemu | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program, ['--version'], { timeout: TIMEOUT_MS })
    const version = /version (\d+\.\d+(?:\.\d+)?)/.exec(stdout)?.[1]
    return version === undefined ? undefined : { program, version }
  } catch {
    return undefined
  }
}
