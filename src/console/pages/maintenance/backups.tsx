import { Anchor, Group, Text } from '@mantine/core'
import { useEffect } from 'react'
import { api, call, useCall } from '../../lib/api.ts'
import { formatBytes } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { Action, useRefresh } from '../../parts/action.tsx'
import { ProofDialog } from '../../parts/fields.tsx'
import { ErrorNotice, Section } from '../../parts/page.tsx'
import { column, DataTable, figure } from '../../parts/table.tsx'
import { Hint, Labelled, Time } from '../../parts/text.tsx'
import { Jobs, useJob } from './jobs.tsx'
import { maintenanceText } from './text.ts'

type Backup = { readonly name: string; readonly size_bytes: number; readonly created_at: string }

/** The backups beside the database, and a new one. */
export function Backups() {
  const text = useText(maintenanceText)
  const refresh = useRefresh()
  const query = useCall(['backups'], () => api.admin.backups.get())
  const state = useJob('backup').job?.state
  const { refetch } = query
  useEffect(() => {
    if (state !== undefined && state !== 'running') void refetch()
  }, [state, refetch])

  const remove = async (name: string) => {
    await call(api.admin.backups({ name }).delete())
    await refresh('backups')
    return text.removed(name)
  }

  const download = async (name: string, proof: { password: string | null }) => {
    const { path } = await call(api.admin.backups({ name }).download.post(proof))
    // An attachment: the page stays.
    location.assign(path)
  }

  const { items = [], folder } = query.data ?? {}
  return (
    <Section title={text.backups} hint={text.backupHint}>
      <Hint maw={720}>{text.secretHint}</Hint>
      <Jobs kind="backup" label={text.make}>
        {({ backup }) => backup && <Text size="sm">{text.made(backup.name)}</Text>}
      </Jobs>
      {query.error && <ErrorNotice error={query.error} retry={() => void refetch()} />}
      {query.data && items.length === 0 && <Hint>{text.empty}</Hint>}
      {items.length > 0 && (
        <DataTable<Backup>
          items={items}
          keyOf={({ name }) => name}
          caption={text.caption}
          columns={[
            { label: text.file, render: ({ name }) => name, className: 'cut' },
            column(text.time, ({ created_at }) => <Time at={created_at} />),
            figure(text.size, ({ size_bytes }) => formatBytes(size_bytes)),
            column(text.actions, ({ name }) => (
              <Group gap="xs" wrap="nowrap">
                <ProofDialog
                  {...{ text, label: text.download, submit: text.download }}
                  look={{ size: 'xs', variant: 'default' }}
                  send={(proof) => download(name, proof)}
                />
                <Action
                  {...{ size: 'xs', variant: 'subtle', color: 'red', label: text.remove }}
                  ask={{
                    ...{ title: text.remove, text: text.removeAsk(name), cancel: text.keep },
                    isDangerous: true,
                  }}
                  run={() => remove(name)}
                />
              </Group>
            )),
          ]}
        />
      )}
      {folder && (
        <Labelled label={text.folder} size="xs" c="dimmed" className="cut">
          {folder}
        </Labelled>
      )}
      <Anchor href="/docs/backup" size="sm" w="fit-content">
        {text.guide}
      </Anchor>
    </Section>
  )
}
