import { Badge, List, Stack, Text } from '@mantine/core'
import type { ChannelState, CoolingPart } from '../../../admin/channels/schema.ts'
import { bilingual, localeOf, useLanguage, useText } from '../../lib/language.ts'
import { causeText } from '../requests/causes.ts'

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
        const why = cause === null ? '' : (causeText(cause, 'attempt') ?? cause)
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
  const clock = useClockTime()
  return ({ key_hint, model, cause, until, rounds }) => {
    const key = key_hint === '' ? text.goneKey : key_hint && text.key(key_hint)
    const what = [key, model && text.model(model)].filter(Boolean).join(' · ') || text.all
    const why = causeText(cause, 'attempt') ?? cause
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

/** How a channel is: one word for lists, and sentences. */
const stateText = bilingual({
  works: ['Works', '正常'],
  failing: ['Only fails', '全部失败'],
  unused: ['In no group', '未加入分组'],
  partly: ['Works in part', '部分可用'],
  cooling: ['In cooldown', '冷却中'],
  draining: ['Draining', '排空中'],
  disabled: ['Disabled', '已停用'],
  failingLong: [
    'Requests go to it, but each attempt of the last hour failed.',
    '请求仍会发往该渠道，但最近一小时的尝试全部失败。',
  ],
  worksLong: [
    'Requests are sent to it. No cooldown is running.',
    '请求正常发往该渠道，没有已知问题。',
  ],
  unusedLong: [
    'It is ready, but no group uses it: nobody can call it yet.',
    '渠道已就绪，但没有分组使用它，暂时无人能调用。',
  ],
  drainingLong: [
    'What has begun there goes on there; nothing new is sent to it.',
    '已开始的会话在此继续，不再接收新的请求。',
  ],
  disabledLong: ['Nothing is sent to it.', '不会向它发送任何请求。'],
  partlyLong: ['Some of its models are in cooldown.', '部分模型暂停使用。'],
  coolingLong: [
    'In cooldown until {until}. Then one request probes it.',
    '暂停使用至 {until}，之后先用一个请求试探。',
  ],
  keys: ['{cooling} of {all} keys are in cooldown.', '{all} 个密钥中有 {cooling} 个在冷却。'],
  key: ['key {hint}', '密钥 {hint}'],
  goneKey: ['a key that it no longer has', '已移除的密钥'],
  model: ['model {name}', '模型 {name}'],
  all: ['the whole channel', '整个渠道'],
  part: [
    (what: string, until: string) => `In cooldown until ${until}: ${what}`,
    (what, until) => `暂停使用至 ${until}：${what}`,
  ],
  times: ['{count} times in a row', '已连续 {count} 次'],
})
