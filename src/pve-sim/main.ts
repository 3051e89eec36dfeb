import { faultsFrom } from './faults/control.ts'
import type { SimOptions } from './options.ts'
import { startSim } from './sim.ts'
import type { Version } from './state/types.ts'

/** Each takes some 25 MB. */
const QEMU_VMS = 8
/** Each takes some 200 MB. */
const LINUX_VMS = 4
const VERSIONS: Version[] = ['7.4', '8.4', '9.1']

function number(name: string): number | undefined {
  const text = process.env[name]
  if (text === undefined || text === '') return undefined
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0) throw new Error(`${name} must be a whole number`)
  return value
}

function version(): Version | undefined {
  const text = process.env.SIM_VERSION
  if (!text) return undefined
  const known = VERSIONS.find((candidate) => candidate === text)
  if (!known) throw new Error(`SIM_VERSION must be one of ${VERSIONS.join(', ')}`)
  return known
}

function seed(): 'demo' | number | undefined {
  return process.env.SIM_SEED === 'demo' ? 'demo' : number('SIM_SEED')
}

/** Omits unset options, so that defaults stay in one place. */
function options(): SimOptions {
  const wanted = {
    host: process.env.SIM_HOST,
    port: number('SIM_PORT') ?? 8006,
    nodes: number('SIM_NODES'),
    vms: number('SIM_VMS'),
    seed: seed(),
    version: version(),
    stateFile: process.env.SIM_STATE,
    password: process.env.SIM_PASSWORD,
    taskMs: number('SIM_TASK_MS'),
    qemu: number('SIM_QEMU') ?? QEMU_VMS,
    linux: number('SIM_LINUX') ?? LINUX_VMS,
    control: true,
  }
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined && value !== '')
  return Object.fromEntries(given)
}

const started = performance.now()
const sim = await startSim(options())
for (const fault of faultsFrom(JSON.parse(process.env.SIM_FAULTS || '[]'))) sim.faults.add(fault)

console.log(
  `A simulated Proxmox VE cluster (started in ${Math.round(performance.now() - started)} ms)`,
)
console.log(sim.url)
console.log(`username: ${sim.username}`)
console.log(`password: ${sim.password}`)
console.log(`API token: ${sim.apiToken.id}=${sim.apiToken.secret}`)
console.log(`fingerprint: ${sim.fingerprint}`)
console.log(
  `${sim.state.nodes.size} nodes, ${sim.state.vms.size} VMs; faults: POST ${sim.url}/sim/faults`,
)
console.log(
  sim.qemu
    ? `VMs run on QEMU ${sim.qemu.version}, control sockets in ${sim.qemu.folder}; SIM_QEMU=0 draws them`
    : 'VMs are drawn: QEMU is not installed or not wanted (SIM_QEMU)',
)
if (sim.linux) {
  console.log(
    'reason' in sim.linux
      ? `No real Linux guests: ${sim.linux.reason}`
      : 'A VM with an address of 127.77.0.0/24 is a real Linux guest; SIM_LINUX=0: none',
  )
  if ('support' in sim.linux) {
    sim.linux.support.image.catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error)
      console.log(`No real Linux guests: their image could not be built. ${why}`)
    })
  }
}

const stop = () => void sim.close().then(() => process.exit(0))
process.once('SIGINT', stop)
process.once('SIGTERM', stop)
