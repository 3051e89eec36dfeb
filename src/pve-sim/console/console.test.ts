import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { machine } from '../guest/machine.ts'
import { ROWS, textScreen } from '../guest/screen.ts'
import { type Harness, harness, tokenHeader } from '../testing/harness.ts'
import { openSocket, RAW, upgradeStatus, type VncProxy, viewer, ZLIB } from '../testing/viewer.ts'
import { DEFAULT_FORMAT, drawRows } from './pixels.ts'

let pve: Harness
beforeAll(async () => {
  pve = await harness()
})
afterAll(() => pve.close())

const VM = { node: 'pve1', vmid: 100 }

async function proxy(
  where = VM,
  form: Record<string, string> = { websocket: '1' },
  on = pve,
): Promise<VncProxy> {
  const { data } = await on.call('POST', `/nodes/${where.node}/qemu/${where.vmid}/vncproxy`, form)
  const { ticket = '', port = '', upid = '', user = '', cert = '', password } = data
  return { ticket, port, upid, user, cert, ...(password ? { password } : {}) }
}

const status = async (
  where: typeof VM,
  ticket: VncProxy,
  headers: Record<string, string> = pve.admin,
) => {
  const socket = openSocket(pve.sim, where, ticket, headers)
  const code = await upgradeStatus(socket)
  socket.terminate()
  return code
}

describe.each([
  ['raw', RAW],
  ['zlib', ZLIB],
])('a viewer with %s pixels', (_, encoding) => {
  it('logs in, sees the screen and gets an echo of its keys', async () => {
    const opened = await proxy()
    const view = await viewer(
      openSocket(pve.sim, VM, opened, pve.admin),
      opened.password ?? '',
      encoding,
    )
    expect(view.hello).toEqual({
      version: 'RFB 003.008\n',
      types: [2],
      result: 0,
      width: 640,
      height: 400,
      name: 'QEMU (web-frontend)',
    })
    expect(await view.update(false)).toBe(1)
    const before = Buffer.from(view.screen)
    expect(before.some((byte) => byte !== 0)).toBe(true)
    view.type('roo')
    // The echo changes a part of the picture, the rest stays.
    await view.update(true)
    expect(view.screen.equals(before)).toBe(false)
    view.type('\b\b\b')
    while (!view.screen.equals(before)) await view.update(true)
    view.close()
  })
})

it('is refused with a wrong password', async () => {
  const opened = await proxy()
  const view = viewer(openSocket(pve.sim, VM, opened, pve.admin), 'wrong')
  expect((await view).hello).toMatchObject({ result: 1, reason: 'Authentication failed' })
  ;(await view).close()
})

describe('the websocket', () => {
  it('requires the ticket of this VM, this port and this caller', async () => {
    const opened = await proxy()
    expect(await status({ ...VM, vmid: 101 }, opened)).toBe(401)
    expect(await status(VM, { ...opened, port: 5999 })).toBe(401)
    expect(await status(VM, { ...opened, ticket: `${opened.ticket}x` })).toBe(401)
    expect(await status(VM, opened, tokenHeader('viewer@pve!nothing'))).toBe(403)
    expect(await status(VM, opened, {})).toBe(401)
    const root = await pve.ticket('root@pam', pve.sim.password)
    expect(await status(VM, opened, root)).toBe(401)
    expect(await status(VM, opened)).toBe(101)
    expect(await status(VM, opened), 'the port takes one viewer').toBe(500)
  })

  it('answers a plain GET with the port', async () => {
    const opened = await proxy()
    const query = `port=${opened.port}&vncticket=${encodeURIComponent(opened.ticket)}`
    const reply = await pve.call('GET', `/nodes/pve1/qemu/100/vncwebsocket?${query}`)
    expect(reply.data).toEqual({ port: String(opened.port) })
  })

  it('opens and closes at once for a VM that is off', async () => {
    const stopped = { node: 'pve1', vmid: 103 }
    const opened = await proxy(stopped)
    const socket = openSocket(pve.sim, stopped, opened, pve.admin)
    await new Promise((resolve) => socket.on('close', resolve))
    expect(await pve.ended(opened.upid)).toBe('Failed to run vncproxy.')
  })

  it('is useless without websocket=1 since April 2026', async () => {
    const opened = await proxy(VM, {})
    const socket = openSocket(pve.sim, VM, opened, pve.admin)
    let received = 0
    socket.on('message', () => received++)
    await new Promise((resolve) => socket.on('close', resolve))
    expect(received).toBe(0)
  })

  it('closes when the VM stops', async () => {
    const where = { node: 'pve1', vmid: 102 }
    const opened = await proxy(where)
    const socket = openSocket(pve.sim, where, opened, pve.admin)
    const closed = new Promise((resolve) => socket.on('close', resolve))
    await upgradeStatus(socket)
    pve.sim.state.crashVm(102)
    await closed
    expect(await pve.ended(opened.upid)).toBe('OK')
  })
})

