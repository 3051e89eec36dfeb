import type { Job } from '#shared/api/overview/dashboard.ts'
import type { ClientOrder } from '#shared/api/shop/orders.ts'
import { tellsOfSilence } from '#shared/rules/instance/proof-of-life.ts'
import { isNothing } from '../../lib/billing/credit.ts'

export type Undelivered = { id: string; title: string; text: string }

type Failed = Pick<Job, 'id' | 'title' | 'error'>
type Told = Pick<ClientOrder, 'status' | 'failure' | 'amount'>

const UNKNOWN = 'Something went wrong on our side.'

/**
 * What a client reads of the servers that could not be created. Only an order that is still paid
 * promises another try; of one that ended, what silence led to is told and nothing else. A job
 * carries the same sentence as its order, which is all that leads from one to the other. Without
 * `orders` nothing is known of them: then each job says why it failed, and no more.
 */
export function undeliveredOf(
  failed: readonly Failed[],
  orders: readonly Told[] | undefined,
): Undelivered[] {
  const open = (orders ?? []).filter(({ status, failure }) => status === 'paid' && failure !== null)
  return failed.flatMap(({ id, title, error }) => {
    const at = open.findIndex(({ failure }) => failure === error)
    const [order] = at < 0 ? [] : open.splice(at, 1)
    if (!order && orders && !tellsOfSilence(error)) return []
    const words = [error ?? UNKNOWN, order && promiseOf(order)]
    return [{ id, title: titleOf(title), text: words.filter(Boolean).join(' ') }]
  })
}

const promiseOf = ({ amount }: Told): string => {
  const again = isNothing(amount)
    ? 'Your order stays open and the provider can try again.'
    : 'What you paid is not lost: your order stays open and the provider can try again.'
  return `${again} You may also choose another server.`
}

/** "Create mail" becomes "mail could not be created". */
const titleOf = (title: string) => `${title.replace(/^Create /, '')} could not be created`
