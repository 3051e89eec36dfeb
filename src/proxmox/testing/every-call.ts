import type { VmRef } from '../calls/vm-answers.ts'
import type { ProxmoxClient } from '../client.ts'
import { encodeSshKeys } from '../wire/encoding.ts'

/** The objects that calls refer to; a fake invents them, a simulator or cluster has them. */
export type Scene = {
  vm: VmRef
  template: VmRef
  newid: number
  upid: string
  storage: string
  isoStorage: string
  pool: string
  disk: string
  /** A set of addresses in the VM's firewall. */
  ipset: string
}

export type NamedCall = {
  /** `topic.function`, as on the client. */
  name: string
  kind: 'read' | 'write'
  run(client: ProxmoxClient, scene: Scene): Promise<unknown>
}

const read = (name: string, run: NamedCall['run']): NamedCall => ({ name, kind: 'read', run })
const write = (name: string, run: NamedCall['run']): NamedCall => ({ name, kind: 'write', run })

/** Every call the client can make, with every parameter it can send. */
export const everyCall: readonly NamedCall[] = [
  read('version.get', (c) => c.version.get()),
  read('version.supports', (c) => c.version.supports('overrule-shutdown')),
  read('access.permissions', (c) => c.access.permissions()),
  read('cluster.status', (c) => c.cluster.status()),
  read('cluster.resources', (c) => c.cluster.resources()),
  read('cluster.resources', (c) => c.cluster.resources({ type: 'vm' })),
  read('cluster.nextId', (c) => c.cluster.nextId()),
  read('cluster.isFree', (c, s) => c.cluster.isFree(s.newid)),
  read('cluster.tasks', (c) => c.cluster.tasks()),
  read('nodes.list', (c) => c.nodes.list()),
  read('nodes.status', (c, s) => c.nodes.status(s.vm.node)),
  read('nodes.storage', (c, s) =>
    c.nodes.storage(s.vm.node, { content: 'images', onlyEnabled: true }),
  ),
  read('nodes.rrddata', (c, s) => c.nodes.rrddata(s.vm.node, 'hour')),
  read('nodes.network', (c, s) => c.nodes.network(s.vm.node, { type: 'any_bridge' })),
  read('qemu.list', (c, s) => c.qemu.list(s.vm.node)),
  read('qemu.status', (c, s) => c.qemu.status(s.vm)),
  read('qemu.config', (c, s) => c.qemu.config(s.vm, { current: true })),
  read('qemu.pending', (c, s) => c.qemu.pending(s.vm)),
  read('qemu.cloudInit', (c, s) => c.qemu.cloudInit(s.vm, 'network')),
  read('qemu.snapshots', (c, s) => c.qemu.snapshots(s.vm)),
  read('qemu.snapshotConfig', (c, s) => c.qemu.snapshotConfig(s.vm, 'hb-before')),
  read('qemu.rrddata', (c, s) => c.qemu.rrddata(s.vm, 'day')),
  read('qemu.guestInterfaces', (c, s) => c.qemu.guestInterfaces(s.vm)),
  read('firewall.clusterOptions', (c) => c.firewall.clusterOptions()),
  read('firewall.options', (c, s) => c.firewall.options(s.vm)),
  read('firewall.sets', (c, s) => c.firewall.sets(s.vm)),
  read('firewall.rules', (c, s) => c.firewall.rules(s.vm)),
  read('backups.list', (c, s) =>
    c.backups.list({ node: s.vm.node, storage: s.isoStorage }, s.vm.vmid),
  ),
  read('backups.config', (c, s) =>
    c.backups.config(
      { node: s.vm.node, storage: s.isoStorage },
      `${s.isoStorage}:backup/vzdump-qemu-${s.vm.vmid}-x.vma.zst`,
    ),
  ),
  read('find.locate', (c, s) => c.find.locate(s.vm.vmid)),
  read('find.byMarker', (c, s) => c.find.byMarker('hushbox:nobody', s.vm)),
  read('tasks.status', (c, s) => c.tasks.status(s.upid)),
  read('tasks.log', (c, s) => c.tasks.log(s.upid, { start: 0, limit: 50 })),
  read('tasks.list', (c, s) =>
    c.tasks.list(s.vm.node, { vmid: s.vm.vmid, type: 'qmclone', since: 1_700_000_000, limit: 5 }),
  ),
  write('qemu.setConfig', (c, s) =>
    c.qemu.setConfig(s.vm, {
      set: {
        name: 'vps-1.example.net',
        cores: 2,
        sockets: 1,
        memory: 2048,
        balloon: 0,
        onboot: true,
        tags: 'hushbox;customer',
        description: 'hushbox:1 = a; b & c + d',
        ciuser: 'alice',
        cipassword: 'p&=;+ä%',
        ciupgrade: false,
        sshkeys: encodeSshKeys([
          "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAB+/AB+/AB+/AB+/AB+/AB+/AB+/AB+/AB+/AB+/ABC alice's key+/=",
        ]),
        ipconfig0: 'ip=203.0.113.5/24,gw=203.0.113.1',
        nameserver: '192.0.2.53 192.0.2.54',
        searchdomain: 'example.net',
        net0: 'virtio=BC:24:11:AA:BB:CC,bridge=vmbr0,firewall=1,tag=10,rate=12.5',
        agent: '1,fstrim_cloned_disks=1',
        bios: 'seabios',
        machine: 'q35',
        boot: 'order=scsi0;ide2',
      },
      unset: ['cpulimit', 'startup'],
      digest: undefined,
    }),
  ),
  write('qemu.setConfig', (c, s) => {
    const source = `${s.storage}:base-${s.template.vmid}-disk-0`
    const options = 'cache=none,discard=on,iothread=1,iops_rd=500,mbps=200,ssd=1'
    const entry = `${s.storage}:0,import-from=${source},${options}`
    return c.qemu.setConfig(s.vm, { set: { [s.disk]: entry }, unset: ['cipassword', 'unused0'] })
  }),
  read('storage.content', (c, s) =>
    c.storage.content(
      { node: s.vm.node, storage: s.isoStorage },
      { content: 'backup', vmid: s.vm.vmid },
    ),
  ),
  write('storage.downloadIso', (c, s) =>
    c.storage.downloadIso(
      { node: s.vm.node, storage: s.isoStorage },
      { url: 'https://example.org/a.iso', name: 'a.iso', sha256: 'a'.repeat(64) },
    ),
  ),
  write('storage.uploadIso', (c, s) =>
    c.storage.uploadIso(
      { node: s.vm.node, storage: s.isoStorage },
      { name: 'hushbox-1-a.iso', content: Buffer.from('an image\r\n--') },
    ),
  ),
  write('storage.remove', (c, s) =>
    c.storage.remove(
      { node: s.vm.node, storage: s.isoStorage },
      `${s.isoStorage}:iso/hushbox-1-a.iso`,
    ),
  ),
  write('backups.begin', (c, s) =>
    c.backups.begin(s.vm, { storage: s.isoStorage, notes: 'hb-0123 one line' }),
  ),
  write('backups.protect', (c, s) =>
    c.backups.protect(
      { node: s.vm.node, storage: s.isoStorage },
      { volid: `${s.isoStorage}:backup/vzdump-qemu-${s.vm.vmid}-x.vma.zst`, isProtected: true },
    ),
  ),
  write('backups.restore', (c, s) =>
    c.backups.restore(s.vm, {
      archive: `${s.isoStorage}:backup/vzdump-qemu-${s.vm.vmid}-x.vma.zst`,
      set: { name: 'web-1', cores: 2, net0: 'virtio=BC:24:11:00:00:01,bridge=vmbr0' },
    }),
  ),
  write('backups.restore', (c, s) =>
    c.backups.restore(s.vm, {
      archive: `${s.isoStorage}:backup/vzdump-qemu-${s.template.vmid}-x.vma.zst`,
      set: { name: 'web-2' },
      anew: { storage: s.storage },
    }),
  ),
  write('qemu.clone', (c, s) =>
    c.qemu.clone(s.template, {
      newid: s.newid,
      name: 'vps-1',
      description: 'hushbox:1',
      pool: s.pool,
      full: true,
      storage: s.storage,
      target: s.template.node,
    }),
  ),
  write('qemu.takeSnapshot', (c, s) =>
    c.qemu.takeSnapshot(s.vm, { name: 'hb-before', description: 'before the update' }),
  ),
  write('qemu.rollBack', (c, s) => c.qemu.rollBack(s.vm, 'hb-before')),
  write('qemu.deleteSnapshot', (c, s) =>
    c.qemu.deleteSnapshot(s.vm, { name: 'hb-before', isForced: true }),
  ),
  write('qemu.resize', (c, s) => c.qemu.resize(s.vm, { disk: s.disk, size: '+1G' })),
  write('firewall.setOptions', (c, s) =>
    c.firewall.setOptions(s.vm, {
      enable: true,
      macfilter: true,
      ipfilter: true,
      dhcp: false,
      ndp: true,
      radv: false,
      policy_in: 'ACCEPT',
      policy_out: 'ACCEPT',
      log_level_in: 'nolog',
      log_level_out: 'nolog',
    }),
  ),
  write('firewall.addSet', (c, s) => c.firewall.addSet(s.vm, 'ipfilter-net1')),
  write('firewall.addMember', (c, s) => c.firewall.addMember(s.vm, s.ipset, '2001:db8:1:2::/64')),
  read('firewall.members', (c, s) => c.firewall.members(s.vm, s.ipset)),
  write('firewall.removeMember', (c, s) =>
    c.firewall.removeMember(s.vm, s.ipset, '2001:db8:1:2::/64'),
  ),
  write('firewall.removeSet', (c, s) => c.firewall.removeSet(s.vm, s.ipset)),
  write('firewall.addRule', (c, s) =>
    c.firewall.addRule(s.vm, {
      type: 'in',
      action: 'ACCEPT',
      enable: true,
      proto: 'tcp',
      source: '198.51.100.0/24',
      dest: '203.0.113.5',
      dport: '80,443,8000:8100',
      comment: 'web',
    }),
  ),
  write('firewall.addRule', (c, s) =>
    c.firewall.addRule(s.vm, {
      type: 'in',
      action: 'DROP',
      enable: true,
      proto: 'icmp',
      'icmp-type': 'echo-request',
    }),
  ),
  write('firewall.switchOnRule', (c, s) => c.firewall.switchOnRule(s.vm, 0)),
  write('firewall.removeRule', (c, s) =>
    c.firewall.removeRule(s.vm, { pos: 0, digest: undefined }),
  ),
  write('qemu.start', (c, s) => c.qemu.start(s.vm)),
  write('qemu.shutdown', (c, s) => c.qemu.shutdown(s.vm, { timeoutSeconds: 30, forceStop: true })),
  write('qemu.reboot', (c, s) => c.qemu.reboot(s.vm, { timeoutSeconds: 30 })),
  write('qemu.reset', (c, s) => c.qemu.reset(s.vm)),
  write('qemu.suspend', (c, s) => c.qemu.suspend(s.vm, { toDisk: true })),
  write('qemu.resume', (c, s) => c.qemu.resume(s.vm)),
  write('qemu.setUserPassword', (c, s) =>
    c.qemu.setUserPassword(s.vm, { username: 'root', password: 'correct horse' }),
  ),
  write('vnc.open', (c, s) => c.vnc.open(s.vm).then(({ stream }) => stream.destroy())),
  write('vnc.ticket', (c, s) => c.vnc.ticket(s.vm)),
  write('tasks.cancel', (c, s) => c.tasks.cancel(s.upid)),
  read('tasks.wait', (c, s) => c.tasks.wait(s.upid, { timeoutMs: 3000, onProgress: () => {} })),
  write('qemu.stop', (c, s) => c.qemu.stop(s.vm, { overruleShutdown: true })),
  write('qemu.remove', (c, s) => c.qemu.remove(s.vm)),
]

/** Every function of the client, to prove that the table above is complete. */
export function functionsOf(client: ProxmoxClient): string[] {
  const { close: _close, hosts: _hosts, ...topics } = client
  return Object.entries(topics).flatMap(([topic, calls]) =>
    Object.keys(calls).map((name) => `${topic}.${name}`),
  )
}
