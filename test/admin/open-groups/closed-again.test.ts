import { afterAll, expect, test } from 'bun:test'
import { people, startConsoleScene } from '../../support/console-scene.ts'

// user@example.com was in the group `staff`; since then it is called `nightfall`, has another model and
// multiplier, and is for another account. What goes on in it is no longer theirs to know.

const scene = await startConsoleScene({
  moreGroups: [
    { name: 'staff', channels: ['main'], models: ['test-model'], accounts: [people.user] },
  ],
})
afterAll(scene.stop)

const issue = async (person: 'user' | 'other', group: string) => {
  const { data } = await scene.ask(person, 'POST', '/api/v1/tokens', { group })
  return { key: String(data.key), id: (data.token as { id: number }).id }
}
const token = await issue('user', 'staff')
const failedId = await chat('other-mode', token.key)
await close()

/** Asks for a model; gives the id of the request, once it is on record. */
async function chat(model: string, key: string): Promise<string> {
  const response = await scene.chat(model, key)
  await response.text()
  await scene.tollgate.settled()
  return response.headers.get('x-request-id') ?? ''
}

async function close(): Promise<void> {
  const { data } = await scene.ask('admin', 'GET', '/api/v1/admin/groups')
  const items = data.items as { id: number; name: string }[]
  const id = items.find(({ name }) => name === 'staff')?.id
  const changes = {
    ...{ name: 'nightfall', models: ['other-model'], accounts: [people.other] },
    rate_multiplier: '0.037',
  }
  const path = `/api/v1/admin/groups/${id}`
  expect((await scene.ask('admin', 'PATCH', path, changes)).status).toBe(200)
  const other = await issue('other', 'nightfall')
  for (let at = 0; at < 7; at++) await chat('other-model', other.key)
  await scene.tollgate.refresh()
}

test('why a request failed does not tell its models, nor how requests go there', async () => {
  const later = await chat('other-mode', token.key)
  for (const id of [failedId, later]) {
    const path = `/requests/${id}/diagnosis`
    const own = await scene.ask('user', 'GET', `/api/v1${path}`)
    const steps = own.data.steps as { step: string; notes: { word: string }[] }[]
    const words = steps
      .filter(({ step }) => step === 'status' || step === 'model')
      .map(({ notes }) => notes.map(({ word }) => word))
    expect(words).toEqual([['group_closed'], ['group_closed']])
    expect(JSON.stringify(steps)).not.toContain('other-model')
    // An administrator sees all of it.
    const any = await scene.ask('admin', 'GET', `/api/v1/admin${path}`)
    expect(JSON.stringify(any.data.steps)).toContain('other-model')
  }
})

test('what a token has used tells neither its name nor its multiplier', async () => {
  const headers = { authorization: `Bearer ${token.key}` }
  const request = new Request('http://gateway.example/v1/usage', { headers })
  expect(await (await scene.tollgate.app.handle(request)).json()).toMatchObject({
    ...{ object: 'usage', group: null, rate_multiplier: null },
  })
})

test('a token of it can be changed, but for its models', async () => {
  const patch = (body: object) => scene.ask('user', 'PATCH', `/api/v1/tokens/${token.id}`, body)
  const answers = []
  for (const model of ['other-model', 'test-model', 'no-model']) {
    for (const more of [{}, { group: 'nightfall' }])
      answers.push(await patch({ ...more, models: [model] }))
  }
  const told = answers.map(({ status, field, message }) => ({ status, field, message }))
  expect(new Set(told.map((one) => JSON.stringify(one))).size).toBe(1)
  expect(told[0]).toEqual({
    ...{ status: 400, field: 'models' },
    message: expect.stringContaining('is not open to this account'),
  })
  expect((await patch({ name: 'renamed', models: [], group: 'nightfall' })).status).toBe(200)
  expect((await patch({ group: 'default', models: ['test-model'] })).status).toBe(200)
})
