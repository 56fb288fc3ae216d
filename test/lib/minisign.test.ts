import { expect, test } from 'bun:test'
import { complainOfSignature, nameOf, parseMinisignKey } from '../../src/lib/minisign.ts'

// Made by minisign 0.11: minisign -G -W; minisign -S -t 'a comment of minisign'.
const line = 'RWT8VvocpF61GinCzuKCPahy+lX49rckWjvYjVlHBjT8KHoNmvWdJvYo'
const signature = `untrusted comment: signature from minisign secret key
RUT8VvocpF61GnZaxMULkO2xoTdrx+gwUZfGPC4vXiNrVPAjpYG3YNv9vIdty5aKaC5uzgIe3Vpxg86uMHhp7FnWKCHyg5FhYg0=
trusted comment: a comment of minisign
3+CoqGjVujWMXsmj4Wmw7i5DgRbvJ7aJtLXd57HauxDtTwOLq2DT7n4dw2oFYJLBO/NnJpzcPhy3EAMaz4j0Ag==
`
const content = Buffer.from('hello\n')
const key = parseMinisignKey(line)

test('a signature that minisign has made fits its content and nothing else', () => {
  if (key === undefined) throw new Error('no key')
  expect(nameOf(key.id)).toBe('1AB55EA41CFA56FC')
  const complain = (text: string, of: Uint8Array = content) => complainOfSignature(of, text, key)
  expect(complain(signature)).toBeUndefined()
  expect(complain(signature.replaceAll('\n', '\r\n'))).toBeUndefined()
  expect(complain(signature, Buffer.from('hallo\n'))).toStartWith('does not fit')
  expect(complain(signature.replace('a comment', 'A comment'))).toStartWith('does not fit')
  expect(complain(signature.replace('RUT8', 'RWT8'))).toBe('is not a signature of minisign')
  expect(complain(signature.replace('RUT8', 'RUT9'))).toBe(
    'is of the key 1AB55EA41CFA56FD, not of 1AB55EA41CFA56FC',
  )
  expect(complain('')).toBe('is not a signature of minisign')
})

test('what is no public key of minisign is none', () => {
  for (const text of ['', 'RWQ', line.slice(4), line.replace('RWT', 'RUT'), `${line}AAAA`])
    expect(parseMinisignKey(text)).toBeUndefined()
})
