/**
 * A guest in one disk sector: it shows its name, counts its starts on its own disk, echoes typed
 * keys, and switches itself off when the power button is pressed. Real-mode x86, assembled here.
 */

const ORIGIN = 0x7c00
const SECTOR = 512
/** Disks smaller than this confuse the BIOS's geometry. */
export const DISK_BYTES = 1024 * 1024

const NAME_AT = 0x1a0
const NAME_BYTES = 64
const BOOTS_AT = 0x19f
const HEARS_AT = 0x19e
const DRIVE_AT = 0x19d
const SIGNATURE_AT = 510

/** The power management ports, at SeaBIOS's addresses on both of QEMU's PC boards. */
const PORT = { status: 0x600, enable: 0x602, control: 0x604 }
/** Bit 8 of status and enable; in control: sleep type 0 (soft off) and the enable bit. */
const POWER_BUTTON = 0x0100
const SOFT_OFF = 0x2000

const LINE = 60

type Part = number[] | { label: string } | { jump: number; to: string } | { call: string }

const word = (value: number) => [value & 0xff, value >> 8]
const at = (offset: number) => word(ORIGIN + offset)
const label = (name: string) => ({ label: name })
/** A short jump by its opcode; 0xeb is the unconditional one. */
const jump = (opcode: number, to: string) => ({ jump: opcode, to })
const call = (to: string) => ({ call: to })

const IF_EQUAL = 0x74
const IF_NOT_EQUAL = 0x75
const IF_BELOW = 0x72
const IF_NOT_BELOW = 0x73
const ALWAYS = 0xeb

/** si := the label's address; resolved like a call, but absolute. */
type Program = (Part | { load: string })[]

const BANNER = '\r\nA guest of 512 bytes on a simulated Proxmox VE cluster. Start '
const PROMPT = '# '

const PROGRAM: Program = [
  [0x31, 0xc0, 0x8e, 0xd8, 0x8e, 0xc0, 0x8e, 0xd0], // ax, ds, es, ss := 0
  [0xbc, ...word(ORIGIN), 0xfc, 0xfb], // stack below the sector; forward; interrupts on
  [0x88, 0x16, ...at(DRIVE_AT)], // the BIOS passes the disk number in dl
  [0xb8, ...word(3), 0xcd, 0x10], // 80 by 25 text
  // Increments the start counter, a digit, and writes it back to the disk.
  [0xfe, 0x06, ...at(BOOTS_AT)],
  [0x80, 0x3e, ...at(BOOTS_AT), 0x3a],
  jump(IF_NOT_EQUAL, 'counted'),
  [0xc6, 0x06, ...at(BOOTS_AT), 0x30],
  label('counted'),
  [0xb8, ...word(0x0301), 0xbb, ...word(ORIGIN), 0xb9, ...word(1), 0xb6, 0x00],
  [0x8a, 0x16, ...at(DRIVE_AT), 0xcd, 0x13],
  [0xba, ...word(PORT.enable), 0xb8, ...word(POWER_BUTTON), 0xef],
  [0xbe, ...at(NAME_AT)],
  call('print'),
  { load: 'banner' },
  call('print'),
  [0xa0, ...at(BOOTS_AT)],
  call('put'),
  call('newline'),
  label('prompt'),
  call('newline'),
  [0xbe, ...at(NAME_AT)],
  call('print'),
  { load: 'sign' },
  call('print'),
  [0x31, 0xff], // di: number of characters on this line
  label('poll'),
  [0xba, ...word(PORT.status), 0xed], // ax := power status
  [0x22, 0x26, ...at(HEARS_AT)], // ah, masked by what this guest reacts to
  jump(IF_NOT_EQUAL, 'off'),
  [0xb4, 0x01, 0xcd, 0x16], // a key?
  jump(IF_NOT_EQUAL, 'key'),
  [0xf4], // sleep until the next interrupt, at least 18 times a second
  jump(ALWAYS, 'poll'),
  label('key'),
  [0x30, 0xe4, 0xcd, 0x16],
  [0x3c, 0x0d],
  jump(IF_EQUAL, 'prompt'),
  [0x3c, 0x08],
  jump(IF_EQUAL, 'erase'),
  [0x3c, 0x20],
  jump(IF_BELOW, 'poll'),
  [0x83, 0xff, LINE],
  jump(IF_NOT_BELOW, 'poll'),
  [0x47],
  call('put'),
  jump(ALWAYS, 'poll'),
  label('erase'),
  [0x85, 0xff],
  jump(IF_EQUAL, 'poll'),
  [0x4f],
  { load: 'rubout' },
  call('print'),
  jump(ALWAYS, 'poll'),
  label('off'),
  [0xba, ...word(PORT.control), 0xb8, ...word(SOFT_OFF), 0xef],
  label('gone'),
  [0xf4],
  jump(ALWAYS, 'gone'),
  label('newline'),
  { load: 'break' },
  label('print'), // from si until a zero byte
  [0xac, 0x84, 0xc0],
  jump(IF_EQUAL, 'printed'),
  call('put'),
  jump(ALWAYS, 'print'),
  label('put'), // al, by the BIOS
  [0xb4, 0x0e, 0xbb, ...word(7), 0xcd, 0x10],
  label('printed'),
  [0xc3],
  label('banner'),
  [...Buffer.from(`${BANNER}\0`, 'latin1')],
  label('sign'),
  [...Buffer.from(`${PROMPT}\0`, 'latin1')],
  label('break'),
  [...Buffer.from('\r\n\0', 'latin1')],
  label('rubout'),
  [...Buffer.from('\b \b\0', 'latin1')],
]

