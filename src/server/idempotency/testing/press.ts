import { sql } from 'drizzle-orm'
import type { RequestOf, Route } from '#shared/api/parts/route.ts'
import { idempotencyKeys } from '../../db/schema/idempotency.ts'
import type { TestApp } from '../../testing/test-app.ts'

type Caller = ReturnType<TestApp['as']>

/** Sends one call with its key, and returns any answer. */
export async function press<R extends Route>(
  caller: Caller,
  route: R,
  input: RequestOf<R>,
  key: string,
) {
  const { params, body } = input as { params?: Record<string, unknown>; body?: object }
  const reply = await caller.send({
    method: route.method,
    url: route.path.replaceAll(/:(\w+)/g, (_, name: string) => String(params?.[name])),
    headers: { 'idempotency-key': key },
    ...(body === undefined ? {} : { payload: body }),
  })
  return {
    status: reply.statusCode,
    text: reply.body,
    isReplay: reply.headers['idempotency-replayed'] === 'true',
    retryAfter: reply.headers['retry-after'],
    body: reply.body === '' ? {} : (reply.json() as Record<string, unknown>),
  }
}

/** As after a kill between the effect and the answer: no answer is stored while `work` runs. */
export async function withoutAnswers<T>({ db }: TestApp, work: () => Promise<T>): Promise<T> {
  await db.execute(sql`create or replace function refuse_answers() returns trigger as $$
    begin raise exception 'killed'; end $$ language plpgsql`)
  await db.execute(sql`create trigger refuse_answers before update on idempotency_keys
    for each row when (new.state = 'answered') execute function refuse_answers()`)
  try {
    return await work()
  } finally {
    await db.execute(sql`drop trigger refuse_answers on idempotency_keys`)
  }
}

/** Expires the leases, as if the process that held them were long gone. */
export const endLeases = async ({ db }: TestApp): Promise<void> => {
  await db.update(idempotencyKeys).set({ leasedUntil: sql`now() - interval '1 second'` })
}

export const PLAN = {
  name: 'Small',
  cpu: '1 CPU',
  ram: '1 GB RAM',
  storage: '10 GB SSD',
  price: 5,
  osOptions: ['Debian 12'],
}
