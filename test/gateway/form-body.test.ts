import { describe, expect, test } from 'bun:test'
import { isPlainForm, parseFormBody, rebuildForm } from '../../src/gateway/form-body.ts'

const contentType = 'multipart/form-data; boundary=XX'
const part = (head: string, value: string) => `--XX\r\n${head}\r\n\r\n${value}\r\n`
const named = (name: string, value: string) =>
  part(`Content-Disposition: form-data; name="${name}"`, value)
const encode = (text: string) => Buffer.from(`${text}--XX--\r\n`)
const parsed = (text: string, type = contentType) => ({
  bytes: encode(text),
  contentType: type,
  fields: undefined,
})

describe('isPlainForm', () => {
  const plain =
    named('model', 'm') +
    part(
      'Content-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png',
      'bytes',
    )

  test('a form as SDKs write it goes out as it came', () => {
    expect(isPlainForm(parsed(plain))).toBe(true)
    expect(isPlainForm(parsed(plain, 'multipart/form-data; boundary="XX"'))).toBe(true)
  })

  test.each([
    ['an encoded name', plain + part("Content-Disposition: form-data; name*=utf-8''n", '10')],
    [
      'a name behind a bare file name',
      plain + part('Content-Disposition: form-data; filename=x; name="n"', '10'),
    ],
    ['an escaped name', plain + named('\\n', '10')],
    ['line feeds alone', plain.replaceAll('\r\n', '\n')],
    ['a preamble', `hello\r\n${plain}`],
  ])('%s is not plain: two readers could differ', (_, text) => {
    expect(isPlainForm(parsed(text))).toBe(false)
  })

  test('two boundaries are not plain', () => {
    expect(isPlainForm(parsed(plain, `${contentType}; boundary=YY`))).toBe(false)
  })

  test('what is not plain is written anew, with what was read of it', async () => {
    const form = await parseFormBody(encode(named('model', 'm') + named('n', '2')), contentType)
    const rebuilt = await rebuildForm(form, 'real')
    expect(Object.fromEntries(rebuilt.entries())).toEqual({ model: 'real', n: '2' })
  })
})
