/**
 * What an operator reads of the keys of a client whose server gets another system: how many are put
 * on it again, of those that are on it now. The others have left the client's keys, or the system
 * takes none.
 */
export function keysKept(kept: number, now: number): string {
  if (now === 0) return 'No SSH key of its client is on this server.'
  if (kept === 0) return 'No SSH key of its client is put on the new system.'
  const all = kept === 1 ? 'The SSH key of its client is' : 'The SSH keys of its client are'
  if (kept >= now) return `${all} put on the new system again.`
  return `Of the ${now} SSH keys of its client that are on it now, ${kept} ${kept === 1 ? 'is' : 'are'} put on the new system: the client has since removed the others.`
}
