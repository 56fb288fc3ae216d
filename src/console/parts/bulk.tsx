import {
  Alert,
  Button,
  type ButtonProps,
  Group,
  List as Lines,
  Paper,
  Progress,
  Stack,
  Text,
} from '@mantine/core'
import { useRef, useState } from 'react'
import { doEach, type EachDone } from '../lib/each.ts'
import { messageOf } from '../lib/error-text.ts'
import { bilingual, useText } from '../lib/language.ts'
import { confirm, offerUndo, opensDialog, sayDone, useRefresh } from './action.tsx'
import type { Selection } from './selection.tsx'
import { LongText } from './text.tsx'

/** What can be done to all chosen items at once: each as by its own page, and audited so. */
export interface BulkAction<Item> {
  readonly label: string
  readonly look?: ButtonProps
  /** Those for which there is something to do; absent: all. */
  readonly appliesTo?: (item: Item) => boolean
  /** Asks before; `names` are those that it is done to. */
  readonly ask?: (count: number, names: string) => { readonly title: string; readonly text: string }
  readonly run: (item: Item) => Promise<unknown>
  readonly undo?: (item: Item) => Promise<unknown>
  readonly done: (count: number) => string
}

/** What a list offers for chosen items. */
export interface Bulk<Item> {
  readonly nameOf: (item: Item) => string
  readonly actions: readonly BulkAction<Item>[]
  /** Names in the cache that are read anew afterwards. */
  readonly changes: readonly string[]
}

const atOnce = 4
const shownNames = 8

interface BulkBarProps<Item> {
  readonly bulk: Bulk<Item>
  readonly selection: Selection<Item>
}

/** Stands at the bottom of the window while items are chosen: how many, and what to do with them. */
export function BulkBar<Item>({ bulk, selection }: BulkBarProps<Item>) {
  const text = useText(bulkText)
  const { isBusy, progress, failed, start, stop, close } = useBulk({ bulk, selection })
  const { chosen, choose } = selection
  if (chosen.length === 0 && progress === null && failed.length === 0) return null
  return (
    <Paper
      {...{ withBorder: true, shadow: 'md', p: 'sm', component: 'section' }}
      {...{ pos: 'sticky', bottom: 8, 'aria-label': text.chosenItems }}
      style={{ zIndex: 10 }}
    >
      <Stack gap="xs">
        {failed.length > 0 && <Failures {...{ failed, close, nameOf: bulk.nameOf }} />}
        {progress ? (
          <Group gap="sm" wrap="nowrap">
            <Text size="sm" role="status" flex="none">
              {text.progress(progress.ended, progress.all)}
            </Text>
            <Progress
              aria-label={progress.label}
              value={(progress.ended / progress.all) * 100}
              flex={1}
            />
            <Button size="xs" variant="default" onClick={stop}>
              {text.stop}
            </Button>
          </Group>
        ) : (
          chosen.length > 0 && (
            <Group gap="xs">
              <Text size="sm" fw={600} role="status" me="xs">
                {text.chosen(chosen.length)}
              </Text>
              {bulk.actions.map((action) => (
                <BulkButton key={action.label} {...{ action, chosen, isBusy, start }} />
              ))}
              <Button size="xs" variant="transparent" px={0} onClick={() => choose([])}>
                {text.chooseNone}
              </Button>
            </Group>
          )
        )}
      </Stack>
    </Paper>
  )
}

interface BulkButtonProps<Item> {
  readonly action: BulkAction<Item>
  readonly chosen: readonly Item[]
  readonly isBusy: boolean
  readonly start: (action: BulkAction<Item>, items: readonly Item[]) => Promise<void>
}

function BulkButton<Item>({ action, chosen, isBusy, start }: BulkButtonProps<Item>) {
  const { label, look, appliesTo = () => true } = action
  const items = chosen.filter(appliesTo)
  const count = [0, chosen.length].includes(items.length) ? '' : ` (${items.length})`
  return (
    <Button
      {...{ size: 'xs', variant: 'default', ...look, ...(action.ask && opensDialog) }}
      disabled={isBusy || items.length === 0}
      onClick={() => void start(action, items)}
    >
      {label + count}
    </Button>
  )
}

interface FailuresProps<Item> {
  readonly failed: EachDone<Item>['failed']
  readonly nameOf: (item: Item) => string
  readonly close: () => void
}

function Failures<Item>({ failed, nameOf, close }: FailuresProps<Item>) {
  const text = useText(bulkText)
  return (
    <Alert
      {...{ color: 'red', role: 'alert', title: text.failures(failed.length) }}
      {...{ withCloseButton: true, closeButtonLabel: text.close, onClose: close }}
    >
      <Lines size="sm" mah={180} style={{ overflow: 'auto' }}>
        {failed.map(({ item, error }) => (
          <Lines.Item key={nameOf(item)}>
            <LongText span>
              <b>{nameOf(item)}</b> {messageOf(error)}
            </LongText>
          </Lines.Item>
        ))}
      </Lines>
    </Alert>
  )
}

interface Running {
  readonly label: string
  readonly ended: number
  readonly all: number
}

function useBulk<Item>({ bulk, selection }: BulkBarProps<Item>) {
  const text = useText(bulkText)
  const refresh = useRefresh()
  const [isBusy, setBusy] = useState(false)
  const [progress, setProgress] = useState<Running | null>(null)
  const [failed, setFailed] = useState<EachDone<Item>['failed']>([])
  const stopping = useRef<AbortController>(null)

  async function go(label: string, items: readonly Item[], work: BulkAction<Item>['run']) {
    const controller = new AbortController()
    stopping.current = controller
    const show = (ended: number) => setProgress({ label, ended, all: items.length })
    setFailed([])
    show(0)
    const came = await doEach(items, work, { atOnce, signal: controller.signal, onStep: show })
    await refresh(...bulk.changes)
    setProgress(null)
    setFailed(came.failed)
    // Those that failed, or were not reached, may be tried again.
    const left = new Set(items).difference(new Set(came.done))
    selection.choose([...left])
    return came.done
  }

  async function start(action: BulkAction<Item>, items: readonly Item[]): Promise<void> {
    const { ask, label, run, undo, done } = action
    const question = ask?.(items.length, namesOf(items.map(bulk.nameOf), text))
    const isDangerous = action.look?.color === 'red'
    // Not disabled meanwhile: a question that is closed gives the focus back.
    if (question && !(await confirm({ ...question, confirm: label, isDangerous }))) return
    setBusy(true)
    try {
      const changed = await go(label, items, run)
      if (changed.length === 0) return
      if (undo) offerUndo(done(changed.length), () => go(text.undo, changed, undo))
      else sayDone(done(changed.length))
    } finally {
      setBusy(false)
    }
  }

  return {
    ...{ isBusy, progress, failed, start },
    stop: () => stopping.current?.abort(),
    close: () => setFailed([]),
  }
}

function namesOf(names: readonly string[], text: (typeof bulkText)['en']): string {
  const more = names.length - shownNames
  const shown = names.slice(0, shownNames).join(', ')
  return more > 0 ? `${shown} ${text.andMore(more)}` : shown
}

const bulkText = bilingual({
  andMore: ['and {count} more', '等，另有 {count} 个'],
  chosen: ['{count} chosen', '已选 {count} 项'],
  chosenItems: ['Chosen items', '已选项'],
  chooseNone: ['Choose none', '取消选择'],
  close: ['Close', '关闭'],
  failures: ['Failed: {count}', '{count} 项未成功'],
  progress: ['{ended} of {all}', '{ended} / {all}'],
  stop: ['Stop', '停止'],
})
