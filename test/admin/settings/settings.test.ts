import { afterAll, describe, expect, test } from 'bun:test'
import { configOf } from '../../app/serving.ts'
import { startConsoleScene } from '../../support/console-scene.ts'

const scene = await startConsoleScene({ settings: { max_attempts: 3 } })
afterAll(scene.stop)

const path = '/api/v1/admin/settings'
type Item = { name: string; value: unknown; default: unknown; source: string; line: number | null }
async function read() {
  const { data } = await scene.ask('admin', 'GET', path)
  const items = data.items as Item[]
  return {
    revision: String(data.revision),
    of: (name: string) => items.find((item) => item.name === name),
    items,
  }
}
const change = async (changes: object, revision?: string) =>
  scene.ask('admin', 'PATCH', path, { changes, revision: revision ?? (await read()).revision })

test('settings are for administrators', async () => {
  for (const [person, status] of [
    [null, 401],
    ['user', 403],
  ] as const) {
    expect((await scene.ask(person, 'GET', path)).status).toBe(status)
    const body = { revision: '', changes: {} }
    expect((await scene.ask(person, 'PATCH', path, body)).status).toBe(status)
  }
})

test('each is told with its default, and who set it', async () => {
  const { of, items } = await read()
  expect(items).toHaveLength(27)
  expect(of('settings.max_attempts')).toMatchObject({ value: 3, default: 6, source: 'file' })
  expect(of('settings.max_attempts')?.line).toBeGreaterThan(1)
  expect(of('settings.queue_time')).toMatchObject({ value: '0s', source: 'default', line: null })
  expect(of('settings.models_list')).toMatchObject({ kind: 'choice', choices: ['all', 'token'] })
  const example = 'Models at list price'
  expect(of('site.subtitle')).toMatchObject({ value: null, default: null, example })
  expect(of('site.accent')).toMatchObject({ example: '#0b7285' })
  expect(of('settings.balance_low_threshold')).toMatchObject({ kind: 'usd', example: null })
})

describe('a change', () => {
  test('holds at once, on the public pages too', async () => {
    const { data } = await change({
      'site.name': 'Our <b>gateway</b>',
      'settings.feed_currency': 'USD',
      'settings.models_list': 'token',
    })
    expect(data.items).toContainEqual(
      expect.objectContaining({ name: 'site.name', source: 'console' }),
    )
    const feed = await (await scene.send(null, 'GET', '/pricing/provider-pricing.json')).json()
    expect(feed).toMatchObject({ data: { currency: 'USD', site_name: 'Our <b>gateway</b>' } })
    const me = await scene.ask('user', 'GET', '/api/v1/me')
    expect(me.data.site).toMatchObject({ name: 'Our <b>gateway</b>' })
    expect((await scene.store.admin.audit(1))[0]).toMatchObject({
      action: 'settings.set',
      actor: 'admin@example.com',
      detail: { 'settings.feed_currency': { from: null, to: 'USD' } },
    })
  })

  test('changes only what it names, and null is the default again', async () => {
    await change({ 'settings.feed_currency': null })
    const { of } = await read()
    expect(of('settings.feed_currency')).toMatchObject({ value: 'CNY', source: 'default' })
    expect(of('settings.models_list')).toMatchObject({ value: 'token', source: 'console' })
  })

  test('conflicts with one that somebody else has made', async () => {
    const { status, reason, data } = await change({ 'site.name': 'Mine' }, 'of yesterday')
    expect([status, reason]).toEqual([409, 'conflict'])
    expect(data.items).toContainEqual(expect.objectContaining({ value: 'Our <b>gateway</b>' }))
  })

  test('is refused with the words of the file, whole', async () => {
    const refused = async (changes: object) => {
      const { status, field, message } = await change(changes)
      return [status, field, message] as const
    }
    expect((await refused({ 'settings.retry_time': 'soon' }))[2]).toContain('is not a duration')
    expect((await refused({ 'settings.usual_output': 0 }))[2]).toContain('whole number from 1')
    expect((await refused({ 'settings.models_list': 'some' }))[1]).toBe('settings.models_list')
    expect((await refused({ 'site.doc_url': 'javascript:alert(1)' }))[0]).toBe(400)
    expect((await refused({ 'server.listen': 'x' }))[2]).toContain('no setting')
    const both = { 'site.name': 'Half', 'settings.max_attempts': 9 }
    expect((await refused(both))[2]).toMatch(/set by tollgate.yaml \(line \d+\)/)
    expect((await read()).of('site.name')).toMatchObject({ value: 'Our <b>gateway</b>' })
  })

  test('is refused with all that is wrong, each at its name', async () => {
    const wrong = {
      ...{ 'settings.retry_time': 'soon', 'site.name': 'Right', 'settings.usual_output': 0 },
      ...{ 'settings.max_attempts': 9, 'server.listen': 'x' },
    }
    const { status, field, data } = await change(wrong)
    expect([status, field]).toEqual([400, 'settings.retry_time'])
    expect(data.problems).toMatchObject([
      { field: 'settings.retry_time', fault: 'unfit_duration' },
      { field: 'settings.usual_output', fault: 'unfit_whole_number' },
      { field: 'settings.max_attempts', fault: 'set_by_file' },
      { field: 'server.listen', fault: 'not_known' },
    ])
  })
})

test('what the file names has the last word from then on', async () => {
  scene.tollgate.configure(configOf('site: { name: By file }\n'))
  const { of } = await read()
  expect(of('site.name')).toMatchObject({ value: 'By file', source: 'file', line: 1 })
  expect(of('settings.max_attempts')).toMatchObject({ value: 6, source: 'default' })
  expect(of('settings.models_list')).toMatchObject({ value: 'token', source: 'console' })
})
