import { expect, it } from 'vitest'
import { harness } from './testing/harness.ts'

/** Prints its figures without a limit: a busy machine would fail any. */
it('holds a hundred nodes and ten thousand VMs', async () => {
  const begun = performance.now()
  const pve = await harness({ nodes: 100, vms: 10_000, seed: 7 })
  const started = performance.now() - begun
  await pve.call('GET', '/version')
  const asked = performance.now()
  const { data, text } = await pve.call('GET', '/cluster/resources')
  const first = performance.now() - asked
  const again = performance.now()
  await pve.call('GET', '/cluster/resources')
  const second = performance.now() - again
  const vms = data.filter((row) => row.type === 'qemu')
  expect(vms.length).toBe(10_000)
  expect(data.filter((row) => row.type === 'node').length).toBe(100)
  const size = (text.length / 1e6).toFixed(1)
  process.stdout.write(
    `\npve-sim: 100 nodes and 10 000 VMs started in ${started.toFixed(0)} ms; /cluster/resources ` +
      `(${size} MB, parsed in the same process) ${first.toFixed(0)} ms, then ${second.toFixed(0)} ms\n`,
  )
  await pve.close()
})

it('is the same cluster for the same seed', async () => {
  const read = async () => {
    const pve = await harness({ nodes: 3, vms: 30, seed: 5 })
    const vms = [...pve.sim.state.vms.values()].map((vm) => [
      vm.vmid,
      vm.node,
      vm.qmp,
      vm.config.cores,
      vm.config.scsi0,
    ])
    await pve.close()
    return vms
  }
  expect(await read()).toEqual(await read())
})
