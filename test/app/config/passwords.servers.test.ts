import { describe, expect, test } from 'bun:test'
import { loadConfig } from '../../../src/app/config/load.ts'
import { createConnections } from '../../../src/store/postgres/connections.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { openValkeyCounters } from '../../../src/store/valkey/counters.ts'
import { administer, createDatabase, hasPostgres } from '../../support/postgres.ts'
import { describeWithValkey, startValkey } from '../../support/valkey.ts'

// What a complaint says of passwords is what servers take.

const password = '/a#b?c%d@e%2F'
const written = '%2Fa%23b%3Fc%25d%40e%252F'
const advice = 'in a password write / # ? % @ as %2F %23 %3F %25 %40'

function load(text: string, word: string) {
  const loaded = loadConfig({ text, file: 'f', env: { WORD: word } })
  return loaded.ok ? loaded.config : loaded.problems.map(({ message }) => message).join('\n')
}

describe.skipIf(!hasPostgres)('a password of PostgreSQL', () => {
  test('is refused as it is, and taken as the complaint says', async () => {
    await using database = await createDatabase()
    await administer(`CREATE ROLE odd LOGIN PASSWORD '${password}'`)
    const { host } = new URL(database.url)
    const text = `store: postgres://odd:\${WORD}@${host}/${database.name}`
    expect(load(text, password)).toContain(advice)
    const config = load(text, written)
    const url = typeof config === 'object' && 'url' in config.store ? config.store.url : ''
    const connections = createConnections({ url })
    const { rows } = await connections.query({ text: 'SELECT current_user AS name' })
    expect(rows).toEqual([{ name: 'odd' }])
    await connections.close()
    // Nothing is wrong with this address but that it means another password.
    const other = database.url.replace(/:[^:@]*@/, ':a%20b@')
    await expect(openPostgresStore({ url: other, clock: Date.now })).rejects.toThrow(
      '% in it is %25',
    )
    await administer('DROP ROLE odd')
  })
})

describeWithValkey('a password of a Valkey', () => {
  test('is refused as it is, and taken as the complaint says', async () => {
    const valkey = await startValkey()
    await valkey.ask('ACL', 'SETUSER', 'odd', 'on', `>${password}`, '~*', '&*', '+@all')
    const text = `counters: redis://odd:\${WORD}@${new URL(valkey.url).host}`
    expect(load(text, password)).toContain(advice)
    const config = load(text, written)
    const url = (typeof config === 'object' && config.counters?.url) || ''
    const told: string[] = []
    const note = (message: string, fields?: object) =>
      told.push(`${message} ${JSON.stringify(fields)}`)
    const counters = await openValkeyCounters({ url, log: { info: note, warn: note, error: note } })
    expect(counters.isUnavailable()).toBe(false)
    await counters.close()
    await valkey.stop()
    expect(told).toEqual([])
  })
})
