import { z } from 'zod'
import { AppError, notFound } from '#shared/errors.ts'
import { webhookEvents } from '../db/schema/ledger.ts'
import { defineJob, type StepContext } from '../jobs/job-definition.ts'
import type { Deps } from '../runtime/deps.ts'
import { ProviderError } from './port/provider-errors.ts'
import type { Providers } from './ways/providers.ts'
import type { Reports } from './webhook-reports.ts'

type WebhookDeps = Pick<Deps, 'db' | 'clock' | 'jobs' | 'log'> & {
  providers: Providers
  reports: Reports
}

const ReportInput = z.object({ reportId: z.number().int(), type: z.string() })

export type Webhooks = ReturnType<typeof createWebhooks>

/**
 * Webhooks of providers: each report is verified, stored once, answered at once and handled by a
 * job (O5).
 */
export function createWebhooks(deps: WebhookDeps) {
  const { db, clock, jobs, providers } = deps
  const job = reportJob(deps)

  return {
    job,

    /** A forged report is refused and a repeated one accepted; neither writes anything. */
    async receive(
      name: string,
      body: Buffer,
      headers: Record<string, string | string[] | undefined>,
    ): Promise<{ received: true }> {
      const provider = (await providers.now(db)).named(name)
      if (!provider) throw notFound('Payment provider')
      const report = await provider.verifyWebhook(body, headers)
      if (!report) {
        throw new AppError('UNVERIFIED_WEBHOOK', 'The signature does not prove this report.')
      }
      const { eventId, type, subject = null } = report
      await db.transaction(async (tx) => {
        const [row] = await tx
          .insert(webhookEvents)
          .values({ provider: name, eventId, type, subject, receivedAt: clock.now() })
          .onConflictDoNothing()
          .returning()
        if (row) await jobs.enqueue(tx, job, { reportId: row.id, type })
      })
      return { received: true }
    },
  }
}

/** If the provider is unreachable the report stays open, and the next poll handles it. */
const reportJob = ({ reports, log }: WebhookDeps) =>
  defineJob({
    kind: 'payment-report',
    input: ReportInput,
    title: ({ type }) => `Payment report: ${type}`,
    steps: [
      {
        name: 'look',
        async run({ input }: StepContext<z.output<typeof ReportInput>>) {
          try {
            await reports.handle(input.reportId)
          } catch (error) {
            if (!(error instanceof ProviderError)) throw error
            log.warn({ err: error, reportId: input.reportId }, 'a payment report has to wait')
          }
        },
      },
    ],
  })
