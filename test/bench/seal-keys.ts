import { Database } from 'bun:sqlite'
import { writeFileSync } from 'node:fs'
import { secretFileOf } from '../../src/app/backup/secret.ts'
import { createSecretBox } from '../../src/lib/secrets.ts'

/**
 * Seals keys for the channels of a made database, without which nothing is moved. Gives the secret,
 * which it also puts into a file beside the database.
 */
export function sealKeys(path: string): string {
  const secret = 'a secret of made channels'
  using db = new Database(path)
  db.query('UPDATE channel SET keys_sealed = ?').run(createSecretBox(secret).seal('["key"]'))
  writeFileSync(secretFileOf(path), secret, { mode: 0o600 })
  return secret
}
