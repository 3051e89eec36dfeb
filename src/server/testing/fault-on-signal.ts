// Preloaded by tests (`node --import`), never by the product: a signal causes uncaught faults, a
// listener that throws and an unhandled rejection.
const fault = () => {
  throw new Error('a fault in a listener')
}

process.on('SIGUSR2', () => {
  setImmediate(fault)
  void Promise.reject(new Error('a fault in a promise'))
})
// More than a process should survive.
process.on('SIGHUP', () => {
  for (let n = 0; n < 101; n += 1) setImmediate(fault)
})
