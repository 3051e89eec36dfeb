// Loaded in front of the product (`node --import`), never by it: a signal makes faults that nobody
// catches, as a listener that throws does, and a promise that nobody waits for.
const fault = () => {
  throw new Error('a fault in a listener')
}

process.on('SIGUSR2', () => {
  setImmediate(fault)
  void Promise.reject(new Error('a fault in a promise'))
})
// More than a process should go on with.
process.on('SIGHUP', () => {
  for (let n = 0; n < 101; n += 1) setImmediate(fault)
})
