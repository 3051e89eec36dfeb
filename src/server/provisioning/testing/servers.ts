import { api } from '#shared/api/index.ts'
import { statement } from '../../ledger/statement.ts'
import type { SimApp } from '../../testing/test-app.ts'
import type { Shop } from './shop.ts'

/** Servers that clients have bought and that an admin has marked as paid. */
export function sellServers(t: SimApp, shop: Shop) {
  const markPaid = (id: number) =>
    shop.admin.call(api.orders.update, { params: { id }, body: { status: 'paid' } })

  const claimed = async () => {
    const user = await t.make.client()
    const token = await shop.token()
    const params = { tokenId: token.tokenId }
    const { order } = await t.as(user).call(api.marketplace.purchase, { params })
    return { user, token, order }
  }

  return {
    markPaid,
    claimed,
    /** A running server, and the call that ends it. */
    async server() {
      const { user, token, order } = await claimed()
      await markPaid(order.id)
      await shop.ended((await shop.orderRow(order.id)).jobId ?? undefined)
      const { assignedInstanceId, proxmoxVmId } = await shop.tokenRow(token.id)
      const vmId = proxmoxVmId ?? 0
      const end = (refund: 'none' | 'credit' | 'provider', confirm = String(vmId)) => ({
        params: { id: assignedInstanceId ?? 0 },
        body: { refund, confirm },
      })
      return { user, token, order, vmId, id: assignedInstanceId ?? 0, end }
    },
    creditOf: async (user: { id: number; role: string }) =>
      (await t.as(user).call(api.billing.overview)).credit,
    isOn: (vmId: number) => t.sim.state.vms.get(vmId)?.qmp === 'running',
    isBalanced: async () => (await statement(t.db)).isBalanced,
  }
}
