import { Text } from '@mantine/core'
import { formatCount, formatDuration, formatUsd, localeOf } from '../lib/format.ts'
import { useLanguage } from '../lib/language.tsx'
import type { Language } from '../lib/texts.ts'
import { causeText } from './cause-text.ts'
import { diagnosisTexts } from './diagnosis-text.ts'
import { fill, type Param, type Params } from './fill.ts'

interface SentenceProps {
  readonly text: string
  readonly params: Params
  /** Whose cause a `cause` is. */
  readonly of?: 'request' | 'attempt'
}

/** A sentence of a diagnosis; what is filled in stands out, and is text whatever is in it. */
export function Sentence({ text, params, of = 'request' }: SentenceProps) {
  const { language } = useLanguage()
  const pieces = fill(text, params, (name, value) => show(name, value, language, of))
  return (
    <Text span size="sm" className="cut">
      {pieces.map(({ text, name }, place) => (
        // The pieces of a sentence never change their places.
        // biome-ignore lint/suspicious/noArrayIndexKey: there is nothing else that tells them apart
        <Text key={place} span inherit fw={name === undefined ? undefined : 600}>
          {text}
        </Text>
      ))}
    </Text>
  )
}

function show(name: string, value: Param, language: Language, of: 'request' | 'attempt'): string {
  if (typeof value === 'object') return value.join(language === 'zh' ? '、' : ', ')
  if (name.endsWith('_at')) return shortTime(String(value), language)
  if (name.endsWith('_usd')) return formatUsd(String(value))
  if (name === 'cause') {
    const meaning = causeText(String(value), language, of)?.replace(/[.。]$/, '')
    return meaning === undefined ? String(value) : `${meaning} (${value})`
  }
  if (name === 'fault') {
    const faults: Readonly<Record<string, string>> = diagnosisTexts[language].faults
    return faults[value] ?? String(value)
  }
  if (typeof value === 'string') return value
  if (name.endsWith('_ms')) return formatDuration(value)
  return name === 'status' ? String(value) : formatCount(value, language)
}

const shortTime = (at: string, language: Language) =>
  new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(at),
  )
