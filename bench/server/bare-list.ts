// The baseline of `npm run bench -- list`, in a process of its own like the product: Fastify with
// one prepared query for the session and one for the list. Prints its address and exits with its
// parent.
import Fastify from 'fastify'
import pg from 'pg'

const pool = new pg.Pool({ connectionString: process.argv[2], max: 10 })
const app = Fastify()
app.get('/list', async () => {
  await pool.query({
    name: 's',
    text: 'select * from sessions join users on users.id = user_id limit 1',
  })
  const { rows } = await pool.query({
    name: 'l',
    text: 'select * from packages order by price_cents',
  })
  return rows
})
process.on('disconnect', () => process.exit())
process.send?.(await app.listen({ port: 0, host: '127.0.0.1' }))
