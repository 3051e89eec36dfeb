import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findQemu } from '../../src/pve-sim/qemu/find-qemu.ts'
import { lookAt } from '../../src/pve-sim/qemu/testing/outside.ts'
import { removeFolder, signIn, startProcess } from '../../src/server/testing/server-process.ts'
import { admin, enter } from '../acts/people.ts'
import { differences, pictureFromPpm, pictureOf } from '../acts/reading.ts'
import { expect, test } from '../house/fixtures.ts'

const NAME = 'web-frontend'
const PATIENT = { timeout: 20_000 }

type Machine = { id: number; vmId: number; name: string }

test('a real VM echoes typed keys, and the canvas is its screen, pixel for pixel', async ({
  browser,
}) => {
  test.skip((await findQemu()) === undefined, 'qemu-system-x86_64 is not installed here')
  const server = await startProcess({ DEMO_QEMU: '1' })
  const context = await browser.newContext({ baseURL: server.url })
  try {
    const call = await signIn(server.url)
    const folderOf = () => /control sockets in (\S+)\. DEMO/.exec(server.output())?.[1] ?? ''
    const find = async () =>
      ((await (await call('/api/instances')).json()) as Machine[]).find(({ name }) => name === NAME)
    await expect.poll(async () => folderOf() && (await find())?.name, PATIENT).toBe(NAME)
    const { id = 0, vmId: vmid = 0 } = (await find()) ?? {}

    const page = await context.newPage()
    await enter(page, admin)
    await page.goto(`/console/${id}`)
    await expect(page.getByRole('button', { name: 'Ctrl-Alt-Del' })).toBeEnabled(PATIENT)
    const at = { folder: folderOf(), vmid }
    const says = (text: RegExp) =>
      expect.poll(() => lookAt(at, (vm) => vm.text()), PATIENT).toMatch(text)
    await says(new RegExp(`^${NAME}\n.*\n\n${NAME}#$`))
    await page.locator('canvas').click()
    await page.keyboard.type('hello, world 42')
    await says(new RegExp(`${NAME}# hello, world 42$`))

    await lookAt(at, async (vm) => {
      // Paused, so that the cursor does not blink in between.
      await vm.command('stop')
      const file = join(at.folder, 'screen.ppm')
      await vm.command('screendump', { filename: file })
      const real = pictureFromPpm(readFileSync(file))
      expect([real.width, real.height]).toEqual([720, 400])
      expect(new Set(real.rgb).size).toBeGreaterThan(1)
      await expect.poll(async () => differences(await pictureOf(page), real), PATIENT).toBe(0)
      await vm.command('cont')
    })
  } finally {
    await context.close()
    await server.stop()
    removeFolder(server.dataDir)
  }
})
