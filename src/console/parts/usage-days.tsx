import { SegmentedControl } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useText } from '../lib/language.tsx'
import { usageText } from './usage-text.ts'

const choices = [7, 30, 90] as const

/** How many days the address asks for. */
export function useDays(): number {
  const { days } = useSearch({ strict: false })
  return choices.find((choice) => choice === Number(days)) ?? 30
}

/** Chooses how many days are shown; the address keeps it. */
export function DaysChoice() {
  const text = useText(usageText)
  const navigate = useNavigate()
  return (
    <SegmentedControl
      size="xs"
      aria-label={text.range}
      value={String(useDays())}
      onChange={(days) => void navigate({ to: '.', search: { days: Number(days) } })}
      data={choices.map((days) => ({ value: String(days), label: text.days(days) }))}
    />
  )
}
