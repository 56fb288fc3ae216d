import { describe, expect, test } from 'bun:test'
import { createSecretBox } from '../../../src/lib/secrets.ts'
import type { Quirk } from '../../../src/protocols/canonical/quirks.ts'
import type { CanonicalRequest, Turn } from '../../../src/protocols/canonical/request.ts'
import type { ProtocolName } from '../../../src/protocols/protocol.ts'
import { withCacheKey } from '../../../src/protocols/translation/prompt-cache-key.ts'

const sealer = createSecretBox('the secret of this test').texts

const say = (role: Turn['role'], text: string): Turn => ({ role, parts: [{ type: 'text', text }] })
const opening = [say('system', 'Be short.'), say('user', 'Mend my file.')]
const more = [say('assistant', 'I look.'), say('user', 'Go on.')]

interface Asked extends Partial<CanonicalRequest> {
  readonly protocol?: ProtocolName
  readonly host?: string
  readonly quirks?: readonly Quirk[]
  readonly owner?: string
  readonly secret?: typeof sealer
}

/** The key that a request goes upstream with. */
function keyOf(asked: Asked = {}): string | undefined {
  const { protocol = 'responses', host = 'up.example', quirks = [], owner = '7', ...rest } = asked
  const request: CanonicalRequest = {
    ...{ model: 'm', stream: true, turns: opening, native: [] },
    tools: [{ kind: 'function', name: 'look' }],
    ...rest,
  }
  const target = { protocol, host, quirks: new Set(quirks), owner, asked: request }
  // What is too long for the vendor does not reach it.
  const fitted = { ...request, userId: undefined }
  return withCacheKey(fitted, target, asked.secret ?? sealer).promptCacheKey
}

describe('the key of the prompt cache', () => {
  test('is equal for all turns of a conversation', () => {
    const key = keyOf()
    expect(key).toMatch(/^[\w-]{43}$/)
    expect(keyOf({ turns: [...opening, ...more] })).toBe(key)
    expect(keyOf({ turns: [...opening, ...more, ...more], maxOutputTokens: 9 })).toBe(key)
  })

  test('is another one for another conversation, account or gateway', () => {
    const other = createSecretBox('the secret of another test').texts
    const picture = (data: string): Turn => ({
      role: 'user',
      parts: [{ type: 'image', source: { type: 'data', mediaType: 'image/png', data } }],
    })
    const keys = [
      keyOf(),
      keyOf({ owner: '8' }),
      keyOf({ secret: other }),
      keyOf({ turns: [say('system', 'Be long.'), say('user', 'Mend my file.')] }),
      keyOf({ turns: [say('system', 'Be short.'), say('user', 'Mend my other file.')] }),
      keyOf({ turns: [picture('AAAA')] }),
      keyOf({ turns: [picture('BBBB')] }),
      keyOf({ userId: 'somebody else' }),
    ]
    expect(new Set(keys).size).toBe(keys.length)
  })

  test.each([
    ['in JSON', (session: string) => JSON.stringify({ device_id: 'd', session_id: session })],
    ['in its name', (session: string) => `user_1f_account_2e_session_${session}`],
  ])('is that of the session that Claude Code names %s, whatever it sends', (_, name) => {
    const key = keyOf({ userId: name('3d') })
    expect(keyOf({ userId: name('3d'), turns: [say('user', 'Shortened.'), ...more] })).toBe(key)
    expect(keyOf({ userId: name('4c') })).not.toBe(key)
    expect(keyOf({ userId: name('3d'), owner: '8' })).not.toBe(key)
  })

  test('is the client’s own where it has one', () => {
    expect(keyOf({ promptCacheKey: 'mine' })).toBe('mine')
  })

  test('is not there where nobody goes on with what was sent', () => {
    expect(keyOf({ tools: [] })).toBeUndefined()
    expect(keyOf({ tools: [], turns: [...opening, ...more] })).toBeString()
  })

  test.each<[string, Asked, boolean]>([
    ['responses', {}, true],
    ['responses that are to get none', { quirks: ['no_prompt_cache_key'] }, false],
    ['chat', { protocol: 'chat' }, false],
    ['chat that takes one', { protocol: 'chat', quirks: ['prompt_cache_key'] }, true],
    ['chat of OpenAI', { protocol: 'chat', host: 'api.openai.com' }, true],
    ['chat of Azure', { protocol: 'chat', host: 'mine.openai.azure.com' }, true],
    ['chat of somebody like them', { protocol: 'chat', host: 'api.openai.com.example' }, false],
    ['messages', { protocol: 'messages' }, false],
    ['gemini', { protocol: 'gemini' }, false],
  ])('on %s', (_, asked, isThere) => {
    expect(keyOf(asked) !== undefined).toBe(isThere)
  })
})
