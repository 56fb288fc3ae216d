import { expect, test } from 'bun:test'
import { listDropped } from '../../src/gateway/relay/reply.ts'

test('names are told as the client wrote them', () => {
  expect(listDropped(['seed', 'messages[0].content[1].cache_control'])).toBe(
    'seed, messages[0].content[1].cache_control',
  )
})

/** Fields that a client may send: each of them has to fit into a header, and into its list. */
const nasty = [
  '',
  ' ',
  'a,b',
  'a\r\nset-cookie: x=1',
  'a\u0000b',
  '字段',
  '🌍',
  '\ud83c',
  'ümlaut\u007f',
  'tab\there',
  `${'🌍'.repeat(200)}`,
  'x'.repeat(10_000),
]

test.each(nasty.map((name) => [name]))('%j goes into a header, and is one name of it', (name) => {
  const value = listDropped(['before', name, 'after'])
  expect(value).toMatch(/^[\x20-\x7e]*$/)
  expect(value.split(', ').length).toBe(3)
  expect(value.length).toBeLessThan(150)
  const answer = new Response(null, { headers: { 'x-tollgate-dropped': value } })
  expect(answer.headers.get('x-tollgate-dropped')).toBe(value)
})

test('of very many the first are named, and the others counted', () => {
  const names = Array.from({ length: 100_000 }, (_, at) => `field_${at}`)
  const value = listDropped(names)
  expect(value).toStartWith('field_0, field_1, ')
  expect(value).toEndWith('field_19, and 99980 more')
  expect(value.length).toBeLessThan(2200)
})
