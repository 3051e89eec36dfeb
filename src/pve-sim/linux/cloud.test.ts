import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cloudFiles } from './cloud-drive.ts'
import { FILES } from './guest-image.ts'

/** The guest's own script, run here on files in a folder. */
let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hushbox-cloud-'))
  for (const folder of ['mnt', 'etc', 'root', 'var/lib/cloud', 'var/log']) {
    mkdirSync(join(root, folder), { recursive: true })
  }
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const read = (path: string) => readFileSync(join(root, path), 'utf8')

function boot(files: { name: string; content: string }[]): void {
  for (const { name, content } of files) writeFileSync(join(root, 'mnt', name), content)
  const env = { PATH: process.env.PATH, ROOT: root }
  // Who runs the tests may not give files away; the guest's root may.
  const script = `chown() { :; }; . ${join(FILES, 'cloud')}`
  execFileSync('/bin/sh', ['-c', script], { env, stdio: ['ignore', 'pipe', 'pipe'] })
}

const withUserData = (content: string, id = 'one') => [
  { name: 'user-data', content },
  { name: 'meta-data', content: `instance-id: ${id}\n` },
  { name: 'network-config', content: 'version: 1\nconfig:\n' },
]

test('the drive of PVE gives a user, a password, keys, a hostname and name servers', () => {
  const keys = ['ssh-ed25519 AAAA one: a "comment"', 'ssh-rsa BBBB two']
  const config = {
    ciuser: 'debian',
    cipassword: '$5$salt$hash',
    sshkeys: encodeURIComponent(keys.join('\n')),
    net0: 'virtio=BC:24:11:0A:0B:0C,bridge=vmbr0',
    ipconfig0: 'ip=127.77.0.10/24,gw=127.77.0.1',
    nameserver: '9.9.9.9 1.1.1.1',
    searchdomain: 'hushbox.example',
  }
  boot(cloudFiles(config, 'mx-1'))
  expect(read('etc/hostname')).toBe('mx-1\n')
  expect(read('etc/passwd')).toContain('\ndebian:x:1000:1000::/home/debian:/bin/sh\n')
  expect(read('etc/shadow')).toMatch(/^root:\$5\$salt\$hash:.*\ndebian:\$5\$salt\$hash:/)
  expect(read('home/debian/.ssh/authorized_keys')).toBe(`${keys.join('\n')}\n`)
  expect(read('root/.ssh/authorized_keys')).toBe(`${keys.join('\n')}\n`)
  expect(read('etc/resolv.conf')).toBe('nameserver 9.9.9.9\nnameserver 1.1.1.1\n')

  boot(cloudFiles({ ciuser: 'root', sshkeys: '' }, 'mx-2'))
  expect(read('etc/hostname')).toBe('mx-2\n')
  expect(read('etc/shadow')).toMatch(/^root:\*:[^\n]*\n$/)
  expect(read('root/.ssh/authorized_keys')).toBe('')
})

test('files are written and commands are run, once for each instance id', () => {
  const data = `#cloud-config
# a comment
hostname: 'quoted'
users:
  - default
  - name: robin
    ssh_authorized_keys:
      - ssh-ed25519 CCCC
write_files:
  - path: /etc/app/settings.conf
    permissions: '0600'
    content: |
      [main]
        indented = yes

      last: line
  - path: /etc/short
    content: one line
runcmd:
  - echo first >> "$ROOT/var/log/ran"
  - [ sh, -c, "echo second >> $ROOT/var/log/ran" ]
`
  boot(withUserData(data))
  boot(withUserData(data))
  expect(read('etc/app/settings.conf')).toBe('[main]\n  indented = yes\n\nlast: line\n')
  expect(statSync(join(root, 'etc/app/settings.conf')).mode & 0o777).toBe(0o600)
  expect(read('etc/short')).toBe('one line')
  expect(read('etc/hostname')).toBe('quoted\n')
  expect(read('var/log/ran')).toBe('first\nsecond\n')
  expect(read('etc/passwd')).toContain('robin:')
  expect(read('home/robin/.ssh/authorized_keys')).toBe('ssh-ed25519 CCCC\n')
  boot(withUserData(data, 'two'))
  expect(read('var/log/ran')).toBe('first\nsecond\nfirst\nsecond\n')
})

test('a script runs once for each instance id, and its words are kept', () => {
  const script = '#!/bin/sh\necho said; echo ran >> "$ROOT/var/log/ran"\n'
  boot(withUserData(script))
  boot(withUserData(script))
  expect(read('var/log/ran')).toBe('ran\n')
  expect(read('var/log/cloud.log')).toBe('said\n')
})
