// Makes a clone ready to run: installs what the lock file lists, then builds what changed. Plain
// JavaScript that Node 20 can run: Node 24 comes with the packages it installs.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const MIN_NODE = [22, 22, 2]
const BUILDS = [
  {
    what: 'Building the pages',
    config: 'vite.config.ts',
    stamp: 'dist/.hushbox-build',
    from: ['src/web', 'src/shared', 'scripts/route-table.ts'],
  },
  {
    what: 'Building the server',
    config: 'vite.server.config.ts',
    stamp: 'dist/.hushbox-server',
    from: ['src/server', 'src/shared', 'src/proxmox', 'src/pve-sim'],
  },
  {
    what: 'Building the command line',
    config: 'vite.cli.config.ts',
    stamp: 'dist/.hushbox-cli',
    from: ['src/cli', 'src/shared', 'package.json'],
  },
]

function hashOf(paths) {
  const hash = createHash('sha256')
  for (const path of paths) {
    const full = join(root, path)
    const files = path.includes('.')
      ? [full]
      : readdirSync(full, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
          .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
          .sort()
    for (const file of files) hash.update(file.slice(root.length)).update(readFileSync(file))
  }
  return hash.digest('hex')
}

const isCurrent = (stamp, hash) => existsSync(stamp) && readFileSync(stamp, 'utf8') === hash

function run(what, command, args, env = {}) {
  process.stdout.write(`${what} …\n`)
  const bin = join(root, 'node_modules', '.bin')
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, ...env },
  })
  if (status === 0) return
  process.stderr.write(`${what} failed.\n`)
  process.exit(status ?? 1)
}

function install() {
  const stamp = join(root, 'node_modules', '.hushbox-lock')
  const hash = hashOf(['package-lock.json'])
  if (isCurrent(stamp, hash)) return
  run('Installing packages', 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'])
  writeFileSync(stamp, hash)
}

/** The Node that npm scripts will find: the packaged one, else the installed one. */
function requireNode() {
  const packaged = join(root, 'node_modules', '.bin', 'node')
  if (existsSync(packaged)) return
  const found = process.versions.node.split('.').map(Number)
  const at = MIN_NODE.findIndex((part, index) => found[index] !== part)
  if (at === -1 || found[at] > MIN_NODE[at]) return
  process.stderr.write(
    `Node ${MIN_NODE.join('.')} or newer is needed and this is ${process.versions.node}.\n` +
      'On Linux (x64 and arm64) it comes with the packages; elsewhere please install Node 24.\n',
  )
  process.exit(1)
}

function build({ what, config, stamp: name, from }) {
  const stamp = join(root, name)
  const hash = hashOf([...from, config, 'package-lock.json'])
  if (isCurrent(stamp, hash)) return
  const vite = join(root, 'node_modules', '.bin', 'vite')
  // Whoever calls may be a test, in whose mode the pages would be those of a developer.
  const env = { NODE_ENV: 'production' }
  run(what, vite, ['build', '--config', config, '--logLevel', 'warn'], env)
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, hash)
}

install()
requireNode()
for (const one of BUILDS) build(one)
