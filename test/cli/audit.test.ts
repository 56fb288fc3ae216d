import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createWorkplace, type Workplace } from './cli.ts'

let place: Workplace
beforeAll(async () => {
  place = await createWorkplace()
  await place.write('tollgate.yaml', JSON.stringify({ accounts: [{ email: 'kim@example.com' }] }))
  await place.run(['apply'])
})
afterAll(() => place[Symbol.asyncDispose]())

/** Runs a command; returns what it left in the audit. */
async function noted(command: string, stdin?: string) {
  const { id: last } = (await list()).at(-1) ?? { id: 0 }
  const { code, err } = await place.run(command.split(' '), stdin === undefined ? {} : { stdin })
  expect({ command, code, err: code === 0 ? '' : err }).toEqual({ command, code: 0, err: '' })
  const rows = (await list()).filter(({ id }) => id > last)
  for (const { actor } of rows) expect(actor).toBe('command line')
  return rows.map(({ action, subject }) => `${action} ${subject}`)
}

async function list(): Promise<readonly { id: number; actor: string; [field: string]: unknown }[]> {
  return JSON.parse((await place.run(['audit', 'list', '--limit', '200', '--json'])).out)
}

test('apply: what the file made', async () => {
  expect((await list()).map(({ action, subject }) => `${action} ${subject}`)).toEqual([
    'account.create kim@example.com',
  ])
})

test('every command that changes something leaves its row, and one that changes nothing none', async () => {
  const made = 'channel add main --speaks chat=https://upstream.example/v1 --model own gpt-4o'
  // The list price of gpt-4o comes by itself.
  expect(await noted(made, 'k-0123456789')).toEqual(['channel.create channel main'])
  expect(await noted('channel drain main')).toEqual(['channel.set channel main'])
  expect(await noted('channel enable main')).toEqual(['channel.set channel main'])
  expect(await noted('channel enable main')).toEqual([])
  expect(await noted('group add trial --channel main')).toEqual(['group.create group trial'])
  expect(await noted('group disable trial')).toEqual(['group.set group trial'])
  expect(await noted('price set own --input 1 --output 2')).toEqual(['price.set own'])
  expect(await noted('price set own --input 1 --output 2')).toEqual([])
  expect(await noted('price remove own --yes')).toEqual(['price.remove own'])
  expect(await noted('account add lee@example.com')).toEqual(['account.create lee@example.com'])
  expect(await noted('account disable lee@example.com')).toEqual(['account.set lee@example.com'])
  expect(await noted('token add --account kim@example.com --group trial')).toEqual([
    'token.create token 1',
  ])
  expect(await noted('token disable 1')).toEqual(['token.set token 1'])
  expect(await noted('token remove 1 --yes')).toEqual(['token.remove token 1'])
  expect(await noted('account remove lee@example.com --yes')).toEqual([
    'account.remove lee@example.com',
  ])
  expect(await noted('group remove trial --yes')).toEqual(['group.remove group trial'])
  expect(await noted('channel remove main --yes')).toEqual(['channel.remove channel main'])
}, 120_000)

test('prices taken from a list, and what apply changes, are told by the thing', async () => {
  await noted(
    'channel add main --speaks chat=https://upstream.example/v1 --model other',
    'k-123456',
  )
  const prices = { input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
  const list = { other: { litellm_provider: 'x', mode: 'chat', ...prices } }
  await place.write('model_prices_and_context_window.json', JSON.stringify(list))
  expect(await noted('price sync --from model_prices_and_context_window.json --yes')).toEqual([
    'price.set other',
  ])
  const accounts = [{ email: 'kim@example.com', role: 'admin', password: 'a long pass word' }]
  await place.write('tollgate.yaml', JSON.stringify({ accounts }))
  expect(await noted('apply --yes')).toEqual(['account.set kim@example.com'])
  expect(await noted('apply --yes')).toEqual([])
})
