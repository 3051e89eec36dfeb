/** One block of the disk's file system, so that it can be overwritten in place. */
const BYTES = 1024
export const MARK = '# overwritten with the name of the system'

const padded = (text: string) => text.padEnd(BYTES, '\n')

export const BLANK_OS_RELEASE = padded(`${MARK}\nPRETTY_NAME=Linux\n`)

const quoted = (text: string) => `"${text.replace(/["$`\\\n]/g, '')}"`

/** /etc/os-release of a system with this name, e.g. `Rocky Linux 9.6 (Blue Onyx)`. */
export function osRelease(system: string): Buffer {
  const name = /^\D*/.exec(system)?.[0].trim() || system
  const lines = [
    `PRETTY_NAME=${quoted(system)}`,
    `NAME=${quoted(name)}`,
    `ID=${
      name
        .toLowerCase()
        .split(' ')[0]
        ?.replace(/[^a-z0-9._-]/g, '') || 'linux'
    }`,
    `VERSION_ID=${quoted(/\d[\d.]*/.exec(system)?.[0] ?? '')}`,
    `VARIANT=${quoted("A stand-in of the demo: Debian's kernel, busybox and dropbear.")}`,
  ]
  const text = Buffer.from(padded(`${lines.join('\n')}\n`))
  if (text.length > BYTES) throw new Error(`the name of the system is too long: ${system}`)
  return text
}