it('closes an unused port, and expires its ticket after forty seconds', async () => {
  let time = Date.now()
  const quick = await harness({ consoleWaitMs: 30, now: () => time })
  const opened = await proxy(VM, { websocket: '1' }, quick)
  expect(await quick.ended(opened.upid)).toBe('connection timed out')
  expect(await upgradeStatus(openSocket(quick.sim, VM, opened, quick.admin))).toBe(500)
  time += 41_000
  expect(await upgradeStatus(openSocket(quick.sim, VM, opened, quick.admin))).toBe(401)
  await quick.close()
})

describe('tickets', () => {
  it('start with the password since April 2026', async () => {
    const opened = await proxy()
    expect(opened.password).toMatch(/^[!-`]{8}$/)
    expect(opened.ticket.startsWith(`${opened.password}:PVEVNC:`)).toBe(true)
    expect(opened).toMatchObject({
      user: 'root@pam!hushbox',
      cert: pve.sim.caPem,
      port: expect.stringMatching(/^59\d\d$/),
    })
  })

  it('were the password themselves before', async () => {
    const old = await harness({ version: '8.4' })
    const opened = await proxy(VM, { websocket: '1' }, old)
    expect(opened.password).toBeUndefined()
    expect(opened.ticket).toMatch(/^PVEVNC:[0-9A-F]{8}::/)
    expect(opened.port).toMatch(/^59\d\d$/)
    const view = await viewer(openSocket(old.sim, VM, opened, old.admin), opened.ticket)
    expect(view.hello.result).toBe(0)
    view.close()
    await old.close()
  })
})

describe('the machine', () => {
  const facts = {
    os: 'Debian GNU/Linux 12',
    windows: false,
    hostname: 'box',
    vmid: 7,
    addresses: [{ card: 'eth0', mac: 'BC:24:11:00:00:01', cidr: '203.0.113.7/24' }],
    cores: 2,
    memoryMiB: 2048,
    diskGiB: 20,
    now: 0,
  }
  const start = (bootMs = 0) =>
    machine({
      facts: () => facts,
      uptime: () => 90_000_000,
      bootMs,
      isPassword: (user, word) => user === 'root' && word === 'right',
      powerOff: () => {},
    })
  const type = (box: ReturnType<typeof machine>, text: string) => {
    for (const char of text) box.key(char === '\n' ? 0xff0d : char.charCodeAt(0), true)
  }

  it('shows boot text, host name, address and a login prompt', () => {
    const text = start().screen.text()
    expect(text).toMatch(/Welcome to Debian GNU\/Linux 12!/)
    expect(text).toMatch(/eth0: 203\.0\.113\.7\n\nbox login:$/m)
  })

  it('accepts the right password and answers a few commands', () => {
    const box = start()
    type(box, 'root\nwrong\n')
    expect(box.screen.text()).toMatch(/Login incorrect/)
    type(box, 'root\nright\nhostname\nip addr\nuptime\nfree\nfrobnicate\n')
    const text = box.screen.text()
    expect(text).not.toMatch(/right/)
    expect(text).toMatch(/root@box:~# hostname\nbox\n/)
    expect(text).toMatch(/inet 203\.0\.113\.7\/24/)
    expect(text).toMatch(/up 1 day, 1:00/)
    expect(text).toMatch(/Mem: +2048/)
    expect(text).toMatch(/frobnicate: command not found/)
    type(box, 'exit\n')
    expect(box.screen.text()).toMatch(/box login:$/)
    box.close()
  })

  it('shows its boot messages when it was just switched on', async () => {
    const box = machine({
      facts: () => facts,
      uptime: () => 0,
      bootMs: 40,
      isPassword: () => false,
      powerOff: () => {},
    })
    expect(box.screen.text()).not.toMatch(/login:/)
    await pve.until(() => /login:/.test(box.screen.text()))
    box.close()
  })

  it('scrolls', () => {
    const screen = textScreen()
    for (let i = 0; i < ROWS + 5; i++) screen.write(`line ${i}\n`)
    expect(screen.text().split('\n')[0]).toBe('line 6')
    expect(screen.row(0).length).toBe(80)
    expect(drawRows(screen, 0, 0, DEFAULT_FORMAT).length).toBe(640 * 16 * 4)
  })
})
