import { describe, expect, test } from 'bun:test'
import { sentQuery, withoutKeys } from '../../src/gateway/upstream/upstream-call.ts'

const plain = 'https://vendor.example/v1/messages'
const sent = (query: string, url = plain) =>
  sentQuery({ url: `http://gw/v1/messages?${query}` }, url)

describe('a query goes upstream', () => {
  test.each([
    ['beta=true', 'beta=true'],
    ['beta', 'beta='],
    ['beta=true&trace.id=7&beta=1', 'beta=true&trace.id=7&beta=1'],
    ['api-version=2024-10-21', 'api-version=2024-10-21'],
    ['note=a%20b%26c%23d%3Bé', 'note=a+b%26c%23d%3B%C3%A9'],
    ['%62eta=true', 'beta=true'],
  ])('%s', (query, expected) => {
    expect(sent(query)).toBe(expected)
    const url = new URL(`${plain}?${expected}`)
    expect([url.host, url.pathname, url.hash]).toEqual(['vendor.example', '/v1/messages', ''])
  })

  test('without what the address of the channel says itself, in any case', () => {
    const azure = 'https://azure.example/openai?api-version=2024-10-21'
    expect(sent('API-Version=1&api-version=2&beta=true', azure)).toBe('beta=true')
  })

  test('or not at all, when it is longer than any client’s', () => {
    expect(sent(`beta=true&note=${'a'.repeat(2_000)}`)).toBe('')
    expect(sentQuery({ url: 'http://gw/v1/messages' }, plain)).toBe('')
    expect(sent('')).toBe('')
  })
})

describe('what stays here of a query', () => {
  const credentials = [
    ...['key=x', 'KEY=x', '%6bey=x', '%4B%45%59=x', 'api_key=x', 'api-key=x', 'apikey=x'],
    ...['API.Key=x', 'access_token=x', 'Access%5FToken=x', 'token=x', 'auth=x', 'authorization=x'],
    ...['client_secret=x', 'sig=x', 'x-amz-signature=x', 'X-Amz-Credential=x', 'password=x'],
    ...['x-goog-api-key=x', 'note=sk-0123456789', 'note=Bearer+sk-0123456789'],
  ]
  test.each(credentials)('the credential %s', (one) => {
    expect(sent(`${one}&beta=true`)).toBe('beta=true')
    expect(withoutKeys(`?include[]=a&${one}`)).toBe('?include%5B%5D=a')
  })

  // Google's servers would leave the usage out, or answer in another form.
  test.each(['fields=choices', 'Fields=choices', 'alt=sse', 'callback=x', 'upload_protocol=raw'])(
    '%s, which decides the form of the answer',
    (one) => {
      expect(sent(`${one}&beta=true`)).toBe('beta=true')
    },
  )

  // A vendor that read them would do, and bill, what the body was not read for.
  const decided = [
    ...['model=dear', 'Model=dear', 'mo_del=dear', 'models=a', 'service_tier=priority', 'n=5'],
    ...['serviceTier=priority', 'service-tier=priority', 'max_tokens=9', 'stream=true', 'tools=a'],
    ...[
      'web_search_options=a',
      'reasoning_effort=high',
      'provider=x',
      'extra_body=a',
      'speed=fast',
    ],
    ...['size=4k', 'quality=hd', 'plugins=web', 'engine=dear'],
  ]
  test.each(decided)('%s, which the body alone says', (one) => {
    expect(sent(`${one}&beta=true`)).toBe('beta=true')
  })

  // Google's servers would leave the usage out, or answer in a form that nobody reads.
  const shaping = [
    ...['fields=choices', 'Fields=choices', 'alt=proto', 'callback=f', 'prettyPrint=false'],
    ...['pretty_print=false', 'upload_protocol=raw', 'quotaUser=a', 'userProject=a'],
  ]
  test.each(shaping)('%s, by which an answer would be written otherwise', (one) => {
    expect(sent(`${one}&beta=true`)).toBe('beta=true')
  })

  const odd = ['%24httpMethod=GET', 'a[b]=1', '%256dodel=dear', '=x', '%00=x', 'a%0d%0ab=x', 'ﬁ=x']
  test.each(odd)('%s, a name that is read in more than one way', (one) => {
    expect(sent(`${one}&beta=true`)).toBe('beta=true')
  })
})

test('a query without credentials is left as it is written', () => {
  expect(withoutKeys('?include[]=a&include[]=b%20c')).toBe('?include[]=a&include[]=b%20c')
  expect(withoutKeys('')).toBe('')
  expect(withoutKeys('?key=x')).toBe('')
})
