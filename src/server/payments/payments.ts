import { AppError } from '#shared/errors.ts'
import type { Config } from '../config.ts'
import { manual } from './manual.ts'
import type { PaymentProvider } from './payment-provider.ts'
import { sandbox } from './sandbox.ts'

/** The provider this installation takes money with. */
export function paymentProvider({ paymentProvider: name }: Pick<Config, 'paymentProvider'>) {
  return (): PaymentProvider => {
    if (name === 'sandbox') return sandbox
    if (name === 'manual') return manual
    throw new AppError('NOT_BUILT', `Payments by ${name} are not built yet.`)
  }
}
