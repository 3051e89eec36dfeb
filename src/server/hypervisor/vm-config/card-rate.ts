import { changeNetDevice, getProperty, readNetDevice } from '#proxmox/wire/property-string.ts'
import { AppError } from '#shared/errors.ts'

/** PVE's MB/s are MiB/s (facts-2 §8): 100 Mbit/s are 11.9209. */
const MIB_PER_MBIT = 1e6 / 8 / 1024 ** 2

const rateText = (mbit: number): string => String(Number((mbit * MIB_PER_MBIT).toFixed(4)))

/** A network card with this limit; every other setting of it stays as it is. */
export function limitedCard(net0: string | undefined, rateMbit: number | null): string {
  if (net0 === undefined || readNetDevice(net0)?.mac === undefined) {
    throw new AppError('INVALID_STATE', 'This VM has no network card net0.')
  }
  const before = getProperty(net0, 'rate')
  // PVE reads 0 as no limit at all, so it is never written.
  if (rateMbit !== null && !(rateMbit >= 1)) {
    throw new AppError('INVALID_INPUT', 'A rate is 1 Mbit/s or more.')
  }
  const wanted = rateMbit === null ? undefined : rateText(rateMbit)
  const isSame = before === undefined ? wanted === undefined : Number(before) === Number(wanted)
  return isSame ? net0 : changeNetDevice(net0, { rate: wanted })
}
