/** Mutants that no test can turn red, each with the reason. */
export const SURVIVORS: Record<string, string> = {}
