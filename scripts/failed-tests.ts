import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** Repeats the names at the very end: of a long run often only the last lines are kept. */
export const namesFailedTests = (): Reporter => ({
  onTestRunEnd(modules) {
    const failed = modules.flatMap(failuresOf)
    if (failed.length > 0) process.stdout.write(`\nFailed:\n${failed.join('\n')}\n`)
  },
})

function failuresOf(module: TestModule): string[] {
  const own = module.errors().map(({ message }) => `  ${module.relativeModuleId}: ${message}`)
  const tests = [...module.children.allTests('failed')]
  const suites = [...module.children.allSuites()].flatMap((suite) =>
    suite
      .errors()
      .map(({ message }) => `  ${module.relativeModuleId} > ${suite.fullName}: ${message}`),
  )
  return [
    ...own,
    ...suites,
    ...tests.map((test) => `  ${module.relativeModuleId} > ${reasonOf(test)}`),
  ]
}

function reasonOf(test: TestCase): string {
  const [first] = test.result().errors ?? []
  return `${test.fullName}: ${first?.message.split('\n')[0] ?? 'no reason given'}`
}
