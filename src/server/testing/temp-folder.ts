import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atEnd } from './at-end.ts'
import { removeFolder } from './server-process.ts'

/** A folder that is removed after the test, or after the file if no test runs. */
export function tempFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `hushbox-${name}-`))
  atEnd(() => removeFolder(folder))
  return folder
}
