import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { until } from '../../e2e/until.ts'
import { jsonAnswer } from '../../support/fake-upstream.ts'
import { testKey, upstreamKey } from '../../support/tollgate-yaml.ts'
import { otherKey, startRequestScene } from '../requests/request-scene.ts'

interface Note {
  readonly word: string
  readonly params: Readonly<Record<string, unknown>>
}
interface Step {
  readonly step: string
  readonly finding: 'ok' | 'problem' | 'problem_now' | 'unknown'
  readonly explains: boolean
  readonly notes: readonly Note[]
  readonly ways: readonly Note[]
  readonly link: string | null
}
interface Diagnosis {
  readonly verdict: { step: string; note: Note; way: Note | null } | null
  readonly steps: readonly Step[]
  readonly report: Readonly<Record<string, unknown>>
}

const scene = await startRequestScene()
afterAll(scene.stop)
const answer = { ok: true, key: true }
const otherUpstreamKey = 'other-upstream-key-qrstuvwxyz'
const channelId = async () => (await scene.store.edits.editableCatalog()).channels[0]?.id ?? 0
scene.upstream.handle(() =>
  !answer.key
    ? jsonAnswer({ error: { message: 'bad key' } }, 401)
    : answer.ok
      ? jsonAnswer({
          ...{ id: 'x', object: 'chat.completion', created: 1, model: 'm' },
          choices: [
            { index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' },
          ],
          usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
        })
      : jsonAnswer({ error: { message: `broken, ask ${upstreamKey}` } }, 500),
)

const token = async () => {
  const [found] = await scene.store.admin.tokens({ account: 'user@example.com' })
  if (!found) throw new Error('there is no token')
  return found
}
const change = async (fields: object) => {
  const { id } = await token()
  await scene.store.admin.changeToken({ id, actor: 'a test', ...fields })
  await scene.tollgate.refresh()
}
afterEach(async () => {
  answer.ok = true
  await change({ expiresAt: null, budget: { totalNano: null, dayNano: null, monthNano: null } })
})

async function ask(model: string, key = testKey): Promise<string> {
  const response = await scene.chat(model, key)
  await response.text()
  await scene.tollgate.settled()
  return response.headers.get('x-request-id') ?? ''
}

async function diagnose(id: string, person: 'user' | 'other' | 'admin' = 'user') {
  const base = person === 'admin' ? '/api/v1/admin/requests' : '/api/v1/requests'
  const { status, data } = await scene.ask(person, 'GET', `${base}/${id}/diagnosis`)
  expect(status).toBe(200)
  const found = data as unknown as Diagnosis
  expect(found.steps.map(({ step }) => step)).toEqual([
    ...['status', 'endpoint', 'model', 'token', 'record', 'groups'],
  ])
  const step = (name: string) => found.steps.find((one) => one.step === name)
  const note = (name: string, word: string) =>
    step(name)?.notes.find((one) => one.word === word)?.params
  return { ...found, step, note }
}

describe('a model that the group has not', () => {
  test('is the verdict, with the nearest names', async () => {
    const { verdict, step, note } = await diagnose(await ask('test-modl'))
    expect(verdict).toEqual({
      step: 'model',
      note: { word: 'model_not_in_group', params: { model: 'test-modl', group: 'default' } },
      way: { word: 'use_model', params: { name: 'test-model' } },
    })
    expect(step('model')).toMatchObject({ finding: 'problem', explains: true, link: '/plaza' })
    expect(note('model', 'model_nearest')).toEqual({ group: 'default', names: ['test-model'] })
    expect(note('model', 'model_nowhere')).toEqual({ model: 'test-modl' })
    expect(step('token')?.finding).toBe('ok')
  })

  test('is found in the other groups that have it', async () => {
    const { verdict, note, step } = await diagnose(await ask('test-model', otherKey), 'other')
    expect(verdict).toMatchObject({ step: 'model' })
    expect(note('model', 'model_in_other_groups')).toEqual({
      ...{ model: 'test-model', groups: ['default'] },
    })
    expect(step('model')?.ways).toContainEqual({
      ...{ word: 'change_group', params: { group: 'default' } },
    })
  })
})

describe('a model that the group had not', () => {
  test('and has by now is the verdict of then; one that is gone since, no problem', async () => {
    const path = '/api/v1/admin/groups'
    const { id } = [...(await scene.store.edits.editableCatalog()).groups].find(
      ({ name }) => name === 'second',
    ) ?? { id: 0 }
    const setModels = async (models: readonly string[] | null) => {
      const { data } = await scene.ask('admin', 'GET', `${path}/${id}`)
      const body = { revision: data.revision, models }
      expect(await scene.ask('admin', 'PATCH', `${path}/${id}`, body)).toMatchObject({
        status: 200,
      })
      await scene.tollgate.refresh()
    }
    const missed = await ask('test-model', otherKey)
    answer.ok = false
    const failed = await ask('other-model', otherKey)
    await setModels(['test-model'])
    const { verdict } = await diagnose(missed, 'other')
    expect(verdict).toMatchObject({
      ...{ step: 'model', note: { word: 'model_not_in_group_then' }, way: { word: 'retry' } },
    })
    const gone = await diagnose(failed, 'other')
    expect(gone.step('model')?.finding).toBe('problem_now')
    expect(gone.note('model', 'model_gone_since')).toMatchObject({ model: 'other-model' })
    await setModels(['other-model'])
  })
})

describe('a token', () => {
  test('that has no budget left is the verdict, with both figures', async () => {
    await ask('test-model')
    await change({ budget: { totalNano: 1 } })
    const { verdict } = await diagnose(await ask('test-model'))
    expect(verdict).toMatchObject({
      step: 'token',
      note: { word: 'budget_total', params: { token: 'test', limit_usd: '0.000000001' } },
      way: { word: 'raise_budget' },
    })
  })

  test('that has expired is the verdict, with its link', async () => {
    await change({ expiresAt: 1_000 })
    const { verdict, step } = await diagnose(await ask('test-model'))
    expect(verdict).toMatchObject({
      step: 'token',
      note: { word: 'token_expired', params: { expires_at: '1970-01-01T00:00:01.000Z' } },
    })
    expect(step('token')?.link).toBe(`/tokens/${(await token()).id}`)
  })

  test('that is in order again: the verdict is what it was then', async () => {
    await change({ expiresAt: 1_000 })
    const id = await ask('test-model')
    await change({ expiresAt: null })
    const { verdict, step, note } = await diagnose(id)
    expect(verdict).toMatchObject({
      step: 'token',
      note: { word: 'token_expired_then', params: { expires_at: '1970-01-01T00:00:01.000Z' } },
      way: { word: 'retry' },
    })
    expect(step('token')).toMatchObject({ finding: 'problem', explains: true })
    expect(note('token', 'token_fine_by_now')).toMatchObject({ token: 'test' })
    expect(note('token', 'token_changed_since')).toMatchObject({ token: 'test' })
  })

  test('whose budget was raised since: the verdict has what was spent of it then', async () => {
    await ask('test-model')
    await change({ budget: { totalNano: 1 } })
    const id = await ask('test-model')
    const { note } = await diagnose(id)
    const spent = note('token', 'budget_total')?.spent_usd
    await change({ budget: { totalNano: 1_000_000_000 } })
    await ask('test-model')
    const later = await diagnose(id)
    expect(later.verdict).toEqual({
      step: 'token',
      note: {
        word: 'budget_total_then',
        params: { token: 'test', spent_usd: String(spent), limit_usd: '0.000000001' },
      },
      way: { word: 'retry', params: {} },
    })
    expect(later.note('token', 'budget_total')?.spent_usd).not.toBe(spent)
  })

  test('that has a problem now is told so with its advice, and did not fail another request', async () => {
    const id = await ask('no-such-model')
    await change({ expiresAt: 1_000, models: ['a'] })
    const { verdict, step, note } = await diagnose(id)
    await change({ models: [] })
    expect(verdict?.step).toBe('model')
    expect(step('token')).toMatchObject({ finding: 'problem_now', explains: false })
    expect(note('token', 'token_expired')).toBeDefined()
    expect(note('token', 'token_models')).toMatchObject({ models: ['a'] })
    expect(step('token')?.ways.map(({ word }) => word)).toContain('extend_token')
  })

  test('without money: the balance of then, what was needed, and whether that is so still', async () => {
    const adjust = (kind: 'credit' | 'debit', amountNano: number) =>
      scene.store.admin.adjust({
        ...{ account: 'user@example.com', actor: 'a test', reason: 'a test' },
        ...{ kind, amountNano, idempotencyKey: null },
      })
    const [account] = await scene.store.admin.accountsNamed(['user@example.com'])
    const takenNano = (account?.balanceNano ?? 0) - 7
    await adjust('debit', takenNano)
    await scene.tollgate.refresh()
    const id = await ask('test-model')
    const short = { balance_usd: '0.000000007' }
    expect((await diagnose(id)).verdict).toMatchObject({
      ...{ step: 'token', note: { word: 'balance_used_up', params: short } },
      way: { word: 'add_balance' },
    })
    await adjust('credit', takenNano)
    await scene.tollgate.refresh()
    const { verdict, note } = await diagnose(id)
    expect(verdict).toMatchObject({
      ...{ step: 'token', note: { word: 'balance_used_up_then', params: short } },
      way: { word: 'retry' },
    })
    expect(note('token', 'needed_then')?.needed_usd).toBeString()
    expect(note('token', 'balance_now')).toBeDefined()
  })

  test('has the balance of before the request and of now', async () => {
    const { note } = await diagnose(await ask('no-such-model'))
    expect(note('token', 'balance_now')).toHaveProperty('balance_usd')
    expect(note('token', 'balance_then')).toHaveProperty('balance_usd')
  })
})

describe('an upstream that fails', () => {
  test('is what the record and each attempt say, and no key of it is shown', async () => {
    answer.ok = false
    const id = await ask('test-model')
    const found = await diagnose(id)
    // It is the only one that failed: nothing is wrong with the group.
    expect(found.verdict?.step).toBe('record')
    expect(found.step('status')?.finding).toBe('ok')
    expect(found.note('record', 'record_failed')).toEqual({ status: 502, cause: 'upstream_error' })
    expect(found.note('record', 'record_fault')).toEqual({ fault: 'upstream' })
    expect(found.note('record', 'attempt_failed')).toMatchObject({
      ...{ number: 1, cause: 'upstream_failed' },
    })
    expect((await diagnose(id, 'admin')).note('record', 'attempt_failed_at')).toMatchObject({
      ...{ number: 1, channel: 'main', cause: 'upstream_failed' },
    })
    expect(found.report).toMatchObject({
      ...{ request_id: id, model: 'test-model', group: 'default', status: 502 },
      ...{ endpoint: 'POST /v1/chat/completions', cause: 'upstream_error' },
    })
    expect(JSON.stringify(found)).not.toContain(upstreamKey)
  })

  test('and refuses one of the channel’s keys: an administrator is told which, its user is not', async () => {
    const channels = '/api/v1/admin/channels'
    const path = `${channels}/${await channelId()}`
    const edit = async (body: object) => {
      const { data } = await scene.ask('admin', 'GET', path)
      const changed = await scene.ask('admin', 'PATCH', path, { revision: data.revision, ...body })
      expect(changed).toMatchObject({ status: 200 })
      await scene.tollgate.refresh()
      return changed.data.keys as readonly { readonly mark: string; readonly hint: string }[]
    }
    const marks = (await edit({ add_keys: [otherUpstreamKey] })).map(({ mark }) => mark)
    answer.key = false
    const id = await ask('test-model')
    answer.key = true
    const all = await diagnose(id, 'admin')
    const receipt = await scene.ask('admin', 'GET', `/api/v1/admin/requests/${id}`)
    const tried = receipt.data.attempts as readonly { readonly key_hint: string }[]
    const hint = tried[0]?.key_hint ?? ''
    expect(['upstr…6789', 'other…wxyz']).toContain(hint)
    expect(all.verdict).toEqual({
      step: 'record',
      note: { word: 'channel_key_refused_one', params: { channel: 'main', key: hint } },
      way: { word: 'check_one_key', params: { channel: 'main', key: hint } },
    })
    expect(all.note('record', 'attempt_failed_with')).toMatchObject({ channel: 'main', key: hint })
    const ofUser = [
      JSON.stringify(await diagnose(id)),
      await (await scene.send('user', 'GET', `/api/v1/requests/${id}`)).text(),
      await (await scene.send('user', 'GET', '/api/v1/requests')).text(),
      await (await scene.send('user', 'GET', '/api/v1/requests/export?format=jsonl')).text(),
    ]
    for (const text of ofUser) {
      expect(text).toContain(id)
      for (const secret of ['main', '…6789', '…wxyz', 'key_hint', 'key_mark', ...marks]) {
        expect(text).not.toContain(secret)
      }
    }
    const used = hint.startsWith('other') ? 1 : 0
    await edit({ remove_keys: [marks[used]] })
    const former = await diagnose(id, 'admin')
    expect(former.note('record', 'channel_key_refused_former')).toEqual({ channel: 'main' })
    expect(former.note('record', 'channel_key_refused_one')).toBeUndefined()
    await edit({ api_keys: [upstreamKey] })
    await scene.ask('admin', 'POST', `${path}/recover`)
  })

  test('and cools down: later requests say so, when it is well again, too', async () => {
    answer.ok = false
    await ask('other-model', otherKey)
    await ask('other-model', otherKey)
    const cooled = Date.now()
    await until('a later moment', () => Date.now() > cooled)
    const id = await ask('other-model', otherKey)
    answer.ok = true
    await scene.ask('admin', 'POST', `/api/v1/admin/channels/${await channelId()}/recover`)
    const { note } = await diagnose(id, 'admin')
    expect(note('record', 'cooling_then_model')).toMatchObject({
      ...{ channel: 'main', model: 'other-model', cause: 'upstream_failed' },
    })
    const own = await diagnose(id, 'other')
    expect(own.note('record', 'cooling_then')).toEqual({})
    expect(JSON.stringify(own)).not.toContain('main')
    expect((await diagnose(await ask('other-model', otherKey), 'admin')).verdict).toBeNull()
  })

  test('and refuses the channel’s key: an administrator is told whose key it is, its user is not', async () => {
    answer.key = false
    const id = await ask('test-model')
    answer.key = true
    const all = await diagnose(id, 'admin')
    expect(all.verdict).toEqual({
      step: 'record',
      note: { word: 'channel_key_refused', params: { channel: 'main' } },
      way: { word: 'check_key', params: { channel: 'main' } },
    })
    const ways = all.steps.flatMap((step) => step.ways.map((way) => JSON.stringify(way)))
    expect(ways).toEqual([...new Set(ways)])
    expect(JSON.stringify(await diagnose(id))).not.toContain('main')
    await scene.ask('admin', 'POST', `/api/v1/admin/channels/${await channelId()}/recover`)
  })

  test('for others, too, is the group’s trouble: the verdict is its state', async () => {
    answer.ok = false
    const ids = [await ask('other-model'), await ask('other-model'), await ask('other-model')]
    const { verdict, step } = await diagnose(ids[0] ?? '')
    expect(verdict).toMatchObject({ step: 'status', note: { word: 'status_then' } })
    // The last step names a group that worked.
    expect(step('status')?.ways.map(({ word }) => word)).toEqual(['wait'])
    expect(step('status')?.link).toBe('/status')
  })

  test('leads to the groups that worked for this model lately', async () => {
    await ask('other-model', otherKey)
    answer.ok = false
    const { note, step } = await diagnose(await ask('other-model'))
    expect(note('groups', 'group_worked')).toMatchObject({ group: 'second', model: 'other-model' })
    expect(step('groups')?.ways).toEqual([{ word: 'change_group', params: { group: 'second' } }])
  })
})

test('the endpoint is told, and that wrong ones leave no record', async () => {
  const { note, step } = await diagnose(await ask('no-such-model'))
  expect(note('endpoint', 'endpoint_used')).toEqual({
    ...{ endpoint: 'POST /v1/chat/completions', protocol: 'chat' },
  })
  expect(step('endpoint')?.finding).toBe('ok')
})

test('a request that succeeded has no verdict', async () => {
  const { verdict, step } = await diagnose(await ask('test-model'))
  expect(verdict).toBeNull()
  expect(step('record')?.finding).toBe('ok')
})

describe('who may ask', () => {
  test('is the owner and administrators; for others there is no such request', async () => {
    const id = await ask('no-such-model')
    const path = `/api/v1/requests/${id}/diagnosis`
    expect((await scene.send(null, 'GET', path)).status).toBe(401)
    expect((await scene.send('other', 'GET', path)).status).toBe(404)
    expect((await scene.send('user', 'GET', `/api/v1/admin/requests/${id}/diagnosis`)).status).toBe(
      403,
    )
    const { verdict, step } = await diagnose(id, 'admin')
    expect(verdict?.step).toBe('model')
    expect(step('token')?.link).toStartWith('/admin/accounts/')
  })
})

test('groups that are not shown in public are not named to people', async () => {
  const hidden = await startRequestScene({ settings: { model_plaza_enabled: false } })
  const response = await hidden.chat('test-model', otherKey)
  await response.text()
  await hidden.tollgate.settled()
  const id = response.headers.get('x-request-id')
  const own = await hidden.ask('other', 'GET', `/api/v1/requests/${id}/diagnosis`)
  expect(JSON.stringify(own.data)).not.toContain('"default"')
  const all = await hidden.ask('admin', 'GET', `/api/v1/admin/requests/${id}/diagnosis`)
  expect(JSON.stringify(all.data)).toContain('"default"')
  await hidden.stop()
})
