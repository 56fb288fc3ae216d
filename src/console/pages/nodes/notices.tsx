import { Alert, Text } from '@mantine/core'
import type { NodeItem, NodeList } from '../../../admin/nodes/schema.ts'
import { formatCount } from '../../lib/format.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { texts } from './text.ts'

/** What an operator should know of the nodes as a whole. */
export function Notices({ database, is_shared, items }: NodeList) {
  const text = useText(texts)
  const { language } = useLanguage()
  const alive = items.filter(({ is_alive }) => is_alive)
  const counting = (how: NodeItem['counting']) =>
    alive.filter((node) => node.counting === how).length
  const count = (number: number) => formatCount(number, language)
  const [apart, alone] = [counting('apart'), counting('alone')]
  const versions = new Set(alive.map(({ version }) => version))
  return (
    <>
      {!is_shared && (
        <Alert title={text.oneFile}>
          <Text size="sm" className="cut">
            {text.oneFileText(database)}
          </Text>
        </Alert>
      )}
      {is_shared && alive.length === 1 && (
        <Alert title={text.oneNode}>
          <Text size="sm" className="cut">
            {text.oneNodeText(database)}
          </Text>
        </Alert>
      )}
      {apart > 0 && (
        <Alert color="yellow" title={text.apartTitle}>
          {text.apartText(count(apart))}
        </Alert>
      )}
      {alive.length > 1 && alone > 0 && (
        <Alert color="yellow" title={text.aloneTitle}>
          {text.aloneText(count(alone))}
        </Alert>
      )}
      {versions.size > 1 && <Alert title={text.versionsTitle}>{text.versionsText}</Alert>}
    </>
  )
}
