import { Database } from 'bun:sqlite'
import { Elysia } from 'elysia'

/** The least with the libraries that Tollgate is made of: a route, and a database in a file. */
const [, , port, file = ''] = process.argv
const database = new Database(file, { create: true, strict: true })
database.run('PRAGMA journal_mode = WAL')
database.run('CREATE TABLE IF NOT EXISTS account (id INTEGER PRIMARY KEY) STRICT')
const count = database.query('SELECT count(*) AS accounts FROM account')
new Elysia()
  .get('/livez', () => count.get())
  .listen({ port: Number(port), hostname: '127.0.0.1', reusePort: false })
