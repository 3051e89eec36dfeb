import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { ROOT } from '../../lib/root.ts'
import { pathOf } from './request-address.ts'
import { pagePolicy } from './security-headers.ts'
import { sessionCookie } from './session-cookie.ts'

const WEB_ROOT = join(ROOT, 'dist/web')
const YEAR_SECONDS = 31_536_000

/** Serves the built pages: hashed files, cached forever, and one document for every other path. */
export async function serveWebApp(
  app: FastifyInstance,
  config: Config,
  readWays: () => Promise<string[]>,
): Promise<void> {
  const file = join(WEB_ROOT, 'index.html')
  if (!existsSync(file)) throw new Error('The pages are not built: run npm run build first.')
  const document = readFileSync(file, 'utf8')
  const cookies = sessionCookie(config)

  await app.register(fastifyStatic, {
    root: join(WEB_ROOT, 'assets'),
    prefix: '/assets/',
    index: false,
    preCompressed: true,
    immutable: true,
    maxAge: YEAR_SECONDS * 1000,
  })
  for (const name of ['favicon.svg', 'robots.txt'].filter((name) =>
    existsSync(join(WEB_ROOT, name)),
  )) {
    app.get(`/${name}`, (_request, reply) => reply.sendFile(name, WEB_ROOT, { maxAge: 3_600_000 }))
  }

  /** Without its database the house still shows its pages, which say so themselves. */
  const waysNow = (request: FastifyRequest): Promise<string[]> =>
    readWays().catch((error: unknown) => {
      request.log.warn({ err: error }, 'a page goes out without the ways to pay')
      return []
    })

  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = pathOf(request)
    // Paths of pages have no dots: a path with one is a missing file.
    if (path.includes('.') || path.startsWith('/api/') || path === '/api') {
      return reply.callNotFound()
    }
    const hasSession = cookies.read(request) !== undefined
    const ways = await waysNow(request)
    const nonce = randomBytes(16).toString('base64')
    reply.header('content-security-policy', pagePolicy(nonce))
    reply.header('cache-control', 'no-store')
    return reply.type('text/html; charset=utf-8').send(
      document
        .replaceAll('__NONCE__', nonce)
        .replace('<html', `<html ${attributes(config, { hasSession, ways })}`)
        .replaceAll('__BRAND__', escapeHtml(config.brandName)),
    )
  }
  app.get('/', page)
  app.get('/*', page)
}

/** What the page must know before its first call. */
function attributes(config: Config, now: { hasSession: boolean; ways: string[] }): string {
  const facts = {
    'data-brand': config.brandName,
    'data-session': now.hasSession ? 'maybe' : 'none',
    'data-grace-days': String(config.graceDays),
    'data-payment-ways': now.ways.join(', '),
    'data-operator': config.operator.name ?? '',
    'data-operator-place': config.operator.place ?? '',
    'data-operator-contact': config.operator.contact ?? '',
    ...(config.demo ? { 'data-demo': '1' } : {}),
  }
  return Object.entries(facts)
    .map(([name, value]) => `${name}="${escapeHtml(value)}"`)
    .join(' ')
}

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
