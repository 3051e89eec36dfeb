export const isTrial = (name: string): boolean => /trial/i.test(name)

/** The period that a plan's price buys. */
export const planPeriod = (name: string): '/7 days' | '/month' =>
  isTrial(name) ? '/7 days' : '/month'
