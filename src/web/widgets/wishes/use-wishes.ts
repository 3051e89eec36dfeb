import { useState } from 'react'
import type { Wishes } from '#shared/api/parts/wishes.ts'
import { isHostname } from '#shared/rules/network/hostname.ts'

export type WishFields = {
  label: string
  hostname: string
  sshKeyIds: readonly number[]
  userData: string
}

const NONE: WishFields = { label: '', hostname: '', sshKeyIds: [], userData: '' }

/** Only what was chosen: an empty field is no wish. */
export function wishesOf({ label, hostname, sshKeyIds, userData }: WishFields): Wishes {
  return {
    ...(label.trim() !== '' && { label: label.trim() }),
    ...(hostname.trim() !== '' && { hostname: hostname.trim().toLowerCase() }),
    ...(sshKeyIds.length > 0 && { sshKeyIds: [...sshKeyIds] }),
    ...(userData.trim() !== '' && { userData }),
  }
}

export const isHostnameWish = (hostname: string): boolean =>
  hostname.trim() === '' || isHostname(hostname.trim().toLowerCase())

/** What a client wants of a new server besides its size and system. */
export function useWishes() {
  const [fields, setFields] = useState(NONE)
  return {
    fields,
    set: (change: Partial<WishFields>) => setFields({ ...fields, ...change }),
    wishes: wishesOf(fields),
    isValid: isHostnameWish(fields.hostname),
  }
}
