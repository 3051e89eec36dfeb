import { useState } from 'react'
import type { Cluster } from '#shared/api/servers/clusters.ts'
import { useSearchParam } from '../../lib/paths/use-search-param.ts'
import { Tabs } from '../../ui/layout/tabs.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { ConnectionTab } from './connection-tab.tsx'
import { PermissionsTab } from './permissions-tab.tsx'
import { ProvisioningTab } from './provisioning-tab.tsx'

type ClusterSettingsDialogProps = { cluster: Cluster; onClose: () => void }

export function ClusterSettingsDialog({ cluster, onClose }: ClusterSettingsDialogProps) {
  // In the address, so that a warning elsewhere can link to the right tab.
  const [asked] = useSearchParam('tab')
  const [tab, setTab] = useState(asked || 'connection')
  return (
    <Dialog isOpen onClose={onClose} title="Cluster settings" description={cluster.name}>
      <Tabs
        label="Cluster settings"
        value={tab}
        onChange={setTab}
        tabs={[
          {
            value: 'connection',
            label: 'Connection',
            content: <ConnectionTab cluster={cluster} onClose={onClose} />,
          },
          {
            value: 'new-vms',
            label: 'New VMs',
            content: <ProvisioningTab cluster={cluster} onClose={onClose} />,
          },
          {
            value: 'permissions',
            label: 'Permissions',
            content: <PermissionsTab cluster={cluster} />,
          },
        ]}
      />
    </Dialog>
  )
}
