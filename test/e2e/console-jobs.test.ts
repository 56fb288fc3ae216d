import { expect, test } from 'bun:test'
import { createBrowser } from '../app/console/sign-in-scene.ts'
import { startBinary } from '../support/binary.ts'

const admin = { email: 'first@example.com', password: 'a-good-long-password' }

test('the compiled program: its console verifies and backs up in processes of their own', async () => {
  await using gate = await startBinary({
    args: ['serve', '--log', 'json'],
    config: (listen) => `server: { listen: "${listen}" }
accounts: [{ email: ${admin.email}, role: admin, password: ${admin.password}, balance: 5 }]\n`,
  })
  const browser = createBrowser(gate.url)
  expect(await browser.signIn(admin)).toMatchObject({ status: 200 })

  async function run(kind: string) {
    const { data } = await browser.post('/api/v1/admin/jobs', { kind })
    for (;;) {
      const job = await browser.get(`/api/v1/admin/jobs/${data.id}`)
      if (job.data.state !== 'running') return job.data
      // A session may ask so often a second, and no more.
      await Bun.sleep(50)
    }
  }

  const verified = await run('verify')
  expect(verified).toMatchObject({
    state: 'done',
    verify: { valid: true, accounts: 1, ledger_entries: 1, differences: [] },
  })
  const backedUp = await run('backup')
  expect(backedUp).toMatchObject({ state: 'done', backup: { accounts: 1 } })
  const { name } = backedUp.backup as { name: string }
  const download = `/api/v1/admin/backups/${name}/download`
  expect(await browser.post(download, { password: 'wrong' })).toMatchObject({
    status: 403,
    reason: 'wrong_password',
  })
  const { data } = await browser.post(download, { password: admin.password })
  const file = await browser.get(String(data.path))
  expect([file.status, file.text.slice(0, 15)]).toEqual([200, 'SQLite format 3'])
  const yaml = await browser.get('/api/v1/admin/config.yaml')
  expect(yaml.text).toContain('email: first@example.com')
  expect(yaml.text + gate.stdout.join('')).not.toContain(admin.password)
  expect(gate.stderr.join('')).toBe('')
})
