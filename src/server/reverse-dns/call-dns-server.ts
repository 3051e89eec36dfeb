import { CallError, guardedCall } from '../lib/net/guarded-call.ts'
import { away } from './dns-server.ts'

/** A DNS server that cannot be called is away. */
export async function callDnsServer(
  ...call: Parameters<typeof guardedCall>
): ReturnType<typeof guardedCall> {
  try {
    return await guardedCall(...call)
  } catch (error) {
    throw error instanceof CallError ? away(error.message, error) : error
  }
}
