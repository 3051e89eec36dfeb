import { RefreshCw } from 'lucide-react'
import { useMay } from '../../api/session.ts'
import { Button } from '../../ui/form/button.tsx'
import { useSync } from './use-sync.ts'

export function SyncButton() {
  const sync = useSync()
  const maySync = useMay('run')
  if (!maySync) return null
  return (
    <Button isPending={sync.isPending} onClick={() => void sync.run()}>
      {!sync.isPending && <RefreshCw aria-hidden="true" className="size-4" />}
      {sync.isPending ? 'Syncing...' : 'Sync to Proxmox'}
    </Button>
  )
}
