import { Button, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { SettingList, SettingView } from '../../../admin/settings/schema.ts'
import { api, CallFailed, call } from '../../lib/api.ts'
import { faultText } from '../../lib/fault-text.ts'
import { useLanguage, useText } from '../../lib/language.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { PageFrame } from '../../parts/page.tsx'
import { Field } from './field.tsx'
import { settingsText } from './text.ts'

type Value = SettingView['value']

/** Settings of the whole gateway; only what was changed is sent. */
export function Page() {
  const text = useText(settingsText)
  const query = useQuery({
    queryKey: ['settings'],
    queryFn: () => call(api.admin.settings.get()),
    // What is being typed must not be replaced.
    refetchOnWindowFocus: false,
  })
  return (
    <PageFrame title={text.title} description={text.description}>
      {query.error && <ErrorNotice error={query.error} retry={() => void query.refetch()} />}
      {query.data && <Form key={query.data.revision} list={query.data} />}
    </PageFrame>
  )
}

function Form({ list }: { readonly list: SettingList }) {
  const text = useText(settingsText)
  const { language } = useLanguage()
  const [changes, setChanges] = useState<ReadonlyMap<string, Value>>(new Map())
  const save = useSave(list, changes)
  const { error } = save
  const field = error instanceof CallFailed ? error.field : undefined

  function set({ name, value }: SettingView, wanted: Value): void {
    save.reset()
    const next = new Map(changes)
    if (wanted === value) next.delete(name)
    else next.set(name, wanted)
    setChanges(next)
  }

  const section = (name: 'site' | 'settings', hint: string) => (
    <Paper withBorder p="md">
      <Title order={2} size="h4">
        {text[name]}
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        {hint}
      </Text>
      <SimpleGrid cols={{ base: 1, md: 2 }} verticalSpacing="lg">
        {list.items
          .filter((setting) => setting.name.startsWith(`${name}.`))
          .map((setting) => (
            <Field
              key={setting.name}
              setting={setting}
              value={
                changes.has(setting.name) ? (changes.get(setting.name) ?? null) : setting.value
              }
              error={error && field === setting.name ? faultText(error, language) : undefined}
              set={(value) => set(setting, value)}
            />
          ))}
      </SimpleGrid>
    </Paper>
  )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Stack>
        {section('site', text.siteHint)}
        {section('settings', text.settingsHint)}
        {error && field === undefined && <ErrorNotice error={error} />}
        <Group>
          <Button type="submit" disabled={changes.size === 0} loading={save.isPending}>
            {text.save}
          </Button>
          {changes.size > 0 && (
            <>
              <Button variant="default" onClick={() => setChanges(new Map())}>
                {text.discard}
              </Button>
              <Text size="sm" aria-live="polite">
                {text.changed(changes.size)}
              </Text>
            </>
          )}
        </Group>
      </Stack>
    </form>
  )
}

/** An empty text, and the default, take a setting away; whole numbers are sent as such. */
function wanted({ kind, default: usual }: SettingView, value: Value): Value {
  if (value === usual || value === null) return null
  if (typeof value !== 'string') return value
  const typed = value.trim()
  if (typed === '') return null
  return kind === 'whole' && /^\d{1,15}$/.test(typed) ? Number(typed) : typed
}

function useSave(list: SettingList, changes: ReadonlyMap<string, Value>) {
  const text = useText(settingsText)
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => {
      const named = list.items.flatMap((setting) => {
        const value = changes.get(setting.name)
        return value === undefined ? [] : [[setting.name, wanted(setting, value)] as const]
      })
      const body = { revision: list.revision, changes: Object.fromEntries(named) }
      return call(api.admin.settings.patch(body))
    },
    onSuccess: async (now) => {
      queries.setQueryData(['settings'], now)
      notifications.show({ message: text.saved, color: 'green' })
      await queries.invalidateQueries({ queryKey: ['me'] })
    },
    onError: (error) => {
      if (!(error instanceof CallFailed) || error.reason !== 'conflict') return
      queries.setQueryData(['settings'], error.data as SettingList)
      notifications.show({ message: text.conflict, color: 'yellow', autoClose: false })
    },
  })
}
