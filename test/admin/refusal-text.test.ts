import { describe, expect, test } from 'bun:test'
import { ApiError, type ApiErrorReason } from '../../src/admin/api-error.ts'
import { sentenceInChinese } from '../../src/admin/refusal-text.ts'
import { refusalWords } from '../../src/look/refusals.ts'

// The API's sentences come in the language that a request accepts; codes stay.

const asking = (languages: string) =>
  new Request('http://gateway.example', { headers: { 'accept-language': languages } })
const bodyIn = async (error: ApiError, languages: string) =>
  (await error.toResponse(asking(languages)).json()) as Record<string, unknown>

/** Every sentence that the sources give to an `ApiError` as a text; what is filled in is `X`. */
async function sentencesOfSources(): Promise<readonly string[]> {
  const found: string[] = []
  const text = /(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)/.source
  const call = new RegExp(
    `new ApiError\\(\\s*'\\w+',\\s*(${text}(?:\\s*\\+\\s*${text})*)\\s*[,)]`,
    'g',
  )
  for (const root of ['src/admin', 'src/app/console'])
    for await (const file of new Bun.Glob('**/*.ts').scan(root)) {
      const source = await Bun.file(`${root}/${file}`).text()
      for (const [, literal = ''] of source.matchAll(call)) {
        const parts = literal.match(new RegExp(text, 'g')) ?? []
        const whole = parts.map((part) => part.slice(1, -1).replace(/\\(.)/g, '$1')).join('')
        found.push(whole.replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, 'X'))
      }
    }
  return found
}

test('no sentence of the sources lacks its Chinese', async () => {
  const sentences = await sentencesOfSources()
  expect(sentences.length).toBeGreaterThan(45)
  // A field and the words of the rules: said by the fault, or with the rule's own words.
  const general = ['X: X.', 'X', 'X.']
  const lacking = sentences.filter(
    (one) => !general.includes(one) && sentenceInChinese(one) === undefined,
  )
  expect(lacking).toEqual([])
})

describe('a refusal', () => {
  const error = new ApiError('not_found', 'There is no channel 7. It may be removed.')

  test.each([
    ['zh-CN,zh;q=0.9,en;q=0.8', '没有渠道 7，可能已被删除。'],
    ['en-US,en;q=0.9,zh;q=0.8', 'There is no channel 7. It may be removed.'],
    ['', 'There is no channel 7. It may be removed.'],
    ['fr', 'There is no channel 7. It may be removed.'],
  ])('is told to %p as %s', async (languages, message) => {
    expect(await bodyIn(error, languages)).toEqual({ code: 404, message, reason: 'not_found' })
  })

  test('says what is wrong with each field, and keeps machine words and data', async () => {
    const problems = [
      { field: 'name', message: 'name: is missing.', fault: 'missing' },
      {
        ...{ field: 'rpm', message: 'rpm: "0" must be a whole number from 1 to 9.', value: '"0"' },
        fault: 'unfit_whole_number',
      },
      { field: 'models.1', message: 'A rule of the file.' },
    ] as const
    const about = { field: 'name', fault: 'missing', data: { problems, more: 1 } } as const
    const refused = new ApiError('invalid_value', 'name: is missing. A rule of the file.', about)
    expect(await bodyIn(refused, 'zh')).toEqual({
      ...{ code: 400, reason: 'invalid_value', field: 'name', fault: 'missing' },
      message:
        'name：此项必填 rpm："0" 无效，请填写 1 至 9 的整数 输入的内容有误（A rule of the file.）',
      data: {
        problems: [
          { ...problems[0], message: 'name：此项必填' },
          { ...problems[1], message: 'rpm："0" 无效，请填写 1 至 9 的整数' },
          { ...problems[2], message: '输入的内容有误（A rule of the file.）' },
        ],
        more: 1,
      },
    })
  })

  test.each(Object.keys(refusalWords))(
    '%s has a sentence of its own, whatever is said',
    async (reason) => {
      const { message } = await bodyIn(
        new ApiError(reason as ApiErrorReason, 'Unheard of'),
        'zh-TW',
      )
      expect(message).toMatch(/^[\p{Script=Han}，：、 ]+（Unheard of）$/u)
    },
  )
})
