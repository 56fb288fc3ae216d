import { Box, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { formatUsd } from '../../../look/money.ts'
import { useText } from '../../lib/language.ts'
import { Hint, SmallHint } from '../../parts/text.tsx'
import { type Listed, matching } from './choice.ts'
import { texts } from './text.ts'

interface ModelListProps {
  readonly models: Listed
  readonly ticked: ReadonlySet<string>
  readonly tick: (ticked: ReadonlySet<string>) => void
}

const shownRows = 200

/** The upstream's models to choose from, each with its price. */
export function ModelList({ models, ticked, tick }: ModelListProps) {
  const text = useText(texts)
  const [search, setSearch] = useState('')
  const found = matching(models, search)
  const add = (more: Listed) => tick(new Set([...ticked, ...more.map(({ id }) => id)]))
  const toggle = (id: string) =>
    tick(new Set(ticked.has(id) ? [...ticked].filter((one) => one !== id) : [...ticked, id]))
  return (
    <Stack gap="sm">
      <TextInput
        type="search"
        label={text.searchModels}
        value={search}
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        maw={400}
      />
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={() => add(found)}>
          {text.allShown}
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() => add(found.filter(({ price }) => price !== null))}
        >
          {text.pricedShown}
        </Button>
        <Button size="xs" variant="subtle" onClick={() => tick(new Set())}>
          {text.noneShown}
        </Button>
        <Text size="sm" c="dimmed" aria-live="polite">
          {text.ticked(ticked.size, models.length)}
        </Text>
      </Group>
      <Box mah={360} tabIndex={0} style={{ overflow: 'auto' }}>
        <Stack gap={0} role="group" aria-label={text.modelsOf}>
          {found.slice(0, shownRows).map((model) => (
            <Row
              key={model.id}
              model={model}
              isTicked={ticked.has(model.id)}
              toggle={() => toggle(model.id)}
            />
          ))}
          {found.length === 0 && <Hint>{text.noMatch}</Hint>}
          {found.length > shownRows && <Hint>{text.moreRows(found.length - shownRows)}</Hint>}
        </Stack>
      </Box>
      <SmallHint>{text.perMillion}</SmallHint>
    </Stack>
  )
}

interface RowProps {
  readonly model: Listed[number]
  readonly isTicked: boolean
  readonly toggle: () => void
}

function Row({ model: { id, price }, isTicked, toggle }: RowProps) {
  const text = useText(texts)
  return (
    <Group justify="space-between" gap="xs" py={6} pr="sm">
      <Checkbox
        checked={isTicked}
        onChange={toggle}
        label={<span className="cut">{id}</span>}
        miw={0}
      />
      {price ? (
        <SmallHint title={price.source === 'vendor' ? text.sourceVendor : text.sourceUpstream}>
          {price.input !== '' && text.priceOf(formatUsd(price.input), formatUsd(price.output))}
        </SmallHint>
      ) : (
        <SmallHint fw={700}>{text.noPrice}</SmallHint>
      )}
    </Group>
  )
}
