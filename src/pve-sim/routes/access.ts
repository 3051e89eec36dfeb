import { randomUUID } from 'node:crypto'
import { isUsable } from '../access/auth.ts'
import { actor, permissionMap, privileges } from '../access/permissions.ts'
import {
  isTfaTicketOf,
  isTotp,
  makeCsrf,
  makeTfaTicket,
  makeTicket,
  ticketUser,
} from '../access/tickets.ts'
import { flag, optInt, optText, text } from '../formats/params.ts'
import { type Call, route } from '../http/route.ts'
import type { User } from '../state/types.ts'
import { die, forbidden, PveError } from '../wire/errors.ts'

/** Deliberately the same message for every reason. */
const refused = () => new PveError(401, 'authentication failure')

function userid(call: Call): string {
  const name = call.text('username')
  const realm = call.optional('realm')
  return realm && !name.endsWith(`@${realm}`) ? `${name}@${realm}` : name
}

/** The second half of a login: `totp:123456` or `recovery:…` against the challenge. */
function secondFactor(call: Call, user: User): void {
  const { state, now } = call.sim
  const challenge = call.text('tfa-challenge')
  if (!isTfaTicketOf(state.ticketKey, challenge, user.userid, now())) throw refused()
  const [kind, ...rest] = call.text('password').split(':')
  const code = rest.join(':')
  if (kind === 'totp' && user.tfa?.totp && isTotp(user.tfa.totp, code, now())) return
  if (kind === 'recovery' && user.tfa?.recovery?.includes(code)) {
    // Each recovery code works once.
    user.tfa.recovery = user.tfa.recovery.filter((known) => known !== code)
    return
  }
  throw refused()
}

/** True when the login is complete, false when a second factor is still due. */
function firstFactor(call: Call, user: User): boolean {
  const { state, now } = call.sim
  const password = call.text('password')
  const renewing = ticketUser(state.ticketKey, password, now())
  if (renewing === user.userid || renewing === 'root@pam') return true
  if (user.password !== password) throw refused()
  return user.tfa === undefined
}

/** What the web interface may show, by area. */
function capabilities(call: Call, who: string) {
  const areas = {
    access: '/access',
    dc: '/',
    nodes: '/nodes',
    sdn: '/sdn',
    storage: '/storage',
    vms: '/vms',
  }
  const wanted: Record<keyof typeof areas, RegExp> = {
    access: /^(User|Group|Permissions)\./,
    dc: /^(Sys\.(Audit|Modify)|SDN\.)/,
    nodes: /^(Sys|Permissions)\./,
    sdn: /^(SDN|Permissions)\./,
    storage: /^(Datastore|Permissions)\./,
    vms: /^(VM|Permissions)\./,
  }
  const entries = Object.entries(areas).map(([area, path]) => {
    const names = [...privileges(call.sim.state, actor(who), path).keys()]
    const fits = names.filter((name) => wanted[area as keyof typeof areas].test(name))
    return [area, Object.fromEntries(fits.map((name) => [name, 1]))]
  })
  return Object.fromEntries(entries)
}

function createTicket(call: Call) {
  const { state, now } = call.sim
  const user = state.users.get(userid(call))
  if (!isUsable(user, now())) throw refused()
  const name = user.userid
  if (call.all.has('tfa-challenge')) secondFactor(call, user)
  else if (!firstFactor(call, user)) {
    const challenge = { totp: user.tfa?.totp !== undefined, recovery: 'available' }
    const ticket = makeTfaTicket(state.ticketKey, name, challenge, now())
    return {
      username: name,
      ticket,
      NeedTFA: 1,
      CSRFPreventionToken: makeCsrf(state.ticketKey, name, now()),
    }
  }
  return {
    username: name,
    ticket: makeTicket(state.ticketKey, name, now()),
    CSRFPreventionToken: makeCsrf(state.ticketKey, name, now()),
    cap: capabilities(call, name),
    ...(state.standalone ? {} : { clustername: state.name }),
  }
}

function readPermissions(call: Call) {
  const { state } = call.sim
  const wanted = call.optional('userid') ?? call.who.authid
  const own = wanted === call.who.authid || wanted.split('!')[0] === call.who.authid
  if (!own && !privileges(state, call.who, '/access').has('Sys.Audit')) {
    throw forbidden('/access, Sys.Audit')
  }
  return permissionMap(state, actor(wanted), call.optional('path'))
}

function createToken(call: Call) {
  const { state } = call.sim
  const owner = call.text('userid')
  const tokenid = call.text('tokenid')
  if (!state.users.has(owner)) throw die(`no such user ('${owner}')`)
  const id = `${owner}!${tokenid}`
  if (state.tokens.has(id)) throw die(`Token already exists.`)
  const privsep = call.flag('privsep') ?? true
  const comment = call.optional('comment')
  const expire = call.optionalNumber('expire')
  const token = { userid: owner, tokenid, secret: randomUUID(), privsep, expire: expire ?? 0 }
  state.tokens.set(id, { ...token, ...(comment ? { comment } : {}) })
  const info = {
    privsep: privsep ? '1' : '0',
    ...(comment ? { comment } : {}),
    ...(expire === undefined ? {} : { expire }),
  }
  return { 'full-tokenid': id, value: token.secret, info }
}

const USERID = text({ maxLength: 64, format: 'pve-userid' })
const TOKENID = text({ pattern: /^[A-Za-z][A-Za-z0-9.\-_]+$/ })
const OWN_OR_ADMIN = { or: [{ userParam: 'self' as const }, { userGroup: ['User.Modify'] }] }

export const accessRoutes = [
  route('GET /access/domains', {
    permissions: 'world',
    handle: ({ sim }) =>
      sim.state.realms.map(({ default: isDefault, ...realm }) => ({
        ...realm,
        ...(isDefault ? { default: 1 } : {}),
      })),
  }),
  route('POST /access/ticket', {
    permissions: 'world',
    ticketOnly: true,
    params: {
      'new-format': flag(),
      otp: optText(),
      password: text(),
      path: optText({ maxLength: 64, requires: 'privs' }),
      privs: optText({ maxLength: 64, requires: 'path' }),
      realm: optText({ maxLength: 32 }),
      'tfa-challenge': optText(),
      username: text({ maxLength: 64 }),
    },
    handle: createTicket,
  }),
  route('GET /access/permissions', {
    permissions: 'all',
    params: { path: optText(), userid: optText() },
    handle: readPermissions,
  }),
  route('GET /access/users/{userid}/token', {
    permissions: OWN_OR_ADMIN,
    params: { userid: USERID },
    handle: (call) =>
      [...call.sim.state.tokens.values()]
        .filter((token) => token.userid === call.text('userid'))
        .map(({ tokenid, privsep, expire, comment }) => ({
          tokenid,
          privsep: privsep ? 1 : 0,
          expire,
          ...(comment ? { comment } : {}),
        })),
  }),
  route('POST /access/users/{userid}/token/{tokenid}', {
    permissions: OWN_OR_ADMIN,
    params: {
      comment: optText(),
      expire: optInt({ minimum: 0 }),
      privsep: flag(),
      tokenid: TOKENID,
      userid: USERID,
    },
    handle: createToken,
  }),
  route('DELETE /access/users/{userid}/token/{tokenid}', {
    permissions: OWN_OR_ADMIN,
    params: { tokenid: TOKENID, userid: USERID },
    handle: (call) => {
      const id = `${call.text('userid')}!${call.text('tokenid')}`
      if (!call.sim.state.tokens.delete(id)) throw die(`no such token '${call.text('tokenid')}'`)
      return null
    },
  }),
]
