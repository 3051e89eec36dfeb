import { X509Certificate } from 'node:crypto'
import { request } from 'node:https'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Sim, startSim } from '../sim.ts'

let sim: Sim
beforeAll(async () => {
  sim = await startSim()
})
afterAll(() => sim.close())

type Trust = { ca?: string; allowPartialTrustChain?: boolean; servername?: string }

const connectWith = (trust: Trust) =>
  new Promise<string>((resolve) => {
    const { host, port } = sim
    request({ host, port, path: '/', agent: false, ...trust }, (response) => {
      response.resume()
      resolve('trusted')
    })
      .on('error', (error) => resolve('code' in error ? String(error.code) : error.message))
      .end()
  })

it('is an authority valid for ten years and a leaf under it', () => {
  const ca = new X509Certificate(sim.caPem)
  const leaf = new X509Certificate(sim.certPem)
  expect(ca.subject).toContain('O=PVE Cluster Manager CA')
  expect(ca.ca).toBe(true)
  expect(leaf.verify(ca.publicKey)).toBe(true)
  expect(leaf.checkIssued(ca)).toBe(true)
  expect(leaf.ca).toBe(false)
  const years = (ca.validToDate.getTime() - Date.now()) / (365 * 86_400_000)
  expect(Math.round(years)).toBe(10)
  for (const name of ['localhost', 'pve1', 'pve1.hushbox.example'])
    expect(leaf.checkHost(name)).toBe(name)
  for (const ip of ['127.0.0.1', '::1']) expect(leaf.checkIP(ip)).toBe(ip)
  expect(leaf.fingerprint256).toBe(sim.fingerprint)
})

it('can be trusted by the authority, or by the leaf alone', async () => {
  expect(await connectWith({ ca: sim.caPem })).toBe('trusted')
  expect(await connectWith({ ca: sim.certPem, allowPartialTrustChain: true })).toBe('trusted')
  expect(await connectWith({ ca: sim.certPem })).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
  expect(await connectWith({})).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
})

it('is renewed under the same authority, which breaks a pinned leaf', async () => {
  const { certPem, fingerprint } = sim
  await sim.rotateCertificate()
  expect(sim.fingerprint).not.toBe(fingerprint)
  expect(await connectWith({ ca: certPem, allowPartialTrustChain: true })).not.toBe('trusted')
  expect(await connectWith({ ca: sim.caPem })).toBe('trusted')
})
