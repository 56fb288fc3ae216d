import { Anchor, Badge, Group, Paper, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { GroupView } from '../../../admin/groups/schema.ts'
import { groupText } from '../../groups/text.ts'
import { formatCount } from '../../lib/format.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { Colon } from '../../parts/colon.tsx'

/** So many names are read at a glance. */
const shownNames = 40

/** What can really be called in a group, and what lacks a price. */
export function Offers({ group }: { readonly group: GroupView }) {
  const text = useText(groupText)
  const { language } = useLanguage()
  const { status, tokens, tokens_is_exact, without_price, offers } = group
  const count = formatCount(tokens, language) + (tokens_is_exact ? '' : '+')
  return (
    <Paper withBorder p="md" component="section" aria-label={text.offers}>
      <Stack gap="xs">
        <Group gap="sm">
          <Badge variant="dot" tt="none" fw={500} color={status === 'active' ? 'green' : 'gray'}>
            {text[status]}
          </Badge>
          <Text size="sm" c="dimmed">
            {text.tokens}
            <Colon />
            {count}
          </Text>
        </Group>
        <Names label={text.offered} names={group.offered_models} total={offers} />
        {without_price > 0 && (
          <>
            <Names label={text.unpriced} names={group.models_without_price} total={without_price} />
            <Anchor
              size="sm"
              renderRoot={(props) => (
                <Link to="/admin/prices" search={{ state: 'missing' }} {...props} />
              )}
            >
              {text.setPrices}
            </Anchor>
          </>
        )}
      </Stack>
    </Paper>
  )
}

interface NamesProps {
  readonly label: string
  readonly names: readonly string[]
  readonly total: number
}

function Names({ label, names, total }: NamesProps) {
  const text = useText(groupText)
  const { language } = useLanguage()
  const first = names.slice(0, shownNames)
  const more = total - first.length
  return (
    <Text size="sm" className="cut">
      <b>{label}:</b> {first.join(', ') || text.nothing}
      {more > 0 && ` ${text.andMore(formatCount(more, language))}`}
    </Text>
  )
}
