import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { z } from 'zod'
import { freePort } from '../../../testing/free-port.ts'
import { removeFolder } from '../../../testing/server-process.ts'
import { LOGIN, type MoneroChain } from './monero-chain.ts'
import { rawCall } from './raw-call.ts'

// Debian: monero.
const DAEMON = '/usr/bin/monerod'
const WALLET = '/usr/bin/monero-wallet-rpc'
const START_MS = 60_000
/** Coins of the first blocks can then be spent, and there are enough others to hide them among. */
const FIRST_BLOCKS = 110

/** What a view-only wallet is made of. The keys to spend from these two were not kept. */
const OPERATOR = {
  address:
    '49LVmvFLrYKFjMwMJWNpZu6katvUY5mYYBqeh1NQ2Ud2jKfNZqXGQpnURMJtgM614V4zq9W99p4uTGUjr2EYg6mr2nLz5Ri',
  viewkey: '5f299f52707b776678eca24cca21cdd9fb5188977251610e8798a2311d8f1a0d',
}
const OTHER_OPERATOR = {
  address:
    '43AttymYK6cSNgTn15xt5njfXuZJ7qK8mAzzv8tEgMrRd8W92QiZ6ypg3j3bZ996tFKADSfomCtW6Up2mBRE4aFvLevekQc',
  viewkey: 'bdff6b68bf46cf4a09eebc86f50663aa6d009a26a0a6b627148eeeed69b87705',
}

export const hasMonero = [DAEMON, WALLET].every((file) => existsSync(file))

export type RealMonero = MoneroChain & {
  /** The view-only wallet's file is lost and made again of its keys. */
  restore(): Promise<void>
  /** The operator opens a wallet of other keys, which has received no payment. */
  openOther(): Promise<void>
  /** Until it is started again, the wallet has no daemon. */
  stopDaemon(): Promise<void>
}

