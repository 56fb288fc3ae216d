import { NativeSelect, type NativeSelectProps } from '@mantine/core'
import { useFilters } from '../../lib/filters.ts'
import { type Language, localeOf, useLanguage, useText } from '../../lib/language.ts'
import { requestsText } from './text.ts'

const hours = { hour: 1, day: 24, week: 7 * 24, month: 30 * 24 } as const

/** The time that a list is of: one that people often want, or what the address says. */
export function TimeChoice({ w }: Pick<NativeSelectProps, 'w'>) {
  const text = useText(requestsText)
  const { language } = useLanguage()
  const [{ since, until }, set] = useFilters()
  const isChosen = since !== undefined || until !== undefined
  const choose = (value: string) => {
    if (value === 'any') set({ since: null, until: null })
    const span = Object.entries(hours).find(([name]) => name === value)?.[1]
    if (span === undefined) return
    set({ since: new Date(Date.now() - span * 3_600_000).toISOString(), until: null })
  }
  return (
    <NativeSelect
      w={w}
      label={text.timeRange}
      value={isChosen ? 'chosen' : 'any'}
      onChange={({ currentTarget: { value } }) => choose(value)}
      data={[
        ...(isChosen ? [{ value: 'chosen', label: spanText(since, until, language) }] : []),
        { value: 'any', label: text.anyTime },
        ...(['hour', 'day', 'week', 'month'] as const).map((value) => ({
          value,
          label: text.lastSpans[value],
        })),
      ]}
    />
  )
}

/** `Nov 26, 14:00 – Nov 27, 14:00`; an end that is open is left out. */
function spanText(since: string | undefined, until: string | undefined, language: Language) {
  const format = new Intl.DateTimeFormat(localeOf(language), {
    ...({ month: 'short', day: 'numeric' } as const),
    ...({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const),
  })
  const at = (time: string | undefined) => {
    const date = new Date(time ?? '')
    return Number.isNaN(date.getTime()) ? '' : format.format(date)
  }
  return `${at(since)} – ${at(until)}`.trim()
}
