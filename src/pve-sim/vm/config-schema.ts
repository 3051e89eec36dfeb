import { flag, optInt, optional, optText, type Param, type Params } from '../formats/params.ts'

const drive = optText({ format: 'pve-qm-drive' })
const OSTYPES = [
  'other',
  'wxp',
  'w2k',
  'w2k3',
  'w2k8',
  'wvista',
  'win7',
  'win8',
  'win10',
  'win11',
  'l24',
  'l26',
  'solaris',
]
const LOCKS = [
  'backup',
  'clone',
  'create',
  'migrate',
  'rollback',
  'snapshot',
  'snapshot-delete',
  'suspending',
  'suspended',
]
const CONTROLLERS = [
  'lsi',
  'lsi53c810',
  'virtio-scsi-pci',
  'virtio-scsi-single',
  'megasas',
  'pvscsi',
]
const KEYBOARDS = [
  'de',
  'de-ch',
  'da',
  'en-gb',
  'en-us',
  'es',
  'fi',
  'fr',
  'fr-be',
  'fr-ca',
  'fr-ch',
  'hu',
  'is',
  'it',
  'ja',
  'lt',
  'mk',
  'nl',
  'no',
  'pl',
  'pt',
  'pt-br',
  'sv',
  'sl',
  'tr',
]
const number = (more: Omit<Param, 'type'> = {}): Param => optional({ type: 'number', ...more })

export const MACHINE = optText({
  format: 'pve-qm-machine',
  older: { before: '8.0', param: optText({ format: 'pve-qm-machine', maxLength: 40 }) },
})

/** Every key of a VM's configuration, as a parameter of PUT and POST config. */
export const CONFIG: Params = {
  acpi: flag(),
  affinity: optText(),
  agent: optText({ format: 'pve-qm-agent' }),
  'allow-ksm': flag({ since: '9.1' }),
  'amd-sev': optText({ since: '8.0' }),
  arch: optText({ enum: ['x86_64', 'aarch64'] }),
  args: optText(),
  audio0: optText(),
  autostart: flag(),
  balloon: optInt({ minimum: 0 }),
  bios: optText({ enum: ['seabios', 'ovmf'] }),
  boot: optText({ format: 'pve-qm-boot' }),
  bootdisk: optText({ pattern: /^(ide|sata|scsi|virtio)\d+$/ }),
  cdrom: drive,
  cicustom: optText(),
  cipassword: optText(),
  citype: optText({ enum: ['configdrive2', 'nocloud', 'opennebula'] }),
  ciupgrade: flag({ since: '8.0' }),
  ciuser: optText(),
  cores: optInt({ minimum: 1 }),
  cpu: optText({ format: 'pve-vm-cpu-conf' }),
  cpulimit: number({ minimum: 0, maximum: 128 }),
  cpuunits: optInt({ minimum: 1, maximum: 262_144 }),
  description: optText({ maxLength: 8192 }),
  efidisk0: drive,
  freeze: flag(),
  hookscript: optText(),
  'hostpci[n]': optText(),
  hotplug: optText({ format: 'pve-hotplug-features' }),
  hugepages: optText({ enum: ['any', '2', '1024'] }),
  'ide[n]': drive,
  'intel-tdx': optText({ since: '9.1' }),
  'ipconfig[n]': optText({ format: 'pve-qm-ipconfig' }),
  ivshmem: optText(),
  keephugepages: flag(),
  keyboard: optText({ enum: KEYBOARDS }),
  kvm: flag(),
  localtime: flag(),
  lock: optText({ enum: LOCKS }),
  machine: MACHINE,
  // An integer until qemu-server 8.0.8, a property string since.
  memory: optText({
    format: 'pve-qm-memory',
    older: { before: '8.1', param: optInt({ minimum: 16 }) },
  }),
  migrate_downtime: number({ minimum: 0 }),
  migrate_speed: optInt({ minimum: 0 }),
  name: optText({ format: 'dns-name' }),
  nameserver: optText({ format: 'address-list' }),
  'net[n]': optText({ format: 'pve-qm-net' }),
  numa: flag(),
  'numa[n]': optText(),
  onboot: flag(),
  ostype: optText({ enum: OSTYPES }),
  'parallel[n]': optText({ pattern: /^(\/dev\/parport\d+|\/dev\/usb\/lp\d+)$/ }),
  protection: flag(),
  reboot: flag(),
  rng0: optText(),
  'sata[n]': drive,
  'scsi[n]': drive,
  scsihw: optText({ enum: CONTROLLERS }),
  searchdomain: optText(),
  'serial[n]': optText({ pattern: /^(\/dev\/.+|socket)$/ }),
  shares: optInt({ minimum: 0, maximum: 50_000 }),
  smbios1: optText({ format: 'pve-qm-smbios1', maxLength: 512 }),
  smp: optInt({ minimum: 1 }),
  sockets: optInt({ minimum: 1 }),
  spice_enhancements: optText(),
  sshkeys: optText({ format: 'urlencoded' }),
  startdate: optText({ pattern: /^(now|\d{4}-\d{1,2}-\d{1,2}(T\d{1,2}:\d{1,2}:\d{1,2})?)$/ }),
  startup: optText(),
  tablet: flag(),
  tags: optText({ format: 'pve-tag-list' }),
  tdf: flag(),
  template: flag(),
  tpmstate0: drive,
  'unused[n]': drive,
  'usb[n]': optText(),
  vcpus: optInt({ minimum: 1 }),
  vga: optText({ format: 'pve-qm-vga' }),
  'virtio[n]': drive,
  'virtiofs[n]': optText({ since: '8.4' }),
  vmgenid: optText({ pattern: /^([a-fA-F0-9]{8}(-[a-fA-F0-9]{4}){3}-[a-fA-F0-9]{12}|[01])$/ }),
  vmstatestorage: optText({ format: 'pve-storage-id' }),
  watchdog: optText(),
}

