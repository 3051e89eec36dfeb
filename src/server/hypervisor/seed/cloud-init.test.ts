import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readIso } from '#shared/iso/testing/read-iso.ts'
import { PUBLIC_KEYS } from '#shared/rules/ssh/testing/public-keys.ts'
import { tempFolder } from '../../testing/temp-folder.ts'
import type { SeedContent } from '../port/hypervisor.ts'
import { seedImage } from './seed-image.ts'

/** As Debian's package has them. */
const PYTHON = '/usr/bin/python3'
const CLOUD_INIT = '/usr/bin/cloud-init'

/** cloud-init's own source of settings for such a drive, told where its files are. */
const READ = `
import json, sys
from cloudinit import helpers, util
from cloudinit.distros.debian import Distro
from cloudinit.net.network_state import parse_net_config_data
from cloudinit.sources.DataSourceNoCloud import DataSourceNoCloud
util.find_devs_with = lambda *a, **k: []
paths = helpers.Paths({'cloud_dir': sys.argv[1], 'run_dir': sys.argv[1], 'templates_dir': '/etc/cloud/templates'})
source = DataSourceNoCloud({}, Distro('debian', {}, paths), paths)
found = source.get_data()
parts = lambda message: [[p.get_content_type(), p.get_payload(decode=True).decode()] for p in message.walk() if not p.is_multipart()]
state = parse_net_config_data(source.network_config)
print(json.dumps({
  'found': found, 'id': source.get_instance_id(), 'metadata': source.metadata,
  'user': parts(source.get_userdata()), 'vendor': parts(source.get_vendordata()),
  'cards': [[i['name'], i['mac_address'], i['subnets']] for i in state.iter_interfaces()],
  'dns': [state.dns_nameservers, state.dns_searchdomains],
}))
`

function isThere(): boolean {
  try {
    execFileSync(PYTHON, ['-c', 'import cloudinit'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const folder = tempFolder('seed')

/** As Proxmox VE 8.4.21 dumps them. */
const own = {
  meta: 'instance-id: 2bc57f5a00a2cc9a76cabdaa58b75bdf8faca46f\n',
  network: `version: 1
config:
    - type: physical
      name: eth0
      mac_address: 'bc:24:11:00:00:77'
      subnets:
      - type: static
        address: '10.10.10.77'
        netmask: '255.255.255.0'
        gateway: '10.10.10.1'
    - type: nameserver
      address:
      - '9.9.9.9'
      search:
      - 'example.net'
`,
}
const setup = { name: 'mail', marker: 'hushbox:order-7' }
const SCRIPT = '#!/bin/sh\necho "every letter: ü" > /ran\n'
const CONFIG = '#cloud-config\nruncmd:\n  - touch /ran\n'

test.skipIf(!isThere()).each([
  ['a password', { name: 'alice', password: 'correct horse' }, SCRIPT, 'text/x-shellscript'],
  ['keys', { name: 'root', sshKeys: [PUBLIC_KEYS.ed25519.publicKey] }, CONFIG, 'text/cloud-config'],
])('cloud-init itself reads the image of a server with %s', (name, user, userData, type) => {
  const content: SeedContent = { setup: { ...setup, user }, userData }
  const seed = join(folder, name, 'seed', 'nocloud')
  mkdirSync(seed, { recursive: true })
  for (const file of readIso(seedImage(own, content)).files) {
    writeFileSync(join(seed, file.name), file.content)
  }
  const read = JSON.parse(
    execFileSync(PYTHON, ['-c', READ, join(folder, name)], { stdio: 'pipe' }).toString(),
  )
  const id = '2bc57f5a00a2cc9a76cabdaa58b75bdf8faca46f'
  expect(read).toMatchObject({ found: true, id, metadata: { 'local-hostname': 'mail' } })
  expect(read.user).toEqual([[type, userData]])
  expect(read.vendor).toEqual([
    ['text/cloud-config', expect.stringContaining(`\nuser: ${user.name}\n`)],
  ])
  const subnet = { address: '10.10.10.77', prefix: 24, gateway: '10.10.10.1' }
  expect(read.cards).toEqual([['eth0', 'bc:24:11:00:00:77', [expect.objectContaining(subnet)]]])
  expect(read.dns).toEqual([['9.9.9.9'], ['example.net']])
  const judged = execFileSync(CLOUD_INIT, ['schema', '-c', join(seed, 'vendor-data')])
  expect(judged.toString()).toContain('Valid')
})