/** A chain of one's own by Debian's monerod, with a client's wallet and the operator's view-only one. */
export async function startRealMonero(): Promise<RealMonero> {
  const folder = mkdtempSync(join(tmpdir(), 'hushbox-monero-'))
  const [rpc, p2p, buyerPort, watchPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  const started: Started[] = []
  const run = (program: string, args: string[]): Started => {
    const child = spawn(program, args, { stdio: 'ignore', cwd: folder })
    const one = { child, ended: new Promise<void>((done) => child.on('close', () => done())) }
    started.push(one)
    return one
  }
  const daemonProcess = run(DAEMON, [
    ...['--regtest', '--offline', '--fixed-difficulty', '1', '--non-interactive', '--no-zmq'],
    // Else it makes a certificate before it answers, which takes up to fifteen seconds.
    ...options({ 'data-dir': join(folder, 'chain'), 'rpc-ssl': 'disabled' }),
    ...options({ 'rpc-bind-port': rpc, 'p2p-bind-port': p2p }),
  ])
  const wallet = (name: string, port: number, login: string[]) => {
    mkdirSync(join(folder, name))
    return run(WALLET, [
      ...options({ 'daemon-address': `127.0.0.1:${rpc}`, 'rpc-bind-port': port }),
      ...options({ 'wallet-dir': join(folder, name), 'log-file': join(folder, `${name}.log`) }),
      ...options({ 'shared-ringdb-dir': join(folder, 'rings'), 'rpc-ssl': 'disabled' }),
      ...options({ 'daemon-ssl': 'disabled' }),
      '--no-dns',
      '--non-interactive',
      ...login,
    ])
  }
  wallet('buyer', buyerPort, ['--disable-rpc-login'])
  wallet('watch', watchPort, [`--rpc-login=${LOGIN}`])

  const daemon = <T>(method: string, params: object, shape: z.ZodType<T>) =>
    openCall(`http://127.0.0.1:${rpc}`, method, params, shape)
  const buyer = <T>(method: string, params: object, shape: z.ZodType<T>) =>
    openCall(`http://127.0.0.1:${buyerPort}`, method, params, shape)
  const url = `http://127.0.0.1:${watchPort}`
  /** Without a limit of time: making a wallet of its keys takes a while on a busy machine. */
  const watch = async <T>(method: string, params: object, shape: z.ZodType<T>): Promise<T> =>
    resultOf(method, await rawCall(url, LOGIN, { method, params }), shape)
  const answers = async (asked: Promise<unknown>) => expect(await asked).toBeDefined()
  const ready = { timeout: START_MS, interval: 200 }
  await vi.waitFor(() => answers(daemon('get_info', {}, z.unknown())), ready)
  await vi.waitFor(() => answers(buyer('get_version', {}, z.unknown())), ready)
  await vi.waitFor(() => answers(watch('get_version', {}, z.unknown())), ready)

  const refresh = async () => {
    await buyer('refresh', {}, z.unknown())
    await watch('refresh', {}, z.unknown())
  }
  let keys = OPERATOR
  let wallets = 0
  const makeWatchWallet = async () => {
    wallets += 1
    const made = { filename: `watch-${wallets}`, password: '', restore_height: 0 }
    await watch('generate_from_keys', { ...keys, ...made }, z.unknown())
  }
  const makeAgain = async () => {
    await watch('close_wallet', {}, z.unknown())
    await makeWatchWallet()
    await watch('refresh', {}, z.unknown())
  }
  const makeBuyer = async (): Promise<string> => {
    const made = { filename: 'buyer', password: '', language: 'English' }
    await buyer('create_wallet', made, z.unknown())
    return (await buyer('get_address', { account_index: 0 }, Address)).address
  }
  const [miner] = await Promise.all([makeBuyer(), makeWatchWallet()])

  const mine = async (blocks: number) => {
    const wanted = { amount_of_blocks: blocks, wallet_address: miner }
    await daemon('generateblocks', wanted, z.unknown())
    await refresh()
  }
  await mine(FIRST_BLOCKS)

  /**
   * A daemon takes a transaction, answers, and passes it on to others in a thread of its own
   * (Dandelion++). Until then it is in the pool, but in no block: not even in those it makes.
   */
  const isPassedOn = async (txid: string) => {
    const reply = await fetch(`http://127.0.0.1:${rpc}/get_transaction_pool`, { method: 'POST' })
    const { transactions } = Pool.parse(await reply.json())
    const one = transactions.find(({ id_hash }) => id_hash === txid)
    // At first to one other only, the stem: then it says no time, and still mines it in no block.
    expect(one?.relayed === true && one.last_relayed_time > 0).toBe(true)
  }

  return {
    url,
    env: {
      PAYMENT_PROVIDER: 'monero',
      MONERO_WALLET_URL: url,
      MONERO_WALLET_LOGIN: LOGIN,
      MONERO_RATE: '150.00',
    },
    mine,
    async pay(to, pico, { unlockTime = 0 } = {}) {
      const destinations = [{ amount: Number(pico), address: to }]
      const Sent = z.object({ tx_hash: z.string() })
      const sent = await buyer('transfer', { destinations, unlock_time: unlockTime }, Sent)
      await vi.waitFor(() => isPassedOn(sent.tx_hash), { timeout: START_MS, interval: 20 })
      return sent.tx_hash
    },
    async popBlocks(blocks) {
      const body = JSON.stringify({ nblocks: blocks })
      const reply = await fetch(`http://127.0.0.1:${rpc}/pop_blocks`, { method: 'POST', body })
      if (!reply.ok) throw new Error(`the daemon answered ${reply.status}`)
      await refresh()
    },
    async emptyPool() {
      await daemon('flush_txpool', {}, z.unknown())
    },
    restore: makeAgain,
    async openOther() {
      keys = OTHER_OPERATOR
      await makeAgain()
    },
    async stopDaemon() {
      daemonProcess.child.kill()
      await daemonProcess.ended
    },
    async close() {
      for (const { child } of started) child.kill('SIGKILL')
      await Promise.all(started.map(({ ended }) => ended))
      removeFolder(folder)
    },
  }
}

const Address = z.object({ address: z.string() })
const Pool = z.object({
  transactions: z
    .array(
      z.object({
        id_hash: z.string(),
        relayed: z.boolean(),
        last_relayed_time: z.number().default(0),
      }),
    )
    .default([]),
})

type Started = { child: ChildProcess; ended: Promise<void> }

const options = (values: Record<string, string | number>): string[] =>
  Object.entries(values).map(([name, value]) => `--${name}=${value}`)

/** A call to a daemon or a wallet that asks for no login. */
async function openCall<T>(
  url: string,
  method: string,
  params: object,
  shape: z.ZodType<T>,
): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: '0', method, params })
  const reply = await fetch(`${url}/json_rpc`, { method: 'POST', body })
  return resultOf(method, await reply.json(), shape)
}

function resultOf<T>(method: string, given: unknown, shape: z.ZodType<T>): T {
  const answer = given as { result?: unknown; error?: { message: string } }
  if (answer.error) throw new Error(`${method}: ${answer.error.message}`)
  return shape.parse(answer.result)
}
