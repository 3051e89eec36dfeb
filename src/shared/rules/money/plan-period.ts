import { DEFAULT_DAYS } from '../token/token-expiry.ts'

export const isTrial = (name: string): boolean => /trial/i.test(name)

const TRIAL_DAYS = 7

export const planDays = (name: string): number => (isTrial(name) ? TRIAL_DAYS : DEFAULT_DAYS)

/** The period that a plan's price buys. */
export const planPeriod = (name: string): '/7 days' | '/month' =>
  isTrial(name) ? '/7 days' : '/month'
