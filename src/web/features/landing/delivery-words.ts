import type { DeliveryFigures } from '#shared/api/shop/delivery.ts'

const count = new Intl.NumberFormat('en-US')

/** "You pay when your server answers. Of the last 414, 412 did, …"; undefined without figures. */
export function deliveryWords({
  delivered,
  returned,
  medianSeconds,
}: DeliveryFigures): string | undefined {
  if (medianSeconds === null) return undefined
  const all = count.format(delivered + returned)
  const back = returned === 0 ? '' : `; for ${count.format(returned)} the money came back by itself`
  return `You pay when your server answers. In 30 days ${count.format(delivered)} of ${all} did, half of them within ${timeWords(medianSeconds)}${back}.`
}

const timeWords = (seconds: number): string =>
  seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`
