import { type Browser, chromium } from '@playwright/test'
import { type Sim, startSim } from '#pve-sim/sim.ts'
import { chromiumPath, QUIET } from '../e2e/house/browser.ts'
import { startPostgres } from '../src/server/testing/postgres.ts'
import {
  removeFolder,
  type ServerProcess,
  startProduct,
} from '../src/server/testing/server-process.ts'

type Place = { server: ServerProcess; databaseUrl: string }

/** Runs the product on its own PostgreSQL, with the demo; removes both afterwards. */
export async function withServer<T>(work: (place: Place) => Promise<T>): Promise<T> {
  const postgres = await startPostgres()
  try {
    const server = await startProduct({
      DATABASE_URL: postgres.url,
      SECRET_KEY: 'a key for the benchmark, long enough',
      // A cluster on loopback is allowed only in a demo (decision 006).
      DEMO: '1',
    })
    try {
      return await work({ server, databaseUrl: postgres.url })
    } finally {
      await server.stop()
      removeFolder(server.dataDir)
    }
  } finally {
    await postgres.stop()
  }
}

/** 100 nodes and 10 000 VMs, not connected yet. */
export async function withLargeCluster<T>(work: (sim: Sim) => Promise<T>): Promise<T> {
  const sim = await startSim({ seed: 1, nodes: 100, vms: 10_000, authDelayMs: 0 })
  try {
    return await work(sim)
  } finally {
    await sim.close()
  }
}

export async function withBrowser<T>(work: (browser: Browser) => Promise<T>): Promise<T> {
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: QUIET })
  try {
    return await work(browser)
  } finally {
    await browser.close()
  }
}
