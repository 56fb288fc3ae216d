import { describe, expect, test } from 'bun:test'
import { parseFormBody, rebuildForm } from '../../src/gateway/body/form-body.ts'

const contentType = 'multipart/form-data; boundary=XX'
const part = (head: string, value: string) => `--XX\r\n${head}\r\n\r\n${value}\r\n`
const named = (name: string, value: string) =>
  part(`Content-Disposition: form-data; name="${name}"`, value)
const encode = (text: string) => Buffer.from(`${text}--XX--\r\n`)
/** What Go's readers, which take the first of two heads, find of a form that goes upstream. */
async function sentOf(text: string, type = contentType) {
  const body = await parseFormBody(encode(text), type)
  const sent = new Response(await rebuildForm(body, 'm'))
  return { read: body.outline, sent: await sent.text() }
}

describe('what goes upstream is what was read', () => {
  test.each([
    [
      'two heads in one part',
      `${named('prompt', 'p')}${part('Content-Disposition: form-data; name="n"\r\nContent-Disposition: form-data; name="x"', '10')}`,
    ],
    [
      'an encoded name',
      named('prompt', 'p') + part("Content-Disposition: form-data; name*=utf-8''n", '10'),
    ],
    ['a preamble', `--YY\r\n${named('prompt', 'p')}`],
    [
      'an encoding',
      part(
        'Content-Disposition: form-data; name="prompt"\r\nContent-Transfer-Encoding: base64',
        'cA==',
      ),
    ],
    [
      'a charset',
      part(
        'Content-Disposition: form-data; name="prompt"\r\nContent-Type: text/plain; charset=utf-16',
        'p',
      ),
    ],
  ])('%s: each part has one head, and a name that was read', async (_, text) => {
    const { read, sent } = await sentOf(text)
    const heads = sent.match(/^content-disposition:.*$/gim) ?? []
    const names = heads.map((head) => /name="([^"]*)"$/.exec(head)?.[1])
    expect(names.toSorted()).toEqual([...Object.keys(read as object), 'model'].toSorted())
    expect(sent).not.toMatch(/transfer-encoding|charset|YY/i)
  })

  test('file names lose what ends them for some readers', async () => {
    const head = 'Content-Disposition: form-data; name="image"; filename="a\\.png"'
    const { sent } = await sentOf(part(head, 'bytes'))
    expect(sent).toContain('filename="a_.png"')
  })

  test('several files of one name are all there', async () => {
    const file = part('Content-Disposition: form-data; name="image[]"; filename="a.png"', 'bytes')
    const { sent } = await sentOf(file + file)
    expect(sent.match(/name="image\[\]"/g)).toHaveLength(2)
  })
})

test.each([
  ['n twice', named('n', '1') + named('n', '10'), 'n'],
  ['a size twice', named('size', 'a') + named('size', 'b'), 'size'],
  [
    'a text and a file',
    named('n', '1') + part('Content-Disposition: form-data; name="n"; filename="a"', '9'),
    'n',
  ],
  ['N', named('N', '10'), 'N'],
  ['ſtream', named('ſtream', 'true'), 'ſtream'],
  [
    'a quoted name',
    part('Content-Disposition: form-data; name="a\\"; name=\\"n"', '9'),
    'a\\"; name=\\"n',
  ],
])('%s is refused', async (_, text, param) => {
  const refused = await parseFormBody(encode(text), contentType).catch((error) => error)
  expect(refused).toMatchObject({ kind: 'invalid_value', details: { param } })
})
