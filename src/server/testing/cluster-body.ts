import type { Sim } from '#pve-sim/sim.ts'

/** The body of the Add Cluster dialog for a simulator whose certificate was confirmed. */
export const clusterBody = (sim: Sim, values: object = {}) => ({
  name: 'House',
  host: sim.host,
  port: sim.port,
  username: sim.apiToken.id,
  password: sim.apiToken.secret,
  tlsFingerprint: sim.fingerprint,
  ...values,
})

/** The secret of every token of the demo seed except root's. */
export const ZEROS = '00000000-0000-4000-8000-000000000000'
