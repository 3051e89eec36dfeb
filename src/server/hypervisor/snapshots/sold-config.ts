/**
 * What was sold or is set from outside, and stays when a disk goes back in time: size, network,
 * name, user. What belongs to the system on the disk comes back with it: the kind of system,
 * firmware, controllers, drives, boot order. The password is masked when read, so it is set
 * separately; our marker is in the description, which a rollback keeps.
 */
const SOLD =
  /^(name|tags|onboot|protection|cores|sockets|vcpus|cpulimit|cpuunits|cpu|numa|memory|balloon|shares|net\d+|ipconfig\d+|nameserver|searchdomain|ciuser|sshkeys|agent)$/

type Values = Readonly<Record<string, string>>

export const soldValues = (values: Values): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([key]) => SOLD.test(key)))

/** What makes `now` equal to `wanted` in everything sold. */
export function soldChange(now: Values, wanted: Values) {
  const set = Object.entries(wanted).filter(([key, value]) => now[key] !== value)
  const unset = Object.keys(soldValues(now)).filter((key) => wanted[key] === undefined)
  return { set: Object.fromEntries(set), unset }
}
