import { join } from 'node:path'
import type { LinuxFound } from '#pve-sim/linux/find-support.ts'
import type { Sim } from '#pve-sim/sim.ts'
import { BackupError } from './backup/sealed-file.ts'
import { type Config, ConfigError, readConfig } from './config/config.ts'
import { DataDirInUseError } from './db/data-dir-lock.ts'
import { NewerSchemaError } from './db/migrate.ts'
import { errorText } from './lib/safe-error.ts'
import { compactHeap } from './runtime/compact-heap.ts'
import { lastResort } from './runtime/last-resort.ts'
import { startServer } from './start.ts'

const SHUTDOWN_MS = 10_000
/** Failures with a sentence of their own: a stack would only hide it. */
const EXPECTED = [BackupError, ConfigError, DataDirInUseError, NewerSchemaError]

const say = (text: string) => process.stdout.write(`${text}\n`)

async function main(): Promise<void> {
  const config = readConfig(process.env)
  const demo = config.demo ? demoOf(config) : undefined
  const server = await startServer(config, demo ? { startDemo: demo.start } : {})
  const stop = stopper(async () => {
    await server.close()
    await demo?.close()
  })
  process.on('SIGTERM', () => stop('SIGTERM', 0))
  process.on('SIGINT', () => stop('SIGINT', 0))
  faults.react({ report: server.report, end: (why) => stop(why, 1) })
  compactHeap()
  const { firstAdmin } = server
  if (firstAdmin) {
    say('')
    say(`  The first administrator is ${firstAdmin.email}`)
    if (firstAdmin.password !== undefined) {
      say(`  with the password          ${firstAdmin.password}`)
      say('  It is shown this once. Lost it? npm run admin makes a new one.')
    }
  }
  say('')
  const what = config.mode === 'all' ? '' : ` (${config.mode})`
  say(`  ${config.brandName}${what} is ready at ${server.address}`)
  if (!config.databaseUrl) {
    say(`  Its data is in ${config.dataDir}. For real customers use PostgreSQL (DATABASE_URL).`)
  }
  if (demo) say('  It comes with a pretend cluster to try things on. DEMO=0 starts without it.')
  say('')
}

/** A simulated cluster to try things on. Its VMs are kept between two starts. */
function demoOf({ dataDir, demoLinux, demoQemu, demoTaskMs }: Config) {
  let sim: Sim | undefined
  return {
    async start() {
      // Imported only here: an installation with a real cluster does not even load it.
      const { startSim } = await import('#pve-sim/sim.ts')
      sim = await startSim({
        seed: 'demo',
        stateFile: join(dataDir, 'demo-cluster.json'),
        qemu: demoQemu,
        linux: demoLinux,
        taskMs: demoTaskMs,
      })
      if (sim.qemu) {
        const { version, folder } = sim.qemu
        say(`  Servers of the pretend cluster run on QEMU ${version}, at most ${demoQemu} at once;`)
        say(`  control sockets in ${folder}. DEMO_QEMU=0 draws their screens instead.`)
      }
      const isReal = sim.linux !== undefined && tellAboutLinux(sim.linux, demoLinux)
      const { host, port, apiToken, fingerprint, certPem: pem } = sim
      const { id: username, secret } = apiToken
      const certificate = { fingerprint, pem }
      return { connection: { host, port, username, secret, certificate }, isReal }
    },
    close: async () => sim?.close(),
  }
}

/** Tells who started the demo how to sign in to its servers. Returns whether that is possible. */
function tellAboutLinux(linux: LinuxFound, most: number): boolean {
  if ('reason' in linux) {
    say(`  New servers are pretended, not real Linux: ${linux.reason}.`)
    return false
  }
  const { accelerator, isBuilt, image } = linux.support
  say(`  Servers with addresses of 127.77.0.0/24 are real Linux, at most ${most} at once:`)
  say('  ssh -p 2222 user@address. DEMO_LINUX=0 pretends them.')
  if (!isBuilt)
    say("  Their image is built of Debian's packages now, once; the first one waits for it.")
  accelerator.then((found) => {
    if (found === 'tcg') say('  They run in software emulation, so a start takes long.')
  }, fail)
  image.catch((error: unknown) => {
    const why = error instanceof Error ? error.message : 'for an unknown reason'
    say(`  The image of real Linux was not built, servers are pretended: ${why}`)
  })
  return true
}

/** Answers the requests in progress, then exits. A second call, or ten seconds, end it at once. */
function stopper(close: () => Promise<void>): (why: string, exitCode: number) => void {
  let isStopping = false
  return (why, exitCode) => {
    if (isStopping) process.exit(1)
    isStopping = true
    say(`Stopping (${why}) …`)
    setTimeout(() => process.exit(1), SHUTDOWN_MS).unref()
    close().then(() => process.exit(exitCode), fail)
  }
}

function fail(error: unknown): never {
  const isExpected = EXPECTED.some((kind) => error instanceof kind)
  const text =
    error instanceof Error
      ? isExpected
        ? error.message
        : errorText(error)
      : 'ended without an error'
  process.stderr.write(`${text}\n`)
  process.exit(1)
}

const faults = lastResort(process, fail)
main().catch(fail)
