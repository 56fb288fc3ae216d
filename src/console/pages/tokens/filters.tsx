import { Group, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { useText } from '../../lib/language.tsx'
import { tokensText } from './text.ts'
import { useGroups } from './use-groups.ts'

/** What the list is filtered by; it stands in the address. */
export interface TokenSearch {
  readonly search?: string | undefined
  readonly group?: string | undefined
  readonly status?: 'active' | 'disabled' | undefined
}

interface FiltersProps {
  readonly value: TokenSearch
  readonly choose: (changed: TokenSearch) => void
}

/** The fields above the list. */
export function Filters({ value, choose }: FiltersProps) {
  const text = useText(tokensText)
  const groups = useGroups().data?.items ?? []
  const [typed, setTyped] = useState(value.search ?? '')
  const search = useDebouncedCallback(
    (found: string) => choose({ search: found || undefined }),
    300,
  )
  const statuses = [
    { value: 'active', label: text.active },
    { value: 'disabled', label: text.disabled },
  ] as const
  return (
    <Group align="flex-end" gap="sm">
      <TextInput
        type="search"
        label={text.search}
        placeholder={text.searchHint}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value)
          search(currentTarget.value)
        }}
        flex="1 1 12rem"
      />
      <Select
        label={text.group}
        placeholder={text.all}
        data={groups.map(({ name }) => name)}
        value={value.group ?? null}
        onChange={(group) => choose({ group: group ?? undefined })}
        clearable
        flex="1 1 8rem"
      />
      <Select
        label={text.status}
        placeholder={text.all}
        data={statuses}
        value={value.status ?? null}
        onChange={(status) => choose({ status: status ?? undefined })}
        clearable
        flex="1 1 8rem"
      />
    </Group>
  )
}
