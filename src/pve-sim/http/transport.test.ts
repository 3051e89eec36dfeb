import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, harness, sendTo } from '../testing/harness.ts'

let pve: Harness
beforeAll(async () => {
  pve = await harness()
})
afterAll(() => pve.close())

/** Sends raw bytes, for requests that no well-behaved client would send. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { host, port, caPem } = pve.sim
    const socket = connect({ host, port, ca: caPem }, () => socket.write(text))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}

describe('errors', () => {
  it('are in the reason phrase and the body', async () => {
    const reply = await pve.call('GET', '/nodes/pve1/qemu/999/status/current')
    const text = "Configuration file 'nodes/pve1/qemu-server/999.conf' does not exist"
    expect(reply.status).toBe(500)
    expect(reply.reason).toBe(text)
    expect(reply.body).toEqual({ data: null, message: `${text}\n` })
    expect(reply.headers.connection).toMatch(/close/)
  })

  it('are not in the body before 2025', async () => {
    const old = await harness({ version: '7.4' })
    const reply = await old.call('GET', '/nodes/pve1/qemu/999/config')
    expect(reply.body).toEqual({ data: null })
    expect(reply.reason).toMatch(/does not exist/)
    await old.close()
  })

  it('are never 404: unknown paths and methods are not implemented', async () => {
    const path = await pve.call('GET', '/foo/bar')
    expect([path.status, path.reason]).toEqual([501, "Method 'GET /foo/bar' not implemented"])
    const method = await pve.call('PUT', '/version', {})
    expect([method.status, method.reason]).toEqual([501, "Method 'PUT /version' not implemented"])
    expect(
      (await raw('PATCH /api2/json/version HTTP/1.1\r\nHost: x\r\n\r\n')).split('\r\n')[0],
    ).toBe("HTTP/1.1 501 method 'PATCH' not available")
  })

  it('report a node that does not exist as a failed lookup', async () => {
    const reply = await pve.call('GET', '/nodes/nowhere/status')
    expect([reply.status, reply.reason]).toEqual([
      500,
      "hostname lookup 'nowhere' failed - failed to get address info for: nowhere: Name or service not known",
    ])
  })
})

describe('bodies', () => {
  it('are refused on GET and DELETE', async () => {
    for (const method of ['GET', 'DELETE']) {
      const reply = await pve.send(method, '/nodes/pve1/qemu/103', { text: 'purge=1' })
      expect([reply.status, reply.reason]).toEqual([
        501,
        `Unexpected content for method '${method}'`,
      ])
    }
  })

  it('are refused when chunked', async () => {
    const head = `POST /api2/json/access/ticket HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`
    expect(await raw(head)).toMatch(/^HTTP\/1.1 501 chunked transfer encoding not supported/)
  })

  it('are refused beyond the size limit', async () => {
    const reply = await pve.send('PUT', '/nodes/pve1/qemu/103/config', {
      text: `description=${'x'.repeat(600_000)}`,
    })
    expect([reply.status, reply.reason]).toEqual([501, 'for data too large'])
  })

  it('are split on & and on ; as forms', async () => {
    const text = 'onboot=1;name=one%3Btwo'
    const reply = await pve.send('PUT', '/nodes/pve1/qemu/103/config', { text })
    expect(reply.body.errors).toEqual({ name: expect.stringMatching(/valid DNS name/) })
    await pve.send('PUT', '/nodes/pve1/qemu/103/config', { text: 'onboot=1;description=a%3Bb+c' })
    const { data } = await pve.call('GET', '/nodes/pve1/qemu/103/config')
    expect(data).toMatchObject({ onboot: 1, description: 'a;b c' })
  })

  it('are read as JSON objects, and anything else is an error', async () => {
    const json = (text: string) =>
      pve.send('PUT', '/nodes/pve1/qemu/103/config', {
        text,
        headers: { 'content-type': 'application/json' },
      })
    expect((await json('{"onboot":true,"cores":2}')).status).toBe(200)
    expect((await json('[]')).reason).toBe('Not a HASH reference')
    expect((await json('')).reason).toMatch(/^malformed JSON string/)
    const xml = { text: '<a/>', headers: { 'content-type': 'text/xml' } }
    expect((await pve.send('PUT', '/nodes/pve1/qemu/103/config', xml)).status).toBe(506)
  })
})

describe('parameters', () => {
  it('are all named when invalid', async () => {
    const reply = await pve.call('PUT', '/nodes/pve1/qemu/103/config', {
      onboot: 'true',
      cores: '0',
      unheard: '1',
      bios: 'uefi',
      sshkeys: 'ssh-rsa AAAA',
    })
    expect([reply.status, reply.reason]).toEqual([400, 'Parameter verification failed.'])
    expect(reply.body.errors).toEqual({
      onboot: "type check ('boolean') failed - got 'true'",
      cores: 'value must have a minimum value of 1',
      unheard:
        'property is not defined in schema and the schema does not allow additional properties',
      bios: "value 'uefi' does not have a value in the enumeration 'seabios, ovmf'",
      sshkeys: 'invalid format - invalid urlencoded string: ssh-rsa AAAA\n',
    })
  })

  it('are reported when missing', async () => {
    const reply = await pve.call('POST', '/nodes/pve1/qemu/9004/clone', {})
    expect(reply.body.errors).toEqual({ newid: 'property is missing and it is not optional' })
  })

  it('are refused when only a later release knows them', async () => {
    const old = await harness({ version: '7.4' })
    const reply = await old.call('POST', '/nodes/pve1/qemu/100/status/stop', {
      'overrule-shutdown': '1',
    })
    expect(Object.keys(reply.body.errors ?? {})).toEqual(['overrule-shutdown'])
    await old.close()
  })

  it('are refused when they contradict a part of the path', async () => {
    const reply = await pve.call('POST', '/nodes/pve1/qemu/103/status/start', { vmid: '104' })
    expect(reply.body.errors).toEqual({
      vmid: 'duplicate parameter (already defined in URI) with conflicting values!',
    })
  })

  it('are checked inside property strings', async () => {
    const wrong = {
      net0: 'virtio=01:00:00:00:00:01,bridge=vmbr0',
      ipconfig0: 'gw=10.0.0.1',
      machine: 'i440fx',
    }
    const reply = await pve.call('PUT', '/nodes/pve1/qemu/103/config', wrong)
    expect(reply.body.errors).toMatchObject({
      net0: 'invalid format - format error\nnet0.macaddr: invalid format - value does not look like a valid unicast MAC address\n\n',
      ipconfig0:
        "invalid format - format error\nipconfig0.ip: missing property required by 'ipconfig0.gw'\n",
      machine:
        'invalid format - format error\nmachine.type: value does not match the regex pattern\n',
    })
  })
})

it('the log of requests is bounded and omits queries', async () => {
  await sendTo(pve.sim, 'GET', '/cluster/nextid?vmid=100', { headers: pve.admin })
  expect(pve.sim.requests.at(-1)).toEqual({ method: 'GET', path: '/cluster/nextid', status: 400 })
})
