import { Stack, Table, Text, Title } from '@mantine/core'
import { formatUsd } from '../../lib/format.ts'
import { useText } from '../../lib/language.tsx'
import { Colon } from '../../parts/colon.tsx'
import type { PlazaRow, Tier } from './rows.ts'
import { plazaText } from './text.ts'

/** Every price of a model in a group: base, final, and what its vendor asks. */
export function Details({ row }: { readonly row: PlazaRow }) {
  const text = useText(plazaText)
  const hasTiers = row.tiers.length > 1
  const titleOf = ({ label }: Tier) =>
    label === null ? (hasTiers ? text.shortContexts : text.allContexts) : text.context(label)
  return (
    <Stack>
      {row.description !== '' && <Text size="sm">{row.description}</Text>}
      <Text size="sm">
        {text.group}
        <Colon />
        {row.group} · {text.multiplier} ×{row.multiplier}
      </Text>
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
      <Text size="xs" c="dimmed">
        {text.unit}
      </Text>
    </Stack>
  )
}

/** What is billed beside text, at its final price. */
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
        <Text size="sm" key={label}>
          {label}
          <Colon />
          {words.join(', ')}
        </Text>
      ),
  )
}

function Prices({ tier }: { readonly tier: Tier }) {
  const text = useText(plazaText)
  return (
    <Table className="list">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{text.what}</Table.Th>
          {[text.base, text.final, text.list].map((name) => (
            <Table.Th key={name} ta="end">
              {name}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {tier.prices.map(({ item, base, final, list }) => (
          <Table.Tr key={item}>
            <Table.Td data-label={text.what}>{text[item]}</Table.Td>
            <Table.Td data-label={text.base} ta="end">
              {formatUsd(base)}
            </Table.Td>
            <Table.Td data-label={text.final} ta="end" fw={600}>
              {formatUsd(final)}
            </Table.Td>
            <Table.Td data-label={text.list} ta="end">
              {list === null ? '–' : formatUsd(list)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
