import { execFile } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const KERNEL = 'linux-image-cloud-amd64'
const TIMEOUT_MS = 10 * 60_000
const OUTPUT_BYTES = 16 * 1024 ** 2

/** Programs for administrators are not in everyone's path. */
const PATH = [process.env.PATH, '/usr/sbin', '/sbin'].filter(Boolean).join(':')

/** The output of a program; its own last words if it fails. */
export async function outputOf(program: string, args: string[], cwd?: string): Promise<string> {
  const env = { ...process.env, PATH, LC_ALL: 'C' }
  const options = { cwd, env, timeout: TIMEOUT_MS, maxBuffer: OUTPUT_BYTES }
  try {
    return (await promisify(execFile)(program, args, options)).stdout
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    const why = said.split('\n').at(-1) || (error instanceof Error ? error.message : String(error))
    throw new Error(`${program}: ${why}`)
  }
}

/** Options with which apt works in this folder alone and changes nothing of the machine. */
async function aptOptions(folder: string): Promise<string[]> {
  await mkdir(join(folder, 'state/lists/partial'), { recursive: true })
  await mkdir(join(folder, 'cache/archives/partial'), { recursive: true })
  const status = join(folder, 'status')
  await writeFile(status, '')
  return [
    `Dir::State=${join(folder, 'state')}`,
    `Dir::State::status=${status}`,
    `Dir::Cache=${join(folder, 'cache')}`,
    'APT::Architecture=amd64',
    'APT::Architectures::=amd64',
    'APT::Sandbox::User=root',
    'Acquire::Languages=none',
  ].flatMap((option) => ['-o', option])
}

/**
 * Downloads Debian's kernel for virtual machines, busybox, dropbear and what it needs, from the
 * machine's own package sources, and unpacks them. apt checks their signatures.
 */
export async function unpackPackages(folder: string): Promise<string> {
  const [debs, tree] = [join(folder, 'debs'), join(folder, 'tree')]
  await mkdir(debs)
  await mkdir(tree)
  const options = await aptOptions(folder)
  await outputOf('apt-get', [...options, '-qq', 'update'])
  const depends = await outputOf('apt-cache', [...options, 'depends', KERNEL])
  const kernel = /Depends: (linux-image-\S+)/.exec(depends)?.[1]
  if (!kernel) throw new Error(`the package sources have no ${KERNEL}`)
  const only = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances']
  const recursive = ['depends', '--recurse', ...only.map((kind) => `--no-${kind}`)]
  const needed = await outputOf('apt-cache', [...options, ...recursive, 'dropbear-bin'])
  const names = needed.split('\n').filter((line) => /^[a-z]/.test(line))
  await outputOf(
    'apt-get',
    [...options, '-qq', 'download', kernel, 'busybox-static', ...names],
    debs,
  )
  for (const deb of await readdir(debs)) {
    await outputOf('dpkg-deb', ['-x', join(debs, deb), tree])
  }
  return tree
}
