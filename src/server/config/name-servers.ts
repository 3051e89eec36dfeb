import { isIP, isIPv4, isIPv6 } from 'node:net'
import { z } from 'zod'

const PROBLEM =
  'must be addresses of name servers, comma-separated, such as 9.9.9.9 or 127.0.0.1:5353'

/** An address, with a port if it is not 53: 9.9.9.9, 127.0.0.1:5353, ::1, [::1]:5353. */
function isNameServer(text: string): boolean {
  if (isIP(text) !== 0) return true
  const [, six, four, port] = /^(?:\[(.+)\]|([\d.]+)):(\d{1,5})$/.exec(text) ?? []
  const isAddress = six === undefined ? isIPv4(four ?? '') : isIPv6(six)
  return isAddress && Number(port) >= 1 && Number(port) <= 65_535
}

/** Name servers, in the form that the resolver takes. */
export const nameServers = z
  .string()
  .transform((text) => text.split(',').map((one) => one.trim()))
  .refine((list) => list.every(isNameServer), PROBLEM)
