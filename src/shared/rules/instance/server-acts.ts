import { RENEWAL_DAYS } from '../token/token-expiry.ts'
import { type TransferFacts, transferRefusal } from '../token/transfer.ts'
import { cdRefusal } from './cds.ts'
import {
  isUnderWay,
  POWER_ACTS,
  type PowerAct,
  powerRefusal,
  suspendedWords,
} from './instance-power.ts'
import { changeActRefusal } from './package-change.ts'

/** What a person can do with one server. */
export const SERVER_ACTS = [
  ...POWER_ACTS,
  'console',
  'hostname',
  'reveal',
  'password',
  'reinstall',
  'snapshot',
  'rollback',
  'deleteSnapshot',
  'backup',
  'restore',
  'deleteBackup',
  'schedule',
  'iso',
  'rescue',
  'takeCdOut',
  'firewall',
  'renew',
  'changePackage',
  'transfer',
  'end',
  'suspend',
  'resume',
] as const
export type ServerAct = (typeof SERVER_ACTS)[number]

export type ServerFacts = TransferFacts & {
  audience: 'owner' | 'operator'
  suspendReason: string
  hasPassword: boolean
  /** A job replaces the login of its former owner. */
  isReplacingLogin: boolean
  /** Paid, and near enough to its end or past it. */
  offersRenewal: boolean
}

type Possible = { allowed: boolean; why: string | null }

const yes: Possible = { allowed: true, why: null }
const no = (why: string): Possible => ({ allowed: false, why })

const MAKING = 'The server is still being made.'
const ENDED = 'This server has ended.'
const NOBODY = 'This server has no client.'
const GONE = 'The cluster no longer has this VM.'
const REINSTALLING = 'The server is being reinstalled.'
const OTHER_ACT = 'Another action is still running on this instance.'
export const LOGIN_PENDING = 'The login is being replaced.'

/** What can be done with a server now, for its page and for programs. */
export const possibleActs = (facts: ServerFacts): Record<ServerAct, Possible> => ({
  start: power(facts, 'start'),
  stop: power(facts, 'stop'),
  shutdown: power(facts, 'shutdown'),
  restart: power(facts, 'restart'),
  console: screen(facts),
  hostname: hostname(facts),
  reveal: reveal(facts),
  password: password(facts),
  reinstall: reinstall(facts),
  snapshot: takeBack(facts, TAKE),
  rollback: takeBack(facts, ROLL_BACK),
  deleteSnapshot: deleteWayBack(facts),
  backup: takeBack(facts, BACK_UP),
  restore: takeBack(facts, RESTORE),
  deleteBackup: deleteWayBack(facts),
  schedule: schedule(facts),
  iso: takeBack(facts, BOOT_CD),
  rescue: takeBack(facts, RESCUE),
  takeCdOut: takeCdOut(facts),
  firewall: firewall(facts),
  renew: renew(facts),
  changePackage: changePackage(facts),
  transfer: transfer(facts),
  end: end(facts),
  suspend: suspend(facts),
  resume: resume(facts),
})

function power(facts: ServerFacts, act: PowerAct): Possible {
  const { audience, isSuspended, suspendReason } = facts
  const suspended = isSuspended ? { reason: suspendReason } : null
  const refusal = powerRefusal({ ...facts, isOwner: audience === 'owner', suspended }, act)
  return refusal === undefined ? yes : no(refusal)
}

const suspended = ({ suspendReason }: Pick<ServerFacts, 'suspendReason'>) =>
  suspendedWords({ reason: suspendReason })

function screen(facts: ServerFacts): Possible {
  const { status, term, audience } = facts
  if (facts.isSuspended && audience === 'owner') return no(suspended(facts))
  if (term === 'pending' || status === 'creating') return no(MAKING)
  if (status === 'missing') return no(GONE)
  if (status === 'stopped') return no('The server is off. Start it, then open the console.')
  return yes
}

function hostname({ term, status, isOurs }: ServerFacts): Possible {
  if (!isOurs) return no('This server was not made here: change its hostname inside it.')
  if (term === 'pending' || status === 'creating') return no(MAKING)
  if (term === 'cancelled') return no(ENDED)
  if (status === 'missing') return no(GONE)
  if (status === 'reinstalling') return no(REINSTALLING)
  return status === 'updating' ? no(OTHER_ACT) : yes
}

