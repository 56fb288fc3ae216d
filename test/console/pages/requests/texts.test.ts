import { describe, expect, test } from 'bun:test'
import { causeOf } from '../../../../src/admin/diagnosis/causes.ts'
import {
  faultWords,
  noteWords,
  stepNames,
  wayWords,
} from '../../../../src/admin/diagnosis/schema.ts'
import { endpointOf } from '../../../../src/admin/diagnosis/steps.ts'
import { causeText } from '../../../../src/console/pages/requests/causes.ts'
import { diagnosisTexts, fill } from '../../../../src/console/pages/requests/diagnosis-text.ts'
import { attemptCauses, requestCauses } from '../../../../src/gateway/failures/failures.ts'
import { chat } from '../../../../src/protocols/chat/index.ts'
import { gemini } from '../../../../src/protocols/gemini/index.ts'
import { messages } from '../../../../src/protocols/messages/index.ts'
import { responses } from '../../../../src/protocols/responses/index.ts'

const chinese = /\p{Script=Han}/u

describe('every cause that a record can have', () => {
  test.each(requestCauses)(
    '%s has a fault, a way out, and an explanation in both languages',
    (cause) => {
      expect(causeOf(cause)?.ways.length).toBeGreaterThan(0)
      expect(causeText(cause, 'request', 'en')).toMatch(/^[A-Z].*\.$/)
      expect(causeText(cause, 'request', 'zh')).toMatch(chinese)
    },
  )

  test.each(attemptCauses)('%s of an attempt has an explanation in both languages', (cause) => {
    expect(causeText(cause, 'attempt', 'en')).toMatch(/^[A-Z].*\.$/)
    expect(causeText(cause, 'attempt', 'zh')).toMatch(chinese)
  })

  test('is known by its own name alone', () => {
    expect(causeOf('toString')).toBeUndefined()
    expect(causeText('constructor', 'request', 'en')).toBeUndefined()
  })
})

test('every operation that leaves a record has its endpoint', () => {
  for (const protocol of [chat, responses, messages, gemini]) {
    for (const operation of Object.values(protocol.operations)) {
      if (!operation.charged) continue
      expect(endpointOf(operation.protocol, operation.name)).toStartWith('POST /v1')
    }
  }
  const asked = { stream: true, model: 'a/b' }
  expect(endpointOf('gemini', 'generate', asked)).toBe(
    'POST /v1beta/models/a/b:streamGenerateContent',
  )
})

describe('the sentences of a diagnosis', () => {
  const { en, zh } = diagnosisTexts
  const namesIn = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort()

  test('say the same in both languages', () => {
    for (const word of noteWords) expect(namesIn(zh.notes[word])).toEqual(namesIn(en.notes[word]))
    for (const word of wayWords) expect(namesIn(zh.ways[word])).toEqual(namesIn(en.ways[word]))
  })

  test('are in Chinese where they should be', () => {
    const all = [
      ...noteWords.map((word) => zh.notes[word]),
      ...wayWords.map((word) => zh.ways[word]),
      ...stepNames.map((name) => zh.steps[name]),
      ...faultWords.map((word) => zh.faults[word]),
    ]
    for (const text of all) expect(text).toMatch(chinese)
  })

  test('keep what strangers wrote apart, and never look into it', () => {
    const model = '{group} <b>'
    const pieces = fill('{group} has no {model}.', { group: 'g', model }, (_, value) => `${value}`)
    expect(pieces).toEqual([
      { text: 'g', name: 'group' },
      { text: ' has no ' },
      { text: '{group} <b>', name: 'model' },
      { text: '.' },
    ])
  })
})
