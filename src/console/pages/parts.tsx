import { Button, Group, SimpleGrid, Skeleton, Stack, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Action, Dialog, sayDone } from '../parts/action.tsx'
import { Chart } from '../parts/chart.tsx'
import type { ChartSeries } from '../parts/chart-data.ts'
import { ChoiceInput } from '../parts/choice-input.tsx'
import { MenuButton } from '../parts/menu-button.tsx'
import { Empty, ErrorNotice, PageFrame, Section, TitledCard } from '../parts/page.tsx'
import { Price } from '../parts/price.tsx'
import { useSorted } from '../parts/sorting.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { type Column, column, DataTable, figure, sorted } from '../parts/table.tsx'
import { Code, Copy, Day, FactList, Figure, Hint, Money, Time } from '../parts/text.tsx'
import { WholeInput } from '../parts/whole-input.tsx'

// For whoever changes the look: all parts on one page; the switch of the console's frame shows them in light and in dark.
// Only a development build has this page, so its words are in English.

export const Page = () => (
  <PageFrame
    title="Parts"
    description="All parts of the console, in the look that is chosen above. Only a development build has this page."
  >
    {parts.map(({ title, render }) => (
      <Section key={title} title={title}>
        {render()}
      </Section>
    ))}
  </PageFrame>
)

const shown = (title: string, render: () => ReactNode) => ({ title, render })

const parts = [
  shown('Buttons', () => (
    <Group>
      <Button>Save</Button>
      <Button variant="default">Cancel</Button>
      <Button color="red" variant="light">
        Delete
      </Button>
      <Button loading>Saving</Button>
      <Button disabled>Disabled</Button>
      <Action
        label="Ask first"
        ask={{ title: 'Really?', text: 'This can be undone.' }}
        run={async () => 'Done.'}
      />
      <Dialog label="Dialog">{(close) => <Button onClick={close}>Close</Button>}</Dialog>
      <MenuButton button={<Button variant="default">Menu</Button>}>
        {(Menu) => <Menu.Item onClick={() => sayDone('Chosen.')}>An item</Menu.Item>}
      </MenuButton>
      <Copy value="copied" />
    </Group>
  )),
  shown('Inputs', () => (
    <SimpleGrid cols={2}>
      <TextInput label="Text" description="What it is for." placeholder="gpt-5" />
      <TextInput label="At fault" error="Write a number of at least 1." defaultValue="-1" />
      <ChoiceInput label="Choice" data={['default', 'partners']} value="default" />
      <WholeInput label="Whole number" value={1_000} />
      <TextInput label="Required" withAsterisk />
      <TextInput label="Disabled" disabled defaultValue="kept" />
    </SimpleGrid>
  )),
  shown('States', () => (
    <Group>
      {(['ok', 'mid', 'bad', 'soft', 'accent'] as const).map((color) => (
        <StatusBadge key={color} color={color}>
          {color}
        </StatusBadge>
      ))}
    </Group>
  )),
  shown('Figures, money, times', () => (
    <Stack>
      <SimpleGrid cols={3}>
        <Figure label="Balance" usd="1234.5678" hint="exact on hover" />
        <Figure label="Debt" usd="-0.004" />
        <Figure label="Requests">12,345</Figure>
      </SimpleGrid>
      <FactList
        facts={[
          ['Time', <Time key="time" at="2026-11-22T16:40:01Z" />],
          ['Day', <Day key="day" of="2026-11-22" />],
          ['Price', <Price key="price" usd="0.0125" />],
          ['No price', <Price key="none" usd={null} />],
          ['Added', <Money key="added" usd="5" isChange />],
        ]}
      />
    </Stack>
  )),
  shown('Table', () => <Models />),
  shown('Chart', () => (
    <Chart
      title="Spending"
      kind="bars"
      times={days.map((day) => ({ label: day.slice(5), name: day, since: day, until: day }))}
      series={[
        seriesOf('gpt-5', 0, [1, 2, 0, 4, 3, 5, 2]),
        seriesOf('claude-sonnet-5', 1, [2, 1, null, 1, 0, 2, 4]),
      ]}
      scale={(heights) => heights.map((height) => `$${height}`)}
      to="/requests"
    />
  )),
  shown('Code', () => (
    <Code label="A request" isProgram>
      {'curl https://gateway.example.com/v1/models \\\n  -H "authorization: Bearer $KEY"'}
    </Code>
  )),
  shown('Waiting, empty, failed', () => (
    <Stack>
      <Skeleton height={48} />
      <Empty
        text={{ empty: 'No channels yet', emptyHint: 'A channel leads to an upstream.' }}
        action={<Button>Add one</Button>}
      />
      <ErrorNotice
        error={new Error('The upstream could not be reached.')}
        retry={() => undefined}
      />
    </Stack>
  )),
  shown('Card', () => (
    <TitledCard title="A card">
      <Hint>A hint in it.</Hint>
    </TitledCard>
  )),
]

const days = [
  '2026-11-16',
  '2026-11-17',
  '2026-11-18',
  '2026-11-19',
  '2026-11-20',
  '2026-11-21',
  '2026-11-22',
]

const seriesOf = (key: string, slot: number, heights: readonly (number | null)[]): ChartSeries => ({
  ...{ key, label: key, slot, search: null },
  values: heights.map((height) => (height === null ? null : { height, text: `$${height}` })),
})

interface Model {
  readonly name: string
  readonly usd: string
  readonly requests: number
}

const models: readonly Model[] = [
  { name: 'claude-sonnet-5', usd: '3', requests: 12_345 },
  { name: 'gpt-5-mini', usd: '0.25', requests: 987 },
  { name: `a-model-${'with-a-long-name-'.repeat(4)}`, usd: '0.0125', requests: 0 },
]

const columns: readonly Column<Model>[] = [
  sorted(
    'name',
    column('Model', ({ name }) => name),
    ({ name }) => name,
  ),
  sorted(
    'price',
    figure('Price', ({ usd }) => <Price usd={usd} />),
    ({ usd }) => Number(usd),
  ),
  figure('Requests', ({ requests }) => requests),
]

function Models() {
  const { items, sorting } = useSorted(models, columns)
  const [marked, setMarked] = useState('')
  return (
    <Stack>
      <DataTable
        {...{ items, columns, sorting }}
        keyOf={({ name }) => name}
        isMarked={({ name }) => name === marked}
        caption="Models"
      />
      <Button variant="default" onClick={() => setMarked(marked ? '' : 'gpt-5-mini')}>
        Mark a row
      </Button>
    </Stack>
  )
}
