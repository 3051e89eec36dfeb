import { createHash } from 'node:crypto'
import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'

type Download = { url: string; algorithm: string; verifies: boolean }

/** What a node finds at an address: its length and its checksum, not the bytes. */
type Found = { size: number; checksum: string }

export type Internet = (wish: Download) => Promise<Found>

const ENOUGH_REDIRECTS = 5

/** As wget does it on a node: follows redirects, and does not care where they lead. */
export const realInternet: Internet = (wish) => get(wish, ENOUGH_REDIRECTS)

const get = ({ url, algorithm, verifies }: Download, redirects: number): Promise<Found> =>
  new Promise((done, fail) => {
    const isPlain = new URL(url).protocol === 'http:'
    const ask = isPlain ? plainRequest : tlsRequest
    const asked = ask(url, { rejectUnauthorized: verifies }, (reply) => {
      const { statusCode = 0, headers } = reply
      if (statusCode >= 300 && statusCode < 400 && headers.location && redirects > 0) {
        reply.resume()
        const next = new URL(headers.location, url).href
        get({ url: next, algorithm, verifies }, redirects - 1).then(done, fail)
        return
      }
      if (statusCode !== 200) return void fail(new Error(`download failed: HTTP ${statusCode}`))
      const hash = createHash(algorithm)
      let size = 0
      reply.on('data', (chunk: Buffer) => {
        size += chunk.length
        hash.update(chunk)
      })
      reply.on('error', fail)
      reply.on('end', () => done({ size, checksum: hash.digest('hex') }))
    })
    asked.on('error', fail)
    asked.end()
  })
