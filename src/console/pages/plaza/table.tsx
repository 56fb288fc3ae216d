import { Anchor, Box, Button, Center, Group, Modal, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { ListedToken } from '../../../admin/tokens/schema.ts'
import { modelPath } from '../../../look/model-path.ts'
import { formatUsd } from '../../../look/money.ts'
import { useText } from '../../lib/language.ts'
import { opensDialog } from '../../parts/action.tsx'
import { useSorted } from '../../parts/sorting.tsx'
import { type Column, column, DataTable, figure, inCard, sorted } from '../../parts/table.tsx'
import { ButtonLink, Copy, Hint, Labelled, Money, SmallHint } from '../../parts/text.tsx'
import { tokenThatWorks } from '../tokens/state.ts'
import { canCall, type Item, type PlazaRow, type Price, type Tier } from './rows.ts'
import { plazaText } from './text.ts'

/** Rows that are drawn at once: some gateways have thousands. */
const pageSize = 100

export interface PlazaTableProps {
  readonly rows: readonly PlazaRow[]
  /** Models that have a page on the public site. */
  readonly publicModels: ReadonlySet<string>
  /** One's own. */
  readonly tokens: readonly ListedToken[]
}

/** Models × groups with their final prices. */
export function PlazaTable({ rows, publicModels, tokens }: PlazaTableProps) {
  const text = useText(plazaText)
  const [shown, setShown] = useState(pageSize)
  const [open, setOpen] = useState<PlazaRow>()
  const names = ['input', 'output', 'cache_read', 'cache_write'] as const
  const columns: readonly Column<PlazaRow>[] = [
    sorted(
      'model',
      column(text.model, (row) => <Name row={row} open={() => setOpen(row)} />),
      ({ model }) => model,
    ),
    sorted(
      'group',
      inCard('beside', { label: text.group, render: ({ group }) => group, className: 'cut' }),
      ({ group }) => group,
    ),
    sorted(
      'multiplier',
      figure(text.multiplier, ({ multiplier }) => `×${multiplier}`),
      ({ multiplier }) => Number(multiplier),
    ),
    ...names.map((name) =>
      sorted(
        name,
        figure(text[name], (row: PlazaRow) => <Cell row={row} item={name} />),
        (row: PlazaRow) => finalOf(row, name),
      ),
    ),
  ]
  const { items, sorting } = useSorted(rows, columns)
  return (
    <Stack>
      <DataTable<PlazaRow>
        items={items.slice(0, shown)}
        sorting={sorting}
        keyOf={({ model, group }) => `${model}\n${group}`}
        caption={text.plaza}
        highlightOnHover
        verticalSpacing="xs"
        columns={columns}
      />
      <Center>
        <Stack align="center" gap="xs">
          <Hint aria-live="polite">{text.count(Math.min(shown, rows.length), rows.length)}</Hint>
          {shown < rows.length && (
            <Button variant="default" onClick={() => setShown(shown + pageSize)}>
              {text.more}
            </Button>
          )}
        </Stack>
      </Center>
      <Modal
        opened={open !== undefined}
        onClose={() => setOpen(undefined)}
        title={open && text.detailsOf(open.model, open.group)}
        size="lg"
      >
        {open && (
          <Group gap="sm" mb="md">
            <TryIt row={open} tokens={tokens} />
            {publicModels.has(open.model) && <PublicPage model={open.model} />}
          </Group>
        )}
        {open && <Details row={open} />}
      </Modal>
    </Stack>
  )
}

/** What a million tokens cost below all tiers; null: nothing is charged by them. */
function finalOf({ tiers }: PlazaRow, item: Item): number | null {
  const price = tiers[0]?.prices.find((one) => one.item === item)
  return price === undefined ? null : Number(price.final)
}

function Name({ row, open }: { readonly row: PlazaRow; readonly open: () => void }) {
  const text = useText(plazaText)
  return (
    <Box>
      <Anchor
        component="button"
        type="button"
        size="sm"
        className="cut"
        ta="start"
        {...opensDialog}
        onClick={open}
      >
        {row.model}
      </Anchor>
      {row.tiers.length > 1 && <SmallHint>{text.tiers}</SmallHint>}
    </Box>
  )
}

/** Leads to the playground with a token that works and may call it; who has none makes one. */
function TryIt({ row, tokens }: Pick<PlazaTableProps, 'tokens'> & { readonly row: PlazaRow }) {
  const text = useText(plazaText)
  const token = tokenThatWorks(tokens, (one) => canCall(one, row))
  return token === undefined ? (
    <ButtonLink size="xs" to="/tokens" search={{ create: 1 }}>
      {text.makeToken}
    </ButtonLink>
  ) : (
    <ButtonLink size="xs" to="/playground" search={{ token: token.id, model: row.model }}>
      {text.tryIt}
    </ButtonLink>
  )
}

/** The model's page on the public site, for others to see. */
function PublicPage({ model }: { readonly model: string }) {
  const text = useText(plazaText)
  const path = modelPath(model)
  return (
    <>
      <Copy value={new URL(path, window.location.href).href} label={text.copyLink} />
      <Anchor size="sm" href={path} target="_blank" rel="noopener">
        {text.publicPage}
      </Anchor>
    </>
  )
}

/** A final price, and under it the vendor's list price where it is another. */
function Cell({ row: { tiers }, item }: { readonly row: PlazaRow; readonly item: Item }) {
  const text = useText(plazaText)
  const prices = tiers[0]?.prices ?? []
  const perCall =
    item === 'input' ? prices.find((price) => price.item === 'per_request') : undefined
  const price = perCall ?? prices.find((one) => one.item === item)
  if (price === undefined) return '—'
  const isOther = price.list !== null && price.list !== price.final
  return (
    <Box component="span" display="inline-block">
      <Money usd={price.final} isExact />
      {perCall && ` ${text.perCall}`}
      {isOther && price.list !== null && (
        <Text component="span" display="block" size="xs" c="dimmed">
          {text.listShort} <Money usd={price.list} isExact />
        </Text>
      )}
    </Box>
  )
}

function Details({ row }: { readonly row: PlazaRow }) {
  const text = useText(plazaText)
  const hasTiers = row.tiers.length > 1
  const titleOf = ({ label }: Tier) =>
    label === null ? (hasTiers ? text.shortContexts : text.allContexts) : text.context(label)
  return (
    <Stack>
      {row.description !== '' && <Text size="sm">{row.description}</Text>}
      <Labelled label={text.group}>
        {row.group} · {text.multiplier} ×{row.multiplier}
      </Labelled>
      {row.tiers.map((tier) => (
        <Stack key={tier.label ?? ''} gap={4}>
          <Title order={3} size="h5">
            {titleOf(tier)}
          </Title>
          <Prices tier={tier} />
        </Stack>
      ))}
      {hasTiers && <Text size="sm">{text.tierHint}</Text>}
      <Extras row={row} />
      <SmallHint>{text.unit}</SmallHint>
    </Stack>
  )
}

function Extras({ row: { extras } }: { readonly row: PlazaRow }) {
  const text = useText(plazaText)
  const parts = [
    [text.modalities, extras.modalities.map(([name, usd]) => `${name} ${formatUsd(usd)}`)],
    [text.tools, extras.tools.map(([name, usd]) => `${name} ${formatUsd(usd)}`)],
    [text.serviceTiers, extras.serviceTiers.map(([name, factor]) => `${name} × ${factor}`)],
  ] as const
  return parts.map(
    ([label, words]) =>
      words.length > 0 && (
        <Labelled label={label} key={label}>
          {words.join(', ')}
        </Labelled>
      ),
  )
}

function Prices({ tier }: { readonly tier: Tier }) {
  const text = useText(plazaText)
  return (
    <DataTable<Price>
      items={tier.prices}
      keyOf={({ item }) => item}
      columns={[
        column(text.what, ({ item }) => text[item]),
        figure(text.base, ({ base }) => <Money usd={base} isExact />),
        {
          ...{ label: text.final, isFigure: true, className: 'strong' },
          render: ({ final }) => <Money usd={final} isExact />,
        },
        figure(text.list, ({ list }) => (list === null ? '—' : <Money usd={list} isExact />)),
      ]}
    />
  )
}
