// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the places are source text
import type { Group } from '../mutant.ts'

/** What is done to machines: the claim on a VM, its end, and what destroys it. */
export const MACHINES: Group[] = [
  {
    file: 'src/server/provisioning/proof/watch-picture.ts',
    tests: ['src/server/provisioning/proof/watch-picture.test.ts'],
    mutants: [
      ['width <= LARGEST_TEXT_MODE.width || height <= LARGEST_TEXT_MODE.height', 'false'],
      ['colours < FEWEST_COLOURS || ', ''],
      [' || commonest > LARGEST_BACKGROUND', ''],
      ['return likeness(seen, firmware) < SAME', 'return true'],
      ['else shownSince = undefined', ''],
      [' && now - shownSince >= APART_MS', ''],
      ["if (error.code === 'CLUSTER_REFUSED') mayLook = false", ''],
    ],
  },
  {
    file: 'src/server/provisioning/proof/watch-rdp.ts',
    tests: ['src/server/provisioning/proof/watch-rdp.test.ts'],
    mutants: [
      ['head[5] === CONFIRMED', 'true'],
      ['ANSWER_BYTES.includes(bytes)', 'true'],
    ],
  },
  {
    file: 'src/server/provisioning/proof/firmware-step.ts',
    tests: ['src/server/provisioning/reinstall/picture-proof.test.ts'],
    mutants: [
      ['!isWindows(osType) || !isInTime()', '!isWindows(osType)'],
      ['!isWindows(osType) || !isInTime()', '!isInTime()'],
    ],
  },
  {
    file: 'src/server/rfb/read-picture.ts',
    tests: ['src/server/hypervisor/guest/screen-looks.test.ts'],
    mutants: [
      [' || width * height > MOST_PIXELS', ''],
      ['const SHARED = Buffer.from([1])', 'const SHARED = Buffer.from([0])'],
    ],
  },
  {
    file: 'src/server/ssh/host-key.ts',
    tests: ['src/server/ssh/read-host-keys.test.ts'],
    mutants: [
      ["if (!isMade) throw new NotSshError('the host key did not make the signature')", ''],
      [' || keyRefusal(agreed.type, fields) !== undefined', ''],
      [' || textOf(name) !== algorithm', ''],
    ],
  },
  {
    file: 'src/server/host-keys/askable-addresses.ts',
    tests: ['src/server/host-keys/looks.test.ts'],
    mutants: [
      ["kind === 'never' || ", ''],
      ["(kind === 'loopback' && !demo)", 'false'],
      ['return !ofClusters.check(address, familyOf(address))', 'return true'],
    ],
  },
  {
    file: 'src/server/host-keys/host-key-rows.ts',
    tests: ['src/server/host-keys/host-keys.test.ts', 'src/server/host-keys/looks.test.ts'],
    mutants: [
      [', eq(instances.tokenId, tokenId)', ''],
      ['if (isChanged) {', 'if (false) {'],
      ['  if (!isChanged) return\n', ''],
    ],
  },
  {
    file: 'src/server/provisioning/handover/take-over.ts',
    tests: [
      'src/server/provisioning/handover/take-over.test.ts',
      'src/server/provisioning/handover/take-over-races.test.ts',
      'src/server/features/servers/transfer.test.ts',
    ],
    mutants: [
      ['  if (used.length === 0) throw invalidCode()\n', ''],
      ['    ne(handoverCodes.giverId, userId),\n', ''],
      ['    gt(handoverCodes.expiresAt, now),\n', ''],
      [' || token.assignedUserId !== offer.giverId', ''],
      ['  if ((await refusalOf(tx, token, instance)) !== undefined) throw invalidCode()\n', ''],
      ['    await tx.delete(consoleTickets).where(isTheirs)\n', ''],
      ["password: sealPassword(keyring, token.tokenId, '')", 'password: token.password'],
      ['        label: null,\n', ''],
      ['hostname: isTaken ? null : hostname', 'hostname'],
    ],
  },
  {
    file: 'src/server/inventory/vm/server-keys.ts',
    tests: [
      'src/server/provisioning/handover/take-over.test.ts',
      'src/server/provisioning/reinstall/reinstall-job.test.ts',
    ],
    mutants: [['  await takeKeysOff(tx, instanceId)\n  await putKeysOn', '  await putKeysOn']],
  },
  {
    file: 'src/server/provisioning/handover/handover-job.ts',
    tests: ['src/server/provisioning/handover/handover-job.test.ts'],
    mutants: [
      ['  waitForOthers(deps, instance)\n', ''],
      ['  if (!DELIVERED.includes(token.status)) return undefined\n', ''],
      [', isNull(handovers.loginSetAt))', ')'],
      ["state !== 'stopped'", 'true'],
      ['    if (!rested || mustBeOff(rested)) return\n', '    if (!rested) return\n'],
      ['      await forgetPassword(tx, jobId)\n', ''],
      ['      await markLoginSet(tx, instance.id, clock.now())\n', ''],
    ],
  },
  {
    file: 'src/server/provisioning/handover/handover-job.ts',
    tests: ['src/server/provisioning/handover/handover-restart.test.ts'],
    mutants: [
      ['input.wasOn === true || (await isOn(later))', 'output(remember)?.isOn ?? false'],
      ['    await noteWasOn(deps.db, jobId, true)\n', ''],
      ['    await noteWasOn(deps.db, jobId, false)\n', ''],
    ],
  },
  {
    file: 'src/server/provisioning/proof/proof-of-life.ts',
    tests: ['src/server/provisioning/reinstall/picture-proof.test.ts'],
    mutants: [['!picture?.isSeenOnce()', 'true']],
  },
  {
    file: 'src/server/provisioning/handover/take-over.ts',
    tests: ['src/server/provisioning/cds/own-isos.test.ts'],
    mutants: [['    await tx.update(ownIsos).set({ instanceId: null }).where(isOfServer)\n', '']],
  },
  {
    file: 'src/server/traffic/traffic-views.ts',
    tests: ['src/server/traffic/handed-over.test.ts'],
    mutants: [['Math.max(soldAt, givenAt)', 'soldAt']],
  },
  {
    file: 'src/server/api-keys/end-keys.ts',
    tests: ['src/server/api-keys/end-keys.test.ts'],
    mutants: [
      ['and(isTheirs, sql`${apiKeys.instanceIds} <@ ${it}`)', 'isTheirs'],
      ['.set({ instanceIds: others })', '.set({ instanceIds: apiKeys.instanceIds })'],
    ],
  },
  {
    file: 'src/server/provisioning/provision/vm-steps.ts',
    tests: ['src/server/provisioning/provision/stuck-undo.test.ts'],
    mutants: [
      ['...OF_NOBODY, status', 'ownerId: null, tokenId: null, status'],
      ['        await takeKeysOff(tx, row.id)\n', ''],
    ],
  },
  {
    file: 'src/server/features/orders/link-server.ts',
    tests: ['src/server/features/orders/candidates.test.ts'],
    mutants: [['  await takeKeysOff(tx, vm.id)\n', '']],
  },
  {
    file: 'src/server/db/connect/postgres.ts',
    tests: ['src/server/db/lost-connection.test.ts'],
    mutants: [['    query_timeout: CONNECT_MS,\n', '    query_timeout: 0,\n']],
  },
  {
    file: 'src/server/provisioning/lifecycle/end-token.ts',
    tests: ['src/server/provisioning/lifecycle/expiry.test.ts'],
    mutants: [
      [
        '  await tx.update(instances).set({ hostname: null }).where(eq(instances.tokenId, row.id))\n',
        '',
      ],
    ],
  },
  {
    file: 'src/server/audit/taken-over.ts',
    tests: ['src/server/features/servers/transfer.test.ts'],
    mutants: [['max(t.id)', 'min(t.id)']],
  },
  {
    file: 'src/server/inventory/vm/power-claim.ts',
    tests: [
      'src/server/inventory/vm/power-claim.test.ts',
      'src/server/features/instances/power.test.ts',
      'src/server/features/instances/suspend.test.ts',
      'src/server/provisioning/races.test.ts',
    ],
    mutants: [
      ['notInArray(instances.status, HELD_BY_JOB),', ''],
      ['ownerId === null ? isNull(instances.ownerId) : eq(instances.ownerId, ownerId),', ''],
      ["act === 'start' || act === 'restart' ? isNull(instances.suspendedAt) : undefined,", ''],
      ['notInArray(instances.status, blocking),', 'undefined,'],
      ['lt(instances.lastUpdated, voidBefore),', ''],
      ['eq(instances.status, status),\n', ''],
      ['eq(instances.lastUpdated, at),', ''],
      [
        "act === 'stop' ? HELD_BY_PROCESS.filter((one) => !canPower(one).stop) : HELD_BY_PROCESS",
        'HELD_BY_PROCESS',
      ],
      ['powerFailure: seen.failure ?? null', 'powerFailure: null'],
    ],
  },
  {
    file: 'src/server/provisioning/lifecycle/lifecycle-jobs.ts',
    tests: [
      'src/server/provisioning/lifecycle/lifecycle-jobs.test.ts',
      'src/server/provisioning/lifecycle/expiry.test.ts',
      'src/server/provisioning/lifecycle/removals.test.ts',
      'src/server/provisioning/lifecycle/linked-vms.test.ts',
      'src/server/provisioning/renewal-race.test.ts',
      'src/server/features/instances/suspend.test.ts',
    ],
    mutants: [
      ['if (await isBeingPaid(tx, tokenId)) return { proceed: false }', ''],
      ['if (!(await isToGo(tx, token, now, config))) return { proceed: false }', ''],
      ['if (!found || !mustBeOff(found)) return\n', 'if (!found) return\n'],
      ["if (later?.token.status === 'assigned' && !mustBeOff(later)) await switchOn(later)", ''],
      ["if (found?.token.status !== 'assigned' || mustBeOff(found)) return", 'if (!found) return'],
      ['if (later && mustBeOff(later)) await switchOff(later)', ''],
      ['if (marker === null) await stopIfRunning(hypervisor, vm)\n    else await', 'await'],
      ["if (token?.status !== 'cancelled') return undefined", ''],
      ['if (instance.marker !== null) await tx.delete', 'if (true) await tx.delete'],
      ['waitForOthers(deps, found.instance)', ''],
    ],
  },
  {
    file: 'src/server/provisioning/lifecycle/switch-vm.ts',
    tests: [
      'src/server/provisioning/lifecycle/lifecycle-jobs.test.ts',
      'src/server/features/instances/suspend.test.ts',
    ],
    mutants: [
      ['|| instance.suspendedAt !== null', ''],
      ['if (instance.marker !== null) await hypervisor.setConfig(vm, { onboot: false })', ''],
    ],
  },
  {
    file: 'src/server/provisioning/lifecycle/server-ends.ts',
    tests: [
      'src/server/provisioning/lifecycle/server-ends.test.ts',
      'src/server/provisioning/lifecycle/removals.test.ts',
      'src/server/provisioning/lifecycle/clock-jumps.test.ts',
    ],
    mutants: [
      ['return witnessed.ms - end.recordedMs >= graceDays * DAY_MS', 'return true'],
      ['!kept || kept > now ||', '!kept ||'],
      ['if (witnessed.isDoubtful || isTooMany)', 'if (isTooMany)'],
      ['if (witnessed.isDoubtful || isTooMany)', 'if (witnessed.isDoubtful)'],
    ],
  },
  {
    file: 'src/server/provisioning/lifecycle/expiry-sweep.ts',
    tests: [
      'src/server/provisioning/lifecycle/expiry-sweep.test.ts',
      'src/server/provisioning/lifecycle/expiry.test.ts',
      'src/server/provisioning/lifecycle/clock-jumps.test.ts',
      'src/server/provisioning/lifecycle/removals.test.ts',
    ],
    mutants: [
      ['if (!end || end.isNew) continue', 'if (!end) continue'],
      ['toRemove.has(token) ? deps.end : deps.stop', 'deps.end'],
      ['if (!same.every(isOver)) return', ''],
      ['isNotNull(tokens.assignedInstanceId),', ''],
      ['again.push(failed.id)', '{}'],
    ],
  },
  {
    file: 'src/server/provisioning/lifecycle/witness.ts',
    tests: [
      'src/server/provisioning/lifecycle/witness.test.ts',
      'src/server/provisioning/lifecycle/clock-jumps.test.ts',
      'src/server/provisioning/lifecycle/removals.test.ts',
      'src/server/provisioning/provision/silence.test.ts',
    ],
    mutants: [
      [".for('update')", ''],
      ['await db.transaction((tx) => witness(tx))', ''],
      ['Math.min(Math.max(0, unstored), WRITE_MS)', '0'],
      ['Math.max(0, Math.min(since, seen))', 'Math.max(0, since)'],
      ['isFirst ? addGap(row.gapMs, since) : row.gapMs', 'row.gapMs'],
    ],
  },
  {
    file: 'src/server/hypervisor/proxmox/destroy.ts',
    tests: [
      'src/server/hypervisor/proxmox/destroy.test.ts',
      'src/server/hypervisor/proxmox/proxmox-hypervisor.test.ts',
      'src/server/hypervisor/proxmox/clone.test.ts',
    ],
    mutants: [
      ["if ('marker' in vm) requireOurs(config, vm)\n    else requireName(config, vm)", ''],
      ["if (config.values.template === '1')", 'if (false)'],
      ["if (config.values.lock === 'clone') throw await lockedByClone(vm.vmId)", ''],
      ["'stop')\n      await verify(place, vm)", "'stop')"],
      ['if (uuid === undefined || uuidOf(config) === uuid.toLowerCase()) return', 'return'],
      ['isGone(error) && (await client.cluster.isFree(vm.vmId))', 'isGone(error)'],
      ['if (now === name) return\n', 'return\n'],
    ],
  },
]
