/**
 * What takes minutes: processes killed at every moment, restored backups, random histories, real
 * guests, every screen in every look. `npm test` leaves these out, so that nobody hesitates to run
 * it; `npm test -- all` runs them too, and CI runs nothing less.
 */
export const SERVER_DRILLS = [
  'test/faults/*.test.ts',
  'test/fuzz/*.test.ts',
  'test/docs.test.ts',
  'src/proxmox/faults.test.ts',
  'src/server/backup/*.test.ts',
  'src/server/db/migrate.test.ts',
  'src/server/db/lost-connection.test.ts',
  'src/server/hypervisor/disks/interrupted.test.ts',
  'src/server/idempotency/every-route.test.ts',
  'src/server/provisioning/token-model.test.ts',
  'src/server/provisioning/renewal-race.test.ts',
  'src/server/provisioning/handover/take-over-races.test.ts',
  'src/server/provisioning/lifecycle/clock-jumps*.test.ts',
  'src/server/provisioning/provision/provision-faults.test.ts',
  'src/server/provisioning/provision/saga-laws.test.ts',
  'src/server/provisioning/reinstall/meanwhile.test.ts',
  'src/server/provisioning/reinstall/real-firmware.test.ts',
]

/** One walk through each part of the product; the other browser tests are drills. */
export const BROWSER_WALKS = [
  'account',
  'buy',
  'console',
  'handover',
  'journey',
  'live',
  'one-press',
  'operate-clusters',
  'operate',
  'orders',
  'register',
  'secrets',
  'server-page',
  'sign-in',
  'six-servers',
  'ssh-keys',
  'tokens',
  'users',
  'way-in',
  'without-script',
].map((name) => `e2e/${name}.e2e.ts`)