function reveal({ term, hasPassword, isLoginPending }: ServerFacts): Possible {
  if (term === 'pending') return no(MAKING)
  if (isLoginPending) return no(LOGIN_PENDING)
  return hasPassword ? yes : no('This server has no password.')
}

function reinstall({ status, term, isOurs, ...facts }: ServerFacts): Possible {
  if (!isOurs) return no('This server was not made here, so it cannot be reinstalled here.')
  if (term === null) return no(NOBODY)
  if (term === 'pending' || status === 'creating') return no(MAKING)
  if (term === 'cancelled') return no(ENDED)
  if (term === 'expired') return no('This server has expired. Renew it to reinstall it.')
  if (facts.isSuspended) return no(suspended(facts))
  if (status === 'missing') return no(GONE)
  if (status === 'reinstalling') return no(REINSTALLING)
  if (facts.isReplacingLogin) return no(`${LOGIN_PENDING} Reinstall it when that is done.`)
  return isUnderWay(status) ? no(OTHER_ACT) : withoutCd(facts)
}

/** It would boot from the CD, or be stored with it. */
function withoutCd({ cd }: Pick<ServerFacts, 'cd'>): Possible {
  const refusal = cdRefusal(cd)
  return refusal === undefined ? yes : no(refusal)
}

type TakeBackWords = { notOurs: string; expired: string; login: string }

const TAKE: TakeBackWords = {
  notOurs: 'This server was not made here, so its snapshots are made in Proxmox.',
  expired: 'This server has expired. Renew it to take snapshots.',
  login: `${LOGIN_PENDING} Take the snapshot when that is done.`,
}
const ROLL_BACK: TakeBackWords = {
  notOurs: 'This server was not made here, so it is rolled back in Proxmox.',
  expired: 'This server has expired. Renew it to roll it back.',
  login: `${LOGIN_PENDING} Roll it back when that is done.`,
}

const BACK_UP: TakeBackWords = {
  notOurs: 'This server was not made here, so it is backed up in Proxmox.',
  expired: 'This server has expired. Renew it to back it up.',
  login: `${LOGIN_PENDING} Back it up when that is done.`,
}
const RESTORE: TakeBackWords = {
  notOurs: 'This server was not made here, so it is restored in Proxmox.',
  expired: 'This server has expired. Renew it to restore a backup.',
  login: `${LOGIN_PENDING} Restore it when that is done.`,
}

const BOOT_CD: TakeBackWords = {
  notOurs: 'This server was not made here, so CDs are inserted in Proxmox.',
  expired: 'This server has expired. Renew it to start it from a CD.',
  login: `${LOGIN_PENDING} Put a CD in when that is done.`,
}
const RESCUE: TakeBackWords = {
  notOurs: 'This server was not made here, so it is rescued in Proxmox.',
  expired: 'This server has expired. Renew it to start it in rescue.',
  login: `${LOGIN_PENDING} Start the rescue when that is done.`,
}

/** Taking a snapshot or a backup, going back to one, starting from a CD. */
function takeBack({ status, term, isOurs, ...facts }: ServerFacts, words: TakeBackWords): Possible {
  if (!isOurs) return no(words.notOurs)
  if (term === null) return no(NOBODY)
  if (term === 'pending' || status === 'creating') return no(MAKING)
  if (term === 'cancelled') return no(ENDED)
  if (term === 'expired') return no(words.expired)
  if (facts.isSuspended) return no(suspended(facts))
  if (status === 'missing') return no(GONE)
  if (status === 'reinstalling') return no(REINSTALLING)
  if (facts.isReplacingLogin || facts.isLoginPending) return no(words.login)
  return isUnderWay(status) ? no(OTHER_ACT) : withoutCd(facts)
}

/** Also of a server that is off for good. */
function takeCdOut({ status, term, cd }: ServerFacts): Possible {
  if (term === null) return no(NOBODY)
  if (status === 'missing') return no(GONE)
  if (isUnderWay(status)) return no(OTHER_ACT)
  return cd === null ? no('No CD is in this server.') : yes
}

/** Also of a server that is off for good: it gives space back. */
function deleteWayBack({ status, term }: ServerFacts): Possible {
  if (term === null) return no(NOBODY)
  if (status === 'missing') return no(GONE)
  if (status === 'reinstalling') return no(REINSTALLING)
  return isUnderWay(status) ? no(OTHER_ACT) : yes
}

