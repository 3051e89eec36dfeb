import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { sendTo } from '../src/pve-sim/testing/harness.ts'
import type { Recorded, Recording } from '../src/pve-sim/testing/recorded.ts'
import { ACCOUNTS } from '../src/pve-sim/testing/recorded-host.ts'
import { replaying } from '../src/pve-sim/testing/replay.ts'

/**
 * Plays the requests of recordings to a Proxmox VE of yours, and writes its answers into them:
 *
 *     PVE_URL=https://127.0.0.1:8006 PVE_CA=pve-root-ca.pem PVE_PASSWORD=… \
 *       node scripts/record-pve.ts src/pve-sim/testing/recorded/9.2-firewall.json …
 *
 * The host is called pve1, has the template 9004, the bridge vmbr0 and the folders `local` and
 * `local-lvm` as storages for everything. It makes the two accounts that ask, and leaves the VMs.
 */
const { PVE_URL = '', PVE_CA = '', PVE_PASSWORD = '' } = process.env
const { hostname, port } = new URL(PVE_URL)
const host = { host: hostname, port: Number(port), caPem: readFileSync(PVE_CA, 'utf8') }

const login = await sendTo(host, 'POST', '/access/ticket', {
  form: { username: 'root@pam', password: PVE_PASSWORD },
})
const root = {
  cookie: `PVEAuthCookie=${encodeURIComponent(login.data.ticket ?? '')}`,
  csrfpreventiontoken: login.data.CSRFPreventionToken ?? '',
}
const asRoot = (method: string, path: string, form?: Record<string, string>) =>
  sendTo(host, method, path, { headers: root, ...(form ? { form } : {}) })
const { data: version } = await asRoot('GET', '/version')
const release = Number.parseInt(version.version ?? '', 10) < 9 ? '8.4' : '9.1'

/** The account anew, with a token; whatever is left of the last time goes. */
async function account({ user, grants }: (typeof ACCOUNTS)[number]): Promise<string> {
  await asRoot('DELETE', `/access/users/${user}`)
  await asRoot('POST', '/access/users', { userid: user })
  for (const { path, role, privileges } of grants) {
    await asRoot('DELETE', `/access/roles/${role}`)
    await asRoot('POST', '/access/roles', { roleid: role, privs: privileges(release).join(',') })
    await asRoot('PUT', '/access/acl', { path, users: user, roles: role })
  }
  const made = await asRoot('POST', `/access/users/${user}/token/tt`, { privsep: '0' })
  return made.data.value ?? ''
}

const taskPath = (upid: string) => `/nodes/${upid.split(':')[1]}/tasks/${encodeURIComponent(upid)}`

async function ended(upid: string): Promise<string> {
  for (;;) {
    const { data } = await asRoot('GET', `${taskPath(upid)}/status`)
    if (data.status === 'stopped') return data.exitstatus ?? ''
    await delay(300)
  }
}

async function logOf(upid: string): Promise<string[]> {
  const { data } = await asRoot('GET', `${taskPath(upid)}/log?limit=500`)
  return data.map(({ t }) => String(t))
}

await asRoot('POST', '/pools', { poolid: 'probe' })
const [token = '', viewer = ''] = await Promise.all(ACCOUNTS.map(account))
const play = replaying({ host, callers: { root, token, viewer }, ended, logOf })

for (const file of process.argv.slice(2)) {
  const { answers: requests } = JSON.parse(readFileSync(file, 'utf8')) as Recording
  const answers: Recorded[] = []
  for (const request of requests) answers.push(await play(request))
  const recording: Recording = { pve: String(version.version), answers }
  writeFileSync(file, `${JSON.stringify(recording, undefined, 2)}\n`)
}
