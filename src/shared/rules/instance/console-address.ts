/** A console reply in either shape: with `vnc` inside, or the object itself. */
type VncFacts = {
  host?: string | undefined
  port?: number | undefined
  vmid?: number | undefined
  node?: string | undefined
  ticket?: string | undefined
}
export type ConsoleReply = VncFacts & { success?: boolean; vnc?: VncFacts | undefined }

export type Vnc = {
  host: string | undefined
  port: number
  vmid: number
  node: string
  ticket: string
}

/** The facts a console needs, or a sentence that says which one is missing. */
export function readVnc(reply: ConsoleReply): Vnc | { problem: string } {
  const { host, port, vmid, node, ticket } = reply.vnc ?? reply
  const missing = [...(port ? [] : ['port']), ...(ticket ? [] : ['ticket'])]
  if (!port || !ticket) {
    return { problem: `Invalid VNC response: missing ${missing.join(' and ')}` }
  }
  return { host, port, vmid: vmid ?? 0, node: node ?? '', ticket }
}

/** The specified address of a cluster's own console, for clusters marked "direct console". */
export function directConsoleAddress(
  page: { protocol: string; hostname: string },
  { host, vmid, node, ticket }: Omit<Vnc, 'port'>,
): string {
  const scheme = page.protocol === 'https:' ? 'https' : 'http'
  const query = new URLSearchParams({
    console: 'kvm',
    vmid: String(vmid),
    node,
    resize: 'scale',
    token: ticket,
  })
  return `${scheme}://${host || page.hostname}:8006/?${query}`
}
