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

export const hasMonero = [DAEMON, WALLET].every((file) => existsSync(file))

export type RealMonero = MoneroChain & {
  /** The view-only wallet's file is lost and made again of its keys. */
  restore(): Promise<void>
  /** Until it is started again, the wallet has no daemon. */
  stopDaemon(): Promise<void>
}

/** A chain of one's own by Debian's monerod, with a client's wallet and the operator's view-only one. */
export async function startRealMonero(): Promise<RealMonero> {
  const folder = mkdtempSync(join(tmpdir(), 'hushbox-monero-'))
  const [rpc, p2p, zmq, buyerPort, watchPort] = [
    await freePort(),
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
  const chain = ['--regtest', '--offline', '--fixed-difficulty', '1', '--non-interactive']
  const ports = { 'rpc-bind-port': rpc, 'p2p-bind-port': p2p, 'zmq-rpc-bind-port': zmq }
  const daemonProcess = run(DAEMON, [...chain, `--data-dir=${folder}/chain`, ...options(ports)])
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

  const made = { password: '', language: 'English' }
  const Address = z.object({ address: z.string() })
  await buyer('create_wallet', { ...made, filename: 'operator' }, z.unknown())
  const { address } = await buyer('get_address', { account_index: 0 }, Address)
  const Key = z.object({ key: z.string() })
  const { key: viewkey } = await buyer('query_key', { key_type: 'view_key' }, Key)
  await buyer('create_wallet', { ...made, filename: 'buyer' }, z.unknown())
  const { address: miner } = await buyer('get_address', { account_index: 0 }, Address)

  const refresh = async () => {
    await buyer('refresh', {}, z.unknown())
    await watch('refresh', {}, z.unknown())
  }
  let wallets = 0
  const makeWatchWallet = async () => {
    wallets += 1
    const keys = { address, viewkey, filename: `watch-${wallets}`, password: '', restore_height: 0 }
    await watch('generate_from_keys', keys, z.unknown())
  }
  const mine = async (blocks: number) => {
    const wanted = { amount_of_blocks: blocks, wallet_address: miner }
    await daemon('generateblocks', wanted, z.unknown())
    await refresh()
  }
  await makeWatchWallet()
  await mine(FIRST_BLOCKS)

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
    async restore() {
      await watch('close_wallet', {}, z.unknown())
      await makeWatchWallet()
      await watch('refresh', {}, z.unknown())
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
