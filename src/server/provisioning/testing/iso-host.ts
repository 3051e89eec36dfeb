import { createHash } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createTls } from '#pve-sim/tls/certificates.ts'
import { atEnd } from '../../testing/at-end.ts'

type Answer = { status: number; headers: Record<string, string | number>; body?: Buffer }
type Asked = { method: string; path: string }

const IMAGE = Buffer.from('a system on a CD')

/** A web server of this machine, with a certificate that this process trusts until the test ends. */
export async function isoHost() {
  const names = ['127.0.0.1', 'localhost']
  const { caPem, leafKey, leafPem } = createTls({
    clusterId: 'images',
    fqdn: 'localhost',
    names,
    now: Date.now(),
  })
  const trusted = getCACertificates()
  setDefaultCACertificates([...trusted, caPem])
  const asked: Asked[] = []
  const answers = new Map<string, (method: string) => Answer>()
  const server = createServer({ key: leafKey, cert: leafPem }, (request, reply) => {
    const { method = '', url: path = '' } = request
    asked.push({ method, path })
    const { status, headers, body } = answers.get(path)?.(method) ?? { status: 404, headers: {} }
    reply.writeHead(status, headers)
    reply.end(method === 'HEAD' ? undefined : body)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  atEnd(() => {
    setDefaultCACertificates(trusted)
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo

  return {
    asked,
    urlOf: (path: string, host = '127.0.0.1') => `https://${host}:${port}${path}`,
    sha256: createHash('sha256').update(IMAGE).digest('hex'),
    answer: (path: string, given: (method: string) => Answer) => void answers.set(path, given),
    /** A proper file. */
    serve: (path: string) =>
      void answers.set(path, () => ({
        status: 200,
        headers: { 'content-length': IMAGE.length },
        body: IMAGE,
      })),
  }
}
