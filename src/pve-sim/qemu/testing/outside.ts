import { readdirSync, readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { type Qmp, qmpOver } from '../qmp.ts'

const VGA_TEXT = 0xb8000
const COLUMNS = 80
const CELLS = COLUMNS * 25

/**
 * Inspects a VM from outside, through its second control socket, which takes one client at a time.
 */
export async function lookAt<T>(
  { folder, vmid }: { folder: string; vmid: number },
  look: (vm: Outside) => Promise<T>,
): Promise<T> {
  const qmp = qmpOver(createConnection(join(folder, `${vmid}.qmp`)))
  try {
    await qmp.command('qmp_capabilities')
    return await look(outside(qmp))
  } finally {
    qmp.close()
  }
}

export type Outside = ReturnType<typeof outside>

function outside({ command }: Qmp) {
  return {
    command,
    /** The text in the video memory, without rendering a picture. */
    async text(): Promise<string> {
      const dump = await command('human-monitor-command', {
        'command-line': `xp /${CELLS}hx ${VGA_TEXT}`,
      })
      const cells = [...String(dump).matchAll(/ 0x([0-9a-f]{4})/g)].map(([, cell = '0']) =>
        String.fromCharCode(Number.parseInt(cell, 16) & 0xff),
      )
      const lines = Array.from({ length: CELLS / COLUMNS }, (_, row) =>
        cells
          .slice(row * COLUMNS, (row + 1) * COLUMNS)
          .join('')
          .trimEnd(),
      )
      return lines.join('\n').trimEnd()
    },
  }
}

/** Command lines of all processes that mention this folder. */
export function processesOf(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      } catch {
        // The process exited while being read.
        return ''
      }
    })
    .filter((line) => line.includes(folder))
}
