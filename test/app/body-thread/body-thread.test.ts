import { expect, test } from 'bun:test'
import { createBodyThread } from '../../../src/app/body-thread/body-thread.ts'
import { createSecretBox } from '../../../src/lib/secrets.ts'

const { textKeys } = createSecretBox('the secret of this test')

const job = (content: unknown) => ({
  kind: 'translate' as const,
  bytes: new TextEncoder().encode(
    JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }),
  ),
  ...{ client: 'chat' as const, model: 'm', stream: false, isStrict: false, files: undefined },
  ...{ optionalTools: undefined, owner: 'a' },
  targets: [{ upstream: 'messages' as const, origin: 'o', quirks: [], model: 'claude-sonnet-4-5' }],
})

test('the other thread translates, refuses with the field, and goes on after a fault', async () => {
  const thread = createBodyThread(textKeys)
  const { signal } = new AbortController()
  const { targets } = await thread.run<'translate'>('a', job('Hi'), signal)
  const [made] = targets
  const bytes = made && 'bytes' in made ? made.bytes : undefined
  expect(JSON.parse(new TextDecoder().decode(bytes))).toMatchObject({
    model: 'claude-sonnet-4-5',
    messages: [{ role: 'user', content: 'Hi' }],
  })
  const refused = thread.run<'translate'>('a', job([{ type: 'text' }]), signal)
  expect((await refused).targets).toMatchObject([{ refused: 'invalid_value', param: 'messages' }])
  const broken = { ...job('Hi'), bytes: new Uint8Array([1]) }
  const failed = thread.run<'translate'>('a', broken, signal)
  expect(await failed.catch((error) => error)).toBeInstanceOf(Error)
  const count = { ...job('Hello there'), kind: 'count' as const, upstream: 'messages' as const }
  const counted = { ...count, upstreamModel: 'claude-sonnet-4-5', url: undefined }
  expect(await thread.run<'count'>('a', counted, signal)).toBeGreaterThan(2)
})

test('the other thread makes keys of the prompt cache for each account, as this one does', async () => {
  const thread = createBodyThread(textKeys)
  const { signal } = new AbortController()
  const keyFor = async (owner: string) => {
    const body = {
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [{ type: 'function', function: { name: 'look' } }],
    }
    const bytes = new TextEncoder().encode(JSON.stringify(body))
    const targets = [{ upstream: 'responses' as const, origin: 'o', quirks: [], model: 'gpt-5.1' }]
    const asked = { ...job(''), ...{ bytes, targets, owner } }
    const [made] = (await thread.run<'translate'>(owner, asked, signal)).targets
    const written = made && 'bytes' in made ? made.bytes : undefined
    return JSON.parse(new TextDecoder().decode(written)).prompt_cache_key
  }
  const key = await keyFor('a')
  expect(key).toMatch(/^[\w-]{43}$/)
  expect(await keyFor('a')).toBe(key)
  expect(await keyFor('b')).not.toBe(key)
})

test('who has left waits no longer', async () => {
  const thread = createBodyThread(textKeys)
  const leaving = new AbortController()
  const running = thread.run<'translate'>('a', job('Hi'), leaving.signal)
  leaving.abort(new Error('gone'))
  expect(await running.catch(({ message }) => message)).toBe('gone')
  expect(await thread.run<'translate'>('b', job('Hi'), new AbortController().signal)).toBeObject()
})

test('a job that hangs holds up nobody else', async () => {
  const thread = createBodyThread(textKeys, { longestMs: 1 })
  const { signal } = new AbortController()
  const asked = ['a', 'b'].map((owner) => thread.run<'translate'>(owner, job('Hi'), signal))
  const outcomes = await Promise.allSettled(asked)
  expect(outcomes.map((one) => one.status === 'rejected' && one.reason.message)).toEqual([
    'The thread for large requests failed: its job takes too long',
    'The thread for large requests failed: its job takes too long',
  ])
})
