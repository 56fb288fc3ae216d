import { List, Stack, Text } from '@mantine/core'
import type { ChannelState, CoolingPart } from '../../../admin/channels/schema.ts'
import { bilingual, localeOf, shownLanguage, useText } from '../../lib/language.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { causeText } from '../requests/causes.ts'

const colours = {
  works: 'ok',
  failing: 'bad',
  unused: 'soft',
  partly: 'mid',
  cooling: 'mid',
  draining: 'accent',
  disabled: 'soft',
} as const

interface StateProps {
  readonly state: ChannelState
  readonly recent: { readonly attempts: number; readonly failed: number }
}

/** What is asked and only fails does not work, even while nothing cools. */
const wordOf = ({ state: { word }, recent: { attempts, failed } }: StateProps) =>
  word === 'works' && attempts > 0 && attempts === failed ? 'failing' : word

/** One word for how a channel is. */
export function StateBadge(props: StateProps) {
  const text = useText(stateText)
  const word = wordOf(props)
  return <StatusBadge color={colours[word]}>{text[word]}</StatusBadge>
}

/** A channel's state in a sentence. */
export function stateSentence(props: StateProps): string {
  const text = stateText[shownLanguage()]
  const { until, cause, keys, keys_cooling } = props.state
  const word = wordOf(props)
  if (word === 'cooling') {
    const why = cause === null ? '' : (causeText(cause, 'attempt') ?? cause)
    return `${why} ${text.coolingLong(clockTime(until ?? ''))}`
  }
  if (word === 'partly' && keys_cooling > 0) return text.keys(keys_cooling, keys)
  if (word === 'works' && props.recent.attempts === 0) return text.idleLong
  return text[`${word}Long`]
}

/** The sentence, and one more for each part that cools. */
export const StateDetails = (props: StateProps) => (
  <Stack gap="xs">
    <Text size="sm">{stateSentence(props)}</Text>
    {props.state.parts.length > 0 && (
      <List size="sm">
        {props.state.parts.map((one) => (
          <List.Item key={`${one.key_hint} ${one.model}`} className="cut">
            {partSentence(one)}
          </List.Item>
        ))}
      </List>
    )}
  </Stack>
)

function partSentence({ key_hint, model, cause, until, rounds }: CoolingPart): string {
  const text = stateText[shownLanguage()]
  const key = key_hint === '' ? text.goneKey : key_hint && text.key(key_hint)
  const what = [key, model && text.model(model)].filter(Boolean).join(' · ') || text.whole
  const why = causeText(cause, 'attempt') ?? cause
  const often = rounds > 1 ? ` (${text.times(rounds)})` : ''
  return `${text.part(what, clockTime(until))}${often}. ${why}`.replaceAll('。. ', '。')
}

/** A cooldown ends within the hour: the time of the day says when. */
const clockTime = (at: string) =>
  at === ''
    ? ''
    : new Intl.DateTimeFormat(localeOf(shownLanguage()), { timeStyle: 'medium' }).format(
        new Date(at),
      )

export const stateText = bilingual({
  works: ['Works', '正常'],
  failing: ['Only fails', '全部失败'],
  unused: ['In no group', '未加入分组'],
  partly: ['Works in part', '部分可用'],
  cooling: ['In cooldown', '冷却中'],
  draining: ['Draining', '排空中'],
  failingLong: ['It gets requests, but all failed in the last hour.', '最近一小时的尝试全部失败。'],
  worksLong: ['It gets requests. No cooldown is running.', '请求正常发往该渠道，没有已知问题。'],
  idleLong: [
    'It is ready. Nothing was sent to it in the last hour.',
    '已就绪，最近一小时没有请求。',
  ],
  unusedLong: ['It is ready, but no group uses it yet.', '已就绪，但没有分组使用它。'],
  drainingLong: ['Started work goes on; nothing new is sent.', '已开始的继续，不再接收新请求。'],
  disabledLong: ['Nothing is sent to it.', '不会向它发送任何请求。'],
  partlyLong: ['Some of its models are in cooldown.', '部分模型暂停使用。'],
  coolingLong: [
    'In cooldown until {until}. Then one request tries it.',
    '冷却至 {until}，之后由一个请求试用。',
  ],
  keys: ['{cooling} of {all} keys are in cooldown.', '{all} 个密钥中有 {cooling} 个在冷却。'],
  key: ['key {hint}', '密钥 {hint}'],
  goneKey: ['a key that it no longer has', '已移除的密钥'],
  model: ['model {name}', '模型 {name}'],
  whole: ['the whole channel', '整个渠道'],
  part: [
    (what: string, until: string) => `In cooldown until ${until}: ${what}`,
    (what, until) => `暂停使用至 ${until}：${what}`,
  ],
  times: ['{count} times in a row', '已连续 {count} 次'],
})
