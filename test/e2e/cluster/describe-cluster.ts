import { describe } from 'bun:test'
import { hasPostgres } from '../../support/postgres.ts'
import { hasValkey } from '../../support/valkey.ts'

const hasNginx = Bun.which('nginx') !== null
if (!hasNginx) {
  const text =
    'nginx is not installed ("apt-get install nginx"): tests of several nodes are left out.'
  if (process.env.CI === 'true') throw new Error(text)
  console.warn(text)
}

/** `describe` for tests that need PostgreSQL, Valkey and nginx: skipped where one is missing. */
export const describeCluster = hasNginx && hasPostgres && hasValkey ? describe : describe.skip
