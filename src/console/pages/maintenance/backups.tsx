import { Button, Group, Modal, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, call, useCall } from '../../lib/api.ts'
import { formatBytes } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { attempt, confirm } from '../../parts/action.tsx'
import { Proof } from '../../parts/fields.tsx'
import { fieldsOf, SendForm } from '../../parts/form.tsx'
import { column, DataTable, figure } from '../../parts/list.tsx'
import { Empty, ErrorNotice, Section } from '../../parts/page.tsx'
import { Hint, Labelled, Time } from '../../parts/text.tsx'
import { JobProgress, useJobs } from './jobs.tsx'
import { maintenanceText } from './text.ts'

type Backup = { readonly name: string; readonly size_bytes: number; readonly created_at: string }

/** The backups beside the database, and a new one. */
export function Backups() {
  const text = useText(maintenanceText)
  const queries = useQueryClient()
  const { job, start, cancel } = useJobs('backup')
  const [downloading, setDownloading] = useState<string | null>(null)
  const query = useCall(['backups'], () => api.admin.backups.get())
  const state = job?.state
  useEffect(() => {
    if (state !== undefined && state !== 'running')
      void queries.invalidateQueries({ queryKey: ['backups'] })
  }, [state, queries])

  async function remove(name: string): Promise<void> {
    const isSure = await confirm({
      title: text.remove,
      text: text.removeAsk(name),
      confirm: text.remove,
      cancel: text.keep,
      isDangerous: true,
    })
    if (!isSure) return
    await attempt(async () => {
      await call(api.admin.backups({ name }).delete())
      return text.removed(name)
    })
    await queries.invalidateQueries({ queryKey: ['backups'] })
  }

  return (
    <Section title={text.backups} hint={text.backupHint}>
      <Hint maw={720}>{text.secretHint}</Hint>
      <div aria-live="polite">
        {job && <JobProgress job={job} cancel={() => cancel.mutate(job.id)} />}
        {job?.backup && <Text size="sm">{text.made(job.backup.name)}</Text>}
      </div>
      {state !== 'running' && (
        <Button w="fit-content" loading={start.isPending} onClick={() => start.mutate()}>
          {text.make}
        </Button>
      )}
      {query.error && <ErrorNotice error={query.error} retry={() => void query.refetch()} />}
      {query.data?.items.length === 0 && <Empty title={text.none} hint={text.noneHint} />}
      {query.data && query.data.items.length > 0 && (
        <DataTable<Backup>
          items={query.data.items}
          keyOf={({ name }) => name}
          caption={text.caption}
          columns={[
            { label: text.file, render: ({ name }) => name, className: 'cut' },
            column(text.time, ({ created_at }) => <Time at={created_at} />),
            figure(text.size, ({ size_bytes }) => formatBytes(size_bytes)),
            column(text.actions, ({ name }) => (
              <Group gap="xs" wrap="nowrap">
                <Button size="xs" variant="default" onClick={() => setDownloading(name)}>
                  {text.download}
                </Button>
                <Button size="xs" variant="subtle" color="red" onClick={() => void remove(name)}>
                  {text.remove}
                </Button>
              </Group>
            )),
          ]}
        />
      )}
      {query.data?.folder && (
        <Labelled label={text.folder} size="xs" c="dimmed" className="cut">
          {query.data.folder}
        </Labelled>
      )}
      <Download name={downloading} close={() => setDownloading(null)} />
    </Section>
  )
}

interface DownloadProps {
  /** Null: none is asked for. */
  readonly name: string | null
  readonly close: () => void
}

/** Asks for the password, then lets the browser take the backup. */
function Download({ name, close }: DownloadProps) {
  const text = useText(maintenanceText)
  return (
    <Modal opened={name !== null} onClose={close} title={text.download}>
      {name !== null && <Form name={name} close={close} />}
    </Modal>
  )
}

function Form({ name, close }: { readonly name: string; readonly close: () => void }) {
  const text = useText(maintenanceText)
  const form = useForm({ initialValues: { password: '' } })
  return (
    <SendForm
      form={form}
      send={async ({ password }) => {
        const asked = { password: password || null }
        const { path } = await call(api.admin.backups({ name }).download.post(asked))
        // An attachment: the page stays.
        location.assign(path)
        close()
      }}
      submit={text.download}
      look={{ w: 'fit-content', ml: 'auto' }}
    >
      <Proof {...fieldsOf(form, text)('password')} />
    </SendForm>
  )
}