export const isDiskKey = (key: string) =>
  /^((ide|sata|scsi|virtio)\d+|efidisk0|tpmstate0)$/.test(key)
export const isNetKey = (key: string) => /^net\d+$/.test(key)

export const DISK_KEYS = [
  ...Array.from({ length: 4 }, (_, i) => `ide${i}`),
  ...Array.from({ length: 31 }, (_, i) => `scsi${i}`),
  ...Array.from({ length: 16 }, (_, i) => `virtio${i}`),
  ...Array.from({ length: 6 }, (_, i) => `sata${i}`),
  'efidisk0',
  'tpmstate0',
]

const CLOUDINIT =
  /^(ci(custom|password|type|upgrade|user)|ipconfig\d+|nameserver|searchdomain|sshkeys)$/
/** Keys that change a running VM at once; hotplug covers network, disk and usb by default. */
const AT_ONCE =
  /^(name|description|onboot|tags|protection|cpulimit|cpuunits|shares|balloon|startup|autostart|hookscript|lock|migrate_.*|vmstatestorage|unused\d+|net\d+|usb\d+|scsi\d+|virtio\d+|sata\d+|ide\d+)$/

export const appliesAtOnce = (key: string) => AT_ONCE.test(key) || CLOUDINIT.test(key)

const PRIVILEGES: [RegExp, string[]][] = [
  [/^(cores|cpu|sockets|numa|numa\d+|vcpus|cpulimit|cpuunits|affinity|smp)$/, ['VM.Config.CPU']],
  [/^(memory|balloon|shares|hugepages|keephugepages|allow-ksm)$/, ['VM.Config.Memory']],
  [/^net\d+$/, ['VM.Config.Network']],
  [CLOUDINIT, ['VM.Config.Cloudinit', 'VM.Config.Network']],
  [
    /^(name|description|onboot|ostype|agent|bios|protection|tags|acpi|autostart|hotplug|kvm|localtime|reboot|startdate|startup|tablet|tdf|freeze|template)$/,
    ['VM.Config.Options'],
  ],
  [
    /^(machine|scsihw|vga|smbios1|serial\d+|usb\d+|keyboard|watchdog|audio0|rng0|vmgenid|spice_enhancements|ivshmem|arch)$/,
    ['VM.Config.HWType'],
  ],
  [/^(boot|bootdisk|unused\d+|vmstatestorage)$/, ['VM.Config.Disk']],
]

/** Privileges any one of which allows the key; undefined: only root@pam itself may set it. */
export function privilegesFor(key: string, value: string): string[] | undefined {
  if (isDiskKey(key) || key === 'cdrom') {
    if (/cloudinit/.test(value)) return ['VM.Config.Cloudinit', 'VM.Config.CDROM']
    return /media=cdrom/.test(value) || key === 'cdrom' ? ['VM.Config.CDROM'] : ['VM.Config.Disk']
  }
  if (/^(serial|usb)\d+$/.test(key) && !/^(socket|spice)/.test(value) && value !== '')
    return undefined
  return PRIVILEGES.find(([pattern]) => pattern.test(key))?.[1]
}
