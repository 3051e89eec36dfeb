import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { isIP } from 'node:net'
import { AppError } from '#shared/errors.ts'
import { isoSizeRefusal, isoUrlRefusal } from '#shared/rules/instance/cds.ts'
import type { Db } from '../../db/database.ts'
import { clusters } from '../../db/schema/infrastructure.ts'
import { addressKind } from '../../lib/net/address-kind.ts'
import { guardedLookup, isInside } from '../../lib/net/guarded-lookup.ts'

const TIMEOUT_MS = 10_000

const refused = (message: string, cause?: unknown) =>
  new AppError('INVALID_INPUT', message, {
    details: [{ path: 'url', message }],
    publicMessage: message,
    cause,
  })

export type IsoProbe = (url: string) => Promise<void>

const NOT_PUBLIC =
  'The address leads into a private network. An image must be where anyone can download it.'

/**
 * Asks for an image before a node does: the node would follow any name and redirect, also into the
 * network of the cluster. Refuses everything that is not a file on the internet of a known size.
 */
export function createIsoProbe(db: Db, { allowsLoopback }: { allowsLoopback: boolean }): IsoProbe {
  return async (url) => {
    const why = isoUrlRefusal(url, { anyPort: allowsLoopback })
    if (why !== undefined) throw refused(why)
    const rows = await db.select({ addresses: clusters.ownAddresses }).from(clusters)
    const ofClusters = new Set(rows.flatMap(({ addresses }) => addresses))
    const refusalOf = (address: string) => {
      const kind = addressKind(address)
      if (kind === 'loopback' && allowsLoopback) return undefined
      const isPublic = kind === 'other' && !isInside(address) && !ofClusters.has(address)
      return isPublic ? undefined : NOT_PUBLIC
    }
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && refusalOf(host) !== undefined) throw refused(NOT_PUBLIC)
    const head = await ask('HEAD', url, refusalOf)
    // Some servers know GET only; its answer is dropped after the headers.
    const isUnknown = head.status === 405 || head.status === 501
    const { status, bytes } = isUnknown ? await ask('GET', url, refusalOf) : head
    const refusal = answerRefusal(status) ?? isoSizeRefusal(bytes)
    if (refusal !== undefined) throw refused(refusal)
  }
}

function answerRefusal(status: number): string | undefined {
  if (status >= 300 && status < 400) {
    return 'The address redirects to another one. Enter the address that it leads to.'
  }
  return status === 200 ? undefined : `The server at that address answers ${status}.`
}

async function ask(
  method: 'GET' | 'HEAD',
  url: string,
  refusalOf: (address: string) => string | undefined,
): Promise<{ status: number; bytes: number | undefined }> {
  try {
    return await new Promise((done, fail) => {
      const options = {
        method,
        lookup: guardedLookup({ refusalOf, fail: refused }),
        agent: false,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }
      const asked = request(url, options, (reply: IncomingMessage) => {
        const { statusCode: status = 0, headers } = reply
        const length = headers['content-length']
        reply.destroy()
        done({ status, bytes: length === undefined ? undefined : Number(length) })
      })
      asked.on('error', fail).end()
    })
  } catch (error) {
    if (error instanceof AppError) throw error
    throw refused('Nothing answers at that address, or its certificate is not valid.', error)
  }
}