const sizeOf = (part: Program[number]) => {
  if (Array.isArray(part)) return part.length
  if ('label' in part) return 0
  return 'jump' in part ? 2 : 3
}

/** Two passes: first the addresses, then the bytes with the distances filled in. */
function assemble(program: Program): Buffer {
  const places = new Map<string, number>()
  let size = 0
  for (const part of program) {
    if (!Array.isArray(part) && 'label' in part) places.set(part.label, size)
    size += sizeOf(part)
  }
  const place = (name: string) => {
    const found = places.get(name)
    if (found === undefined) throw new Error(`no label ${name}`)
    return found
  }
  const bytes: number[] = []
  for (const part of program) {
    const next = bytes.length + sizeOf(part)
    if (Array.isArray(part)) bytes.push(...part)
    else if ('jump' in part) bytes.push(part.jump, short(place(part.to) - next))
    else if ('call' in part) bytes.push(0xe8, ...word((place(part.call) - next) & 0xffff))
    else if ('load' in part) bytes.push(0xbe, ...at(place(part.load)))
  }
  return Buffer.from(bytes)
}

function short(distance: number): number {
  if (distance < -128 || distance > 127) throw new Error(`a jump of ${distance} is too far`)
  return distance & 0xff
}

/** A disk that has never been booted. */
export function blankDisk(): Buffer {
  const disk = Buffer.alloc(DISK_BYTES)
  const code = assemble(PROGRAM)
  if (code.length > DRIVE_AT) throw new Error(`the guest has ${code.length} bytes`)
  code.copy(disk)
  disk.write('0', BOOTS_AT, 'latin1')
  disk.writeUInt16LE(0xaa55, SIGNATURE_AT)
  return disk
}

export type GuestSettings = { hostname: string; hearsPowerButton: boolean }

/** What cloud-init would do at a start: writes the host name. Modifies the given sector. */
export function configure(sector: Buffer, { hostname, hearsPowerButton }: GuestSettings): void {
  sector.fill(0, NAME_AT, NAME_AT + NAME_BYTES)
  sector.write(hostname.slice(0, NAME_BYTES - 1), NAME_AT, 'latin1')
  sector[HEARS_AT] = hearsPowerButton ? POWER_BUTTON >> 8 : 0
}

export const SECTOR_BYTES = SECTOR
