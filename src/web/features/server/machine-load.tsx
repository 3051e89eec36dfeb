import type { Server } from '#shared/api/overview/servers.ts'
import { formatBytes } from '../../lib/format/bytes.ts'
import { UsageBar } from '../../widgets/facts/usage-bar.tsx'

const GIB = 1024 ** 3

/** How busy the machine is now. */
export function MachineLoad({ server: { cpuUsage, memoryUsed, size } }: { server: Server }) {
  const total = size.ramGb * GIB
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <UsageBar label="CPU" value={cpuUsage} />
      <UsageBar
        label="Memory"
        value={memoryUsed === null ? null : Math.min(1, memoryUsed / total)}
        detail={memoryUsed === null ? undefined : formatBytes(memoryUsed)}
      />
    </div>
  )
}
