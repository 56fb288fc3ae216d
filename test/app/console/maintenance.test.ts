import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import type { SignedIn } from '../../../src/admin/access.ts'
import { ApiError } from '../../../src/admin/api-error.ts'
import { createMaintenance } from '../../../src/app/console/maintenance.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { createTempDir } from '../../support/temp-dir.ts'
import { configOf } from '../serving.ts'

const folder = createTempDir()
const clock = () => Date.now()
const path = folder.join('tollgate.db')
const store = openSqliteStore({ path, clock })
const config = configOf(`store: sqlite:${path}\n`)
const maintenance = createMaintenance(
  { store, clock, config: () => config },
  async (_, password) => {
    if (password !== 'right') throw new ApiError('wrong_password', 'no')
  },
)
const who: SignedIn = {
  accountId: 1,
  email: 'admin@example.com',
  role: 'admin',
  isVouched: true,
  sessionId: 'one',
  signedInAt: 0,
}
afterAll(async () => {
  await maintenance.stop()
  await store.close()
  folder.remove()
})

async function finished(id: string) {
  for (;;) {
    const job = await maintenance.job(id)
    if (job.state !== 'running') return job
    await Bun.sleep(5)
  }
}

const reasonOf = async (work: Promise<unknown>) => {
  try {
    await work
  } catch (error) {
    return error instanceof ApiError ? error.reason : String(error)
  }
}

test('a verification tells what it has found, and who began it', async () => {
  const { id } = await maintenance.start(who, 'verify')
  expect(await reasonOf(maintenance.start(who, 'verify'))).toBe('in_use')
  const job = await finished(id)
  expect(job).toMatchObject({
    state: 'done',
    started_by: who.email,
    verify: { valid: true, is_damaged: false, differences: [] },
  })
  expect((await store.admin.audit(1))[0]).toMatchObject({ action: 'job.verify', actor: who.email })
})

describe('a backup', () => {
  let name = ''
  beforeAll(async () => {
    const { id } = await maintenance.start(who, 'backup')
    const job = await finished(id)
    name = job.backup?.name ?? ''
  })

  const pathOf = async () => (await maintenance.allowDownload(who, name, 'right')).path
  const ticketOf = (at: string) => at.split('/').at(-1) ?? ''

  test('is in the list, alone: its secret is not copied', async () => {
    const { items } = await maintenance.backups()
    expect(items.map((item) => item.name)).toEqual([name])
    expect(await readdir(folder.join('backups'))).toEqual([name])
  })

  test('is given to who says the password, once, in the same session', async () => {
    expect(await reasonOf(maintenance.allowDownload(who, name, 'wrong'))).toBe('wrong_password')
    const ticket = ticketOf(await pathOf())
    const other = { ...who, isVouched: true, sessionId: 'another' }
    expect(await reasonOf(maintenance.download(other, name, ticket))).toBe('not_found')
    const response = await maintenance.download(who, name, ticket)
    expect(response.headers.get('content-disposition')).toContain(name)
    const bytes = await response.bytes()
    expect(new TextDecoder().decode(bytes.slice(0, 15))).toBe('SQLite format 3')
    expect(await reasonOf(maintenance.download(who, name, ticket))).toBe('not_found')
  })

  test('is never outside of its folder', async () => {
    for (const wrong of ['../tollgate.db', '..%2Ftollgate.db', 'tollgate.db', '']) {
      expect(await reasonOf(maintenance.allowDownload(who, wrong, 'right'))).toBe('not_found')
      expect(await reasonOf(maintenance.removeBackup(who, wrong))).toBe('not_found')
    }
  })

  test('is removed with an audit row', async () => {
    await maintenance.removeBackup(who, name)
    expect((await maintenance.backups()).items).toEqual([])
    expect((await store.admin.audit(1))[0]).toMatchObject({
      action: 'backup.remove',
      subject: name,
    })
  })
})
