import { Suspense } from 'react'
import type { Instance } from '#shared/api/servers/instances.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'

// Loaded when opened: a form brings its checks with it.
const InstanceConfigDialog = lazyPage(
  () => import('../instance-config/instance-config-dialog.tsx'),
  'InstanceConfigDialog',
)

const DeleteInstanceDialog = lazyPage(
  () => import('./delete-instance-dialog.tsx'),
  'DeleteInstanceDialog',
)
const EndServerDialog = lazyPage(() => import('./end-server-dialog.tsx'), 'EndServerDialog')

/** A client's server is ended; a VM without a client is deleted. */
export const isClients = ({ ownerId, isKept }: Pick<Instance, 'ownerId' | 'isKept'>): boolean =>
  ownerId !== null && !isKept

export type OpenInstance = { dialog: 'configure' | 'delete'; instance: Instance }

type InstanceDialogsProps = {
  open: OpenInstance | undefined
  onClose: () => void
  onDeleted?: () => void
}

/** The dialogs of one instance, rendered beside a list whose rows come and go. */
export function InstanceDialogs({ open, onClose, onDeleted }: InstanceDialogsProps) {
  if (!open) return null
  const { dialog, instance } = open
  return (
    <Suspense>
      {dialog === 'configure' ? (
        <InstanceConfigDialog instance={instance} onClose={onClose} />
      ) : isClients(instance) ? (
        <EndServerDialog instance={instance} audience="operator" onClose={onClose} />
      ) : (
        <DeleteInstanceDialog
          instance={instance}
          onClose={onClose}
          {...(onDeleted && { onDeleted })}
        />
      )}
    </Suspense>
  )
}