/** Also while something is done with it: its next backup waits for that. */
function schedule({ status, term, isOurs }: ServerFacts): Possible {
  if (!isOurs) return no(BACK_UP.notOurs)
  if (term === null) return no(NOBODY)
  if (term === 'pending' || status === 'creating') return no(MAKING)
  if (term === 'cancelled') return no(ENDED)
  if (term === 'expired') return no(BACK_UP.expired)
  return status === 'missing' ? no(GONE) : yes
}

/** Also while it is off, and while it starts or stops: its rules wait for it. */
function firewall({ status, term, isOurs, ...facts }: ServerFacts): Possible {
  if (!isOurs) return no('This server was not made here, so its firewall is set in Proxmox.')
  if (term === null) return no(NOBODY)
  if (term === 'pending' || status === 'creating') return no(MAKING)
  if (term === 'cancelled') return no(ENDED)
  if (term === 'expired') return no('This server has expired. Renew it to change its firewall.')
  if (facts.isSuspended) return no(suspended(facts))
  if (status === 'missing') return no(GONE)
  if (status === 'reinstalling') return no(REINSTALLING)
  return status === 'updating' || status === 'deleting' ? no(OTHER_ACT) : yes
}

/** The states in which a guest takes a password: by a restart, or at its next start. */
const TAKES_PASSWORD = ['running', 'stopped', 'unknown']

function password({ status, term, isOurs, ...facts }: ServerFacts): Possible {
  if (!isOurs) return no('This server was not made here: change its password inside it.')
  if (term === null) return no(NOBODY)
  if (term === 'pending' || status === 'creating') return no(MAKING)
  if (term === 'cancelled') return no(ENDED)
  if (term === 'expired') return no('This server has expired. Renew it to change its password.')
  if (facts.isReplacingLogin || facts.isLoginPending) return no(LOGIN_PENDING)
  if (!facts.hasPassword) return no('This server has no password: it takes SSH keys only.')
  if (facts.isSuspended) return no(suspended(facts))
  if (status === 'missing') return no(GONE)
  if (status === 'reinstalling') return no(REINSTALLING)
  if (isUnderWay(status)) return no(OTHER_ACT)
  if (!TAKES_PASSWORD.includes(status)) return no(`The server is ${status}: stop it first.`)
  return withoutCd(facts)
}

function renew({ audience, term, isFree, offersRenewal }: ServerFacts): Possible {
  if (audience === 'operator') return no('Only its client can renew a server.')
  if (isFree) return no('A free trial cannot be renewed.')
  if (term === 'cancelled') return no(ENDED)
  if (term === 'pending') return no(MAKING)
  if (offersRenewal) return yes
  return no(`You can renew it from ${RENEWAL_DAYS} days before its end.`)
}

const CHANGE_PACKAGE: TakeBackWords = {
  notOurs: 'This server was not made here, so its size is set in Proxmox.',
  expired: 'This server has expired. Renew it to change its package.',
  login: `${LOGIN_PENDING} Change the package when that is done.`,
}

function changePackage(facts: ServerFacts): Possible {
  const refusal = changeActRefusal(facts)
  return refusal === undefined ? takeBack(facts, CHANGE_PACKAGE) : no(refusal)
}

function transfer(facts: ServerFacts): Possible {
  if (facts.audience === 'operator') return no('Only its client can hand a server over.')
  const refusal = transferRefusal(facts)
  return refusal === undefined ? yes : no(refusal)
}

function end({ term, status }: ServerFacts): Possible {
  if (term === null) return no(NOBODY)
  if (term === 'cancelled') return no(ENDED)
  return status === 'deleting' ? no('It is being deleted.') : yes
}

const ONLY_OPERATORS = 'Only an operator can do this.'

function suspend({ audience, term, isSuspended }: ServerFacts): Possible {
  if (audience === 'owner') return no(ONLY_OPERATORS)
  if (term !== 'assigned' && term !== 'expired') {
    return no('Only a server that a client has can be suspended.')
  }
  return isSuspended ? no('This server is already suspended.') : yes
}

function resume({ audience, isSuspended }: ServerFacts): Possible {
  if (audience === 'owner') return no(ONLY_OPERATORS)
  return isSuspended ? yes : no('This server is not suspended.')
}
