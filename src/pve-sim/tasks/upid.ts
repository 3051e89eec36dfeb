type Upid = {
  node: string
  pid: number
  pstart: number
  starttime: number
  type: string
  id: string
  authid: string
}

const hex = (n: number) => n.toString(16).toUpperCase().padStart(8, '0')

/** UPID:node:PID:PSTART:START:type:id:user@realm[!token]: with the trailing colon. */
export function formatUpid(upid: Upid): string {
  const { node, pid, pstart, starttime, type, id, authid } = upid
  return `UPID:${node}:${hex(pid)}:${hex(pstart)}:${hex(starttime)}:${type}:${id}:${authid}:`
}

const PATTERN =
  /^UPID:([a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?):([0-9A-Fa-f]{8}):([0-9A-Fa-f]{8,9}):([0-9A-Fa-f]{8}):([^:\s]+):([^:\s]*):([^:\s]+):$/

export function parseUpid(text: string): Upid | undefined {
  const match = PATTERN.exec(text)
  if (!match) return undefined
  const [, node = '', pid = '', pstart = '', start = '', type = '', id = '', authid = ''] = match
  return {
    node,
    pid: Number.parseInt(pid, 16),
    pstart: Number.parseInt(pstart, 16),
    starttime: Number.parseInt(start, 16),
    type,
    id,
    authid,
  }
}
