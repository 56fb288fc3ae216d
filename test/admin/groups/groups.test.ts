import { afterAll, describe, expect, test } from 'bun:test'
import { startConsoleScene } from '../../support/console-scene.ts'

const scene = await startConsoleScene({
  models: ['test-model', 'other-model', 'painter', 'gift', 'unpriced-model'],
  prices: {
    'test-model': { input: 0.25, output: 2 },
    painter: { per_call: 0.04 },
    gift: { free: true },
  },
  moreChannels: [
    {
      name: 'spare',
      speaks: { chat: 'https://spare.example/v1' },
      api_key: 'sk-spare-0123456789abcdef',
      models: ['spare-model'],
    },
  ],
})
afterAll(scene.stop)
const base = '/api/v1/admin/groups'
await scene.store.admin.write({ remove: { prices: ['unpriced-model'] } })
await scene.tollgate.refresh()

async function make(more: object = {}) {
  const { status, data, message } = await scene.ask('admin', 'POST', base, {
    name: 'second',
    channels: ['main'],
    ...more,
  })
  expect([status, message]).toEqual([200, 'success'])
  return data
}

const pathOf = (group: { readonly id?: unknown }) => `${base}/${group.id}`

async function lastAudit() {
  return (await scene.store.admin.audit(1))[0]
}

describe('groups', () => {
  test('are for administrators', async () => {
    for (const [method, path] of [
      ['GET', base],
      ['POST', base],
      ['GET', `${base}/1`],
      ['PATCH', `${base}/1`],
      ['DELETE', `${base}/1`],
      ['GET', `${base}/1/multiplier-effect?rate_multiplier=1`],
    ] as const) {
      const body = method === 'GET' ? undefined : {}
      const codes = []
      for (const person of [null, 'user', 'other'] as const) {
        codes.push((await scene.ask(person, method, path, body)).status)
      }
      expect([method, path, ...codes]).toEqual([method, path, 401, 403, 403])
    }
  })

  test('are listed with what they really offer', async () => {
    const { data } = await scene.ask('admin', 'GET', base)
    expect(data).toMatchObject({
      total: 1,
      items: [
        {
          name: 'default',
          rate_multiplier: '1',
          channels: [{ id: 1, name: 'main' }],
          tokens: 1,
          tokens_is_exact: true,
          offers: 4,
          without_price: 1,
          in_file: true,
        },
      ],
    })
    const { data: whole } = await scene.ask('admin', 'GET', `${base}/1`)
    expect(whole).toMatchObject({
      offered_models: ['gift', 'other-model', 'painter', 'test-model'],
      models_without_price: ['unpriced-model'],
      models: [],
    })
  })
})

describe('a new group', () => {
  test('has the defaults of tollgate.yaml, and an audit row', async () => {
    const group = await make({ name: 'fresh' })
    expect(group).toMatchObject({
      status: 'active',
      rate_multiplier: '1',
      long_context_pricing: true,
      on_disconnect: 'bill_observed',
      limits: { rpm: null, tpm: null, concurrency: null },
      tokens: 0,
      in_file: false,
      warnings: [],
    })
    expect(await lastAudit()).toMatchObject({
      actor: 'admin@example.com',
      action: 'group.create',
      subject: 'group fresh',
    })
    await scene.ask('admin', 'DELETE', pathOf(group))
  })

  test('says which field is at fault', async () => {
    for (const [more, field, words] of [
      [{ name: '' }, 'name', 'is empty'],
      [{ rate_multiplier: '0.1234567' }, 'rate_multiplier', 'at most 6 decimals'],
      [{ rate_multiplier: '-1' }, 'rate_multiplier', 'is not a multiplier'],
      [{ models: ['a', 'a'] }, 'models.1', 'repeats'],
      [{ limits: { rpm: 0 } }, 'limits.rpm', 'must be a whole number from 1'],
    ] as const) {
      const answer = await scene.ask('admin', 'POST', base, { name: 'x', channels: [], ...more })
      expect([answer.status, answer.reason, answer.field]).toEqual([400, 'invalid_value', field])
      expect(answer.message).toContain(words)
    }
    const unknown = await scene.ask('admin', 'POST', base, { name: 'x', channels: ['nowhere'] })
    expect([unknown.status, unknown.field]).toEqual([400, 'channels'])
    expect(unknown.fault).toBe('not_known')
    expect(unknown.message).toContain('unknown channel "nowhere"')
    const taken = await scene.ask('admin', 'POST', base, { name: 'default', channels: [] })
    expect([taken.status, taken.reason, taken.field]).toEqual([409, 'name_taken', 'name'])
  })

  test('is warned of a multiplier that makes all free', async () => {
    const group = await make({ name: 'gifts', rate_multiplier: '0' })
    expect(group.warnings).toMatchObject([{ field: 'rate_multiplier' }])
    await scene.ask('admin', 'DELETE', pathOf(group))
  })
})

