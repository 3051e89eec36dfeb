import { api } from '#shared/api/index.ts'
import type { Shop } from './shop.ts'

const RESCUE = 'local:iso/debian-12.11.0-amd64-netinst.iso'
const OTHER = 'local:iso/virtio-win-0.1.271.iso'

/** Puts an image on offer, which is also the rescue system: what a call to boot from it is made with. */
export async function anIso({ admin, template }: Shop, params: { id: number }) {
  const { clusterId } = template
  const offered = await admin.call(api.isos.list)
  const known = offered.find(({ volume }) => volume === RESCUE)
  const body = { clusterId, volume: RESCUE, name: 'Rescue', isRescue: true }
  const { id: isoId } = known ?? (await admin.call(api.isos.create, { body }))
  return { params, body: { isoId } }
}

/** What an image is put on offer with. */
export async function anOffer({ admin, template }: Shop) {
  const { clusterId } = template
  for (const { id, volume } of await admin.call(api.isos.list)) {
    if (volume === OTHER) await admin.call(api.isos.remove, { params: { id } })
  }
  return { clusterId, volume: OTHER, name: 'Drivers' }
}
