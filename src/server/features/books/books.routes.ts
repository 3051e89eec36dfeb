import type { FastifyInstance } from 'fastify'
import { api } from '#shared/api/index.ts'
import { implement } from '../../http/implement.ts'
import type { booksService } from './books.service.ts'

export function booksRoutes(app: FastifyInstance, books: ReturnType<typeof booksService>): void {
  implement(app, api.books, {
    payments: ({ query }) => books.payments(query),
    ledger: ({ query }) => books.ledger(query),
    seller: () => books.seller(),
    setSeller: ({ actor, body }) => books.setSeller(actor, body),
  })
}