describe('a change', () => {
  test('changes only what it names', async () => {
    const before = await make({
      name: 'partly',
      description: 'All of it',
      models: ['test-model'],
      limits: { rpm: 5, tpm: 6 },
      channels: ['main', 'spare'],
    })
    const { data: after } = await scene.ask('admin', 'PATCH', pathOf(before), {
      rate_multiplier: '0.80',
      limits: { rpm: null },
      revision: before.revision,
    })
    const { revision, ...rest } = before
    const expected: object = {
      ...rest,
      rate_multiplier: '0.8',
      limits: { rpm: null, tpm: 6, concurrency: null },
      revision: after.revision,
    }
    expect(after).toEqual(expected as Record<string, unknown>)
    expect(after.revision).not.toBe(revision)
    expect((await lastAudit())?.detail).toEqual({
      multiplier_millionths: { from: 1_000_000, to: 800_000 },
      rpm: { from: 5, to: null },
    })
    await scene.ask('admin', 'DELETE', pathOf(before))
  })

  test('keeps the order of its channels', async () => {
    const group = await make({ name: 'ordered', channels: ['main', 'spare'] })
    const { data } = await scene.ask('admin', 'PATCH', pathOf(group), {
      channels: ['spare', 'main'],
    })
    expect(data.channels).toMatchObject([{ name: 'spare' }, { name: 'main' }])
    expect(data.revision).not.toBe(group.revision)
    expect((await lastAudit())?.detail).toEqual({
      channels: { from: ['main', 'spare'], to: ['spare', 'main'] },
    })
    await scene.ask('admin', 'DELETE', pathOf(group))
  })

  test('made for another state than the present one is refused, with that state', async () => {
    const group = await make({ name: 'contested' })
    const { revision } = group
    await scene.ask('admin', 'PATCH', pathOf(group), { rate_multiplier: '2', revision })
    const late = await scene.ask('admin', 'PATCH', pathOf(group), { platform: 'x', revision })
    expect([late.status, late.reason]).toEqual([409, 'conflict'])
    expect(late.data).toMatchObject({ rate_multiplier: '2', platform: '' })
    await scene.ask('admin', 'DELETE', pathOf(group))
  })

  test('of nothing leaves no audit row', async () => {
    const before = await lastAudit()
    const same = { rate_multiplier: '1.0', channels: ['main'] }
    expect((await scene.ask('admin', 'PATCH', `${base}/1`, same)).status).toBe(200)
    expect(await lastAudit()).toEqual(before)
  })

  test('of the name keeps the tokens, and holds for the next request', async () => {
    await scene.ask('admin', 'PATCH', `${base}/1`, { name: 'renamed', rate_multiplier: '2' })
    expect((await scene.chat()).status).toBe(200)
    const [token] = await scene.store.admin.tokens({})
    expect(token?.group).toBe('renamed')
    await scene.ask('admin', 'PATCH', `${base}/1`, { status: 'disabled' })
    expect((await scene.chat()).status).toBe(403)
    const back = { name: 'default', rate_multiplier: '1', status: 'active' }
    await scene.ask('admin', 'PATCH', `${base}/1`, back)
    expect((await scene.chat()).status).toBe(200)
  })
})

describe('another multiplier', () => {
  const effect = (multiplier: string) =>
    scene.ask('admin', 'GET', `${base}/1/multiplier-effect?rate_multiplier=${multiplier}`)

  test('shows which prices it changes, exactly, before it is saved', async () => {
    const { data } = await effect('0.8')
    expect(data).toEqual({
      rate_multiplier: '0.8',
      changed: 3,
      tokens: 1,
      examples: [
        { model: 'test-model', unit: 'tokens', now: ['0.25', '2'], after: ['0.2', '1.6'] },
        { model: 'other-model', unit: 'tokens', now: ['1', '2'], after: ['0.8', '1.6'] },
        { model: 'painter', unit: 'call', now: ['0.04'], after: ['0.032'] },
      ],
    })
    expect((await effect('1')).data).toMatchObject({ changed: 0, examples: [] })
    const { data: group } = await scene.ask('admin', 'GET', `${base}/1`)
    expect(group.rate_multiplier).toBe('1')
  })

  test('that is none is refused', async () => {
    const answer = await effect('a%20lot')
    expect([answer.status, answer.field]).toEqual([400, 'rate_multiplier'])
  })
})

describe('a removal', () => {
  test('is refused while tokens use the group, and says how many', async () => {
    const answer = await scene.ask('admin', 'DELETE', `${base}/1`)
    expect([answer.status, answer.reason]).toEqual([409, 'in_use'])
    expect(answer.message).toContain('1 token')
  })

  test('can move the tokens to another group', async () => {
    const other = await make({ name: 'other' })
    for (const to of [1, 999]) {
      const wrong = await scene.ask('admin', 'DELETE', `${base}/1?move_tokens_to=${to}`)
      expect([to, wrong.status]).toEqual([to, 404])
    }
    const moved = await scene.ask('admin', 'DELETE', `${base}/1?move_tokens_to=${other.id}`)
    expect([moved.status, moved.data]).toEqual([200, { moved_tokens: 1 }])
    expect(await lastAudit()).toMatchObject({
      action: 'group.remove',
      subject: 'group default',
      detail: { tokens: 1, moved_to: 'other' },
    })
    expect((await scene.chat()).status).toBe(200)
    expect((await scene.store.admin.tokens({}))[0]?.group).toBe('other')
  })
})
