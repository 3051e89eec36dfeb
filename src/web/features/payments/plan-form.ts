import { BillingPlanCreate } from '#shared/api/money/payments.ts'

/** As typed: the features are one text, a line each. */
export type PlanFields = {
  name: string
  monthlyPrice: string
  stripePriceId: string
  description: string
  features: string
}

export const EMPTY_PLAN: PlanFields = {
  name: '',
  monthlyPrice: '',
  stripePriceId: '',
  description: '',
  features: '',
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

export const bodyOf = ({ features, ...rest }: PlanFields) => ({
  ...rest,
  features: linesOf(features),
})

export const checkPlan = (fields: PlanFields) => BillingPlanCreate.safeParse(bodyOf(fields))
