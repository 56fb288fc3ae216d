import { Select, SimpleGrid, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { useText } from '../../lib/language.tsx'
import { tokensText } from './text.ts'
import { useGroups } from './use-groups.ts'

/** Which tokens to list. */
export interface TokenFilter {
  readonly search?: string
  readonly group?: string
  readonly status?: 'active' | 'disabled'
}

interface FiltersProps {
  readonly value: TokenFilter
  readonly choose: (changed: { readonly [name: string]: string | null }) => void
}

/** The fields above the list. */
export function Filters({ value, choose }: FiltersProps) {
  const text = useText(tokensText)
  const groups = useGroups().data?.items ?? []
  const [typed, setTyped] = useState(value.search ?? '')
  const search = useDebouncedCallback((found: string) => choose({ search: found }), 300)
  const statuses = [
    { value: 'active', label: text.active },
    { value: 'disabled', label: text.disabled },
  ] as const
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
      <TextInput
        type="search"
        label={text.search}
        placeholder={text.searchHint}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value)
          search(currentTarget.value)
        }}
      />
      <Select
        label={text.group}
        placeholder={text.all}
        data={groups.map(({ name }) => name)}
        value={value.group ?? null}
        onChange={(group) => choose({ group })}
        clearable
      />
      <Select
        label={text.status}
        placeholder={text.all}
        data={statuses}
        value={value.status ?? null}
        onChange={(status) => choose({ status })}
        clearable
      />
    </SimpleGrid>
  )
}
