import { Badge, List, Stack, Text } from '@mantine/core'
import type { ChannelState, CoolingPart } from '../../admin/channels/schema.ts'
import { localeOf } from '../lib/format.ts'
import { useLanguage, useText } from '../lib/language.tsx'
import { causeText } from '../requests/cause-text.ts'
import { stateText } from './state-text.ts'

const colours = {
  works: 'green',
  failing: 'red',
  unused: 'gray',
  partly: 'yellow',
  cooling: 'orange',
  draining: 'blue',
  disabled: 'gray',
} as const

interface StateProps {
  readonly state: ChannelState
  /** Attempts of the last hour. */
  readonly recent: { readonly attempts: number; readonly failed: number }
}

/** What is asked and only fails does not work, even while nothing cools. */
const wordOf = ({ state: { word }, recent: { attempts, failed } }: StateProps) =>
  word === 'works' && attempts > 0 && attempts === failed ? 'failing' : word

/** One word for how a channel is. */
export function StateBadge(props: StateProps) {
  const text = useText(stateText)
  const word = wordOf(props)
  return (
    <Badge color={colours[word]} variant="dot" fw={500}>
      {text[word]}
    </Badge>
  )
}

/** A channel's state in a sentence. */
export function useStateSentence(): (props: StateProps) => string {
  const text = useText(stateText)
  const { language } = useLanguage()
  const clock = useClockTime()
  return (props) => {
    const { until, cause, keys, keys_cooling } = props.state
    const word = wordOf(props)
    switch (word) {
      case 'failing':
        return text.failingLong
      case 'works':
        return text.worksLong
      case 'unused':
        return text.unusedLong
      case 'draining':
        return text.drainingLong
      case 'disabled':
        return text.disabledLong
      case 'cooling': {
        const why = cause === null ? '' : (causeText(cause, language, 'attempt') ?? cause)
        return `${why} ${text.coolingLong(clock(until ?? ''))}`
      }
      case 'partly':
        return keys_cooling > 0 ? text.keys(keys_cooling, keys) : text.partlyLong
    }
  }
}

/** The sentence, and one more for each part that cools. */
export function StateDetails({ state, recent }: StateProps) {
  const sentence = useStateSentence()
  const part = usePartSentence()
  return (
    <Stack gap="xs">
      <Text size="sm">{sentence({ state, recent })}</Text>
      {state.parts.length > 0 && (
        <List size="sm">
          {state.parts.map((one) => (
            <List.Item key={`${one.key_hint} ${one.model}`} className="cut">
              {part(one)}
            </List.Item>
          ))}
        </List>
      )}
    </Stack>
  )
}

function usePartSentence(): (part: CoolingPart) => string {
  const text = useText(stateText)
  const { language } = useLanguage()
  const clock = useClockTime()
  return ({ key_hint, model, cause, until, rounds }) => {
    const key = key_hint === '' ? text.goneKey : key_hint && text.key(key_hint)
    const what = [key, model && text.model(model)].filter(Boolean).join(' · ') || text.all
    const why = causeText(cause, language, 'attempt') ?? cause
    const often = rounds > 1 ? ` (${text.times(rounds)})` : ''
    return `${text.part(what, clock(until))}${often}. ${why}`.replaceAll('。. ', '。')
  }
}

/** What cools ends within the hour: the time of the day says it. */
function useClockTime(): (at: string) => string {
  const { language } = useLanguage()
  const format = new Intl.DateTimeFormat(localeOf(language), { timeStyle: 'medium' })
  return (at) => (at === '' ? '' : format.format(new Date(at)))
}
